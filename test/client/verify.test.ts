/** `marketplace verify`: a true proof of a real delivery passes, and everything else is caught. */
import { writeFile } from 'node:fs/promises'
import type { RequestListener } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { SignJWT } from 'jose'
import { type Address, createPublicClient, http } from 'viem'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { runCommand } from '../../client/src/cli/run.ts'
import { command as verify } from '../../client/src/cli/verify.ts'
import { type Answer, createClient, DeliveryFailedError } from '../../client/src/index.ts'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { hashContent } from '../../src/ethereum/contract.ts'
import { aTemporaryFolder } from '../support/folder.ts'
import { aPerson, instance } from '../support/instance/instance.ts'
import { aDeliveredOrder, aWallet, buyerBillingData } from '../support/instance/orders.ts'
import { serve } from '../support/server.ts'

type File = Answer<'getProof'>
type Proof = File['proof']
type Rpc = { id: number; method: string; params: unknown[] }

const client = createClient(instance)
const { url, rpcUrl, token } = instance

/** A delivered ERC-721 token of the demo catalogue, and pieces of an ERC-1155 token. */
let unique: File
let pieces: File
const folder = await aTemporaryFolder()

async function aProof(nftId: number, quantity: number): Promise<File> {
  return client.getProof({ order_id: await aDeliveredOrder({ nftId, quantity }) })
}

beforeAll(async () => {
  unique = await aProof(1, 1)
  pieces = await aProof(2, 2)
})

let files = 0

/** Writes a file, and returns its path. */
async function written(content: unknown): Promise<string> {
  const path = join(folder, `${++files}.json`)
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

/** Runs the command, and returns what it prints. */
async function run(file: unknown, ...options: string[]) {
  const printed: unknown[] = []
  const print = (text: unknown) => void printed.push(text)
  const spies = [
    vi.spyOn(console, 'log').mockImplementation(print),
    vi.spyOn(console, 'error').mockImplementation(print),
  ]
  const rpc = options.includes('--rpc') ? [] : ['--rpc', rpcUrl]
  const status = await runCommand([verify], ['verify', await written(file), ...rpc, ...options])
  for (const spy of spies) spy.mockRestore()
  return { status, out: printed.join('\n') }
}

/** Expects that the command refuses a file, and what it says. */
async function expectRefused(says: string, ...args: Parameters<typeof run>) {
  const { status, out } = await run(...args)
  expect(out).toContain(says)
  expect(status).toBe(1)
}

/** A key of somebody else. */
const stranger = await generateSigningKey()

const header = (changes: object = {}) => ({
  alg: 'EdDSA',
  typ: 'delivery-proof+jwt',
  kid: stranger.kid,
  ...changes,
})

/** Signs a proof with the key of a stranger. Returns the file, and options that trust the key. */
async function signedByStranger(proof: Proof, changes?: object) {
  const jws = await new SignJWT(proof).setProtectedHeader(header(changes)).sign(stranger)
  const { d, ...key } = stranger
  return [{ proof, jws }, '--keys', await written({ keys: [key] })] as const
}

const withoutTransaction = (proof: Proof): Proof => ({
  ...proof,
  transaction: null,
  blockNumber: null,
  blockHash: null,
})

/** Places an order of the demo whose token does nothing, and returns what a thief of the key would sign. */
async function aDeliveryThatMovedNothing(): Promise<Proof> {
  const wallet = aWallet()
  const outcome = 'outcome-token-moved-nothing'
  const order = { nft: outcome, listing: outcome, quantity: 1, buyerUserId: await aPerson(wallet) }
  const [{ id = 0 } = {}] = (await client.placeOrders({ body: [{ ...order, buyerBillingData }] }))
    .orders
  await expect(client.waitForDelivery(id)).rejects.toThrow(DeliveryFailedError)
  const logs = await createPublicClient({ transport: http(rpcUrl) }).getContractEvents({
    address: unique.proof.contract as Address,
    abi: deliveryAbi,
    eventName: 'Delivered',
    strict: true,
    fromBlock: 0n,
  })
  const log = logs.find(({ args }) => args.to === wallet)
  if (!log) throw new Error('The contract has not used the key.')
  const { key, token, to, tokenId, amount } = log.args
  return {
    ...withoutTransaction(unique.proof),
    deliveryKey: key,
    content: { token, to, tokenId: `${tokenId}`, amount: Number(amount) },
    contentHash: hashContent({ token, to, tokenId, amount }),
  }
}

/** A node that answers some methods with another result. */
async function aLiar(lies: Record<string, (result: never, call: Rpc) => unknown>) {
  const node = await serve(async (request, response) => {
    const call = (await json(request)) as Rpc
    const answer = await fetch(rpcUrl, { method: 'POST', body: JSON.stringify(call), headers })
    const { id, result } = (await answer.json()) as { id: number; result: never }
    const lie = lies[call.method]
    const told = { jsonrpc: '2.0', id, result: lie ? lie(result, call) : result }
    response.writeHead(200, headers).end(JSON.stringify(told))
  })
  return ['--rpc', node] as const
}
const headers = { 'content-type': 'application/json' }

const timeoutAfter = AbortSignal.timeout.bind(AbortSignal)

describe('a true proof', () => {
  it('passes, and says what has to be trusted', async () => {
    const { proof, jws } = unique
    const { contract, content, contentHash, blockNumber, transaction } = proof
    const [{ kid = undefined } = {}] = (await client.getProofKeys()).keys
    const { status, out } = await run({ proof, jws })
    expect(out).toBe(`Order ${proof.orderId} of ${url}:
token ${content.tokenId} of ${content.token} to ${content.to}

✓ signature    Signed with the key ${kid} of ${url}/.well-known/proof-jwks.json.
✓ content      The content has the hash ${contentHash}.
✓ chain        The node is on chain 31337.
✓ record       ${contract} has used the key for this, in block ${blockNumber}.
✓ transaction  ${transaction} took it from ${out.match(/from (\w+), in block/)?.[1]}, in block ${blockNumber}.

The proof is valid. The delivery is on the chain, as your node shows it.
That it belongs to this order is what ${url} says, with its key.
Anybody can be ${url}: use --issuer with the marketplace that you mean.`)
    expect(status).toBe(0)
  })

  it('passes for pieces, and for the marketplace that is expected', async () => {
    const { status, out } = await run(pieces, '--issuer', `${url}/`)
    expect(out).toContain(`✓ issuer       Issued by ${url}.`)
    expect(out).toContain('2 × token ')
    expect(out).not.toContain('Anybody can be')
    expect(status).toBe(0)
  })

  it('passes with a retired key, from a file', async () => {
    const { keys } = await client.getProofKeys()
    const published = { keys: [await generateSigningKey(), ...keys] }
    expect(await run(unique, '--keys', await written(published))).toMatchObject({ status: 0 })
  })

  it('passes without a transaction: the node finds the one that has used the key', async () => {
    const { proof } = pieces
    const { status, out } = await run(...(await signedByStranger(withoutTransaction(proof))))
    expect(out).toContain(`✓ transaction  ${proof.transaction} took it from 0x`)
    expect(status).toBe(0)
  })
})

describe('a proof without a transaction', () => {
  it('does not pass if the token has moved nothing', async () => {
    const { status, out } = await run(
      ...(await signedByStranger(await aDeliveryThatMovedNothing())),
    )
    expect(out).toContain('✓ record ')
    expect(out).toContain(
      '✗ transaction  It has no event of the token that says that it has moved.',
    )
    expect(status).toBe(1)
  })

  it('does not pass if the node does not find the transaction', async () => {
    const node = await aLiar({ eth_getLogs: () => [] })
    await expectRefused(
      '✗ transaction  The node does not find the transaction that has used the',
      ...(await signedByStranger(withoutTransaction(unique.proof))),
      ...node,
    )
  })
})

const otherAddress = '0x00000000000000000000000000000000DeaDBeef'
const changes: [field: string, change: (proof: Proof) => object][] = [
  ['deliveryKey', () => ({ deliveryKey: `0x${'1'.repeat(64)}` })],
  ['chainId', () => ({ chainId: 1 })],
  ['contract', () => ({ contract: otherAddress })],
  ['token', ({ content }) => ({ content: { ...content, token: otherAddress } })],
  ['to', ({ content }) => ({ content: { ...content, to: otherAddress } })],
  ['tokenId', ({ content }) => ({ content: { ...content, tokenId: '4711' } })],
  ['amount', ({ content }) => ({ content: { ...content, amount: 5 } })],
  ['contentHash', () => ({ contentHash: `0x${'2'.repeat(48)}` })],
  ['transaction', () => ({ transaction: `0x${'3'.repeat(64)}` })],
  ['blockNumber', ({ blockNumber }) => ({ blockNumber: (blockNumber ?? 0) + 1 })],
  ['blockHash', () => ({ blockHash: `0x${'4'.repeat(64)}` })],
]

describe('a proof that was changed', () => {
  const said: typeof changes = [
    ['orderId', () => ({ orderId: 4711 })],
    ['to', ({ content }) => ({ content: { ...content, to: otherAddress } })],
  ]
  it.each(said)('is caught by the signature: %s', async (_, change) => {
    const { proof, jws } = pieces
    const { status, out } = await run({ proof: { ...proof, ...change(proof) }, jws })
    expect(out).toContain('✗ signature    `jws` signs something else than `proof` says.')
    expect(out).toContain('The proof is NOT valid.')
    expect(status).toBe(1)
  })

  it.each(changes)('is caught by the chain, even if it was signed: %s', async (_, change) => {
    const { proof } = pieces
    const { status, out } = await run(
      ...(await signedByStranger({ ...proof, ...change(proof) } as Proof)),
    )
    expect(out).toContain('✓ signature')
    expect(out).toContain('✗ ')
    expect(status).toBe(1)
  })

  it('is caught if the content and its hash fit each other', async () => {
    const other = { ...pieces.proof, content: unique.proof.content }
    const { contentHash } = unique.proof
    const { status, out } = await run(...(await signedByStranger({ ...other, contentHash })))
    expect(out).toContain('✓ content')
    expect(out).toContain('✗ record')
    expect(out).toContain('✗ transaction  It has no event of the contract that says this.')
    expect(status).toBe(1)
  })

  it('is caught if the signature was changed', async () => {
    const [head, body] = pieces.jws.split('.')
    const jws = `${head}.${body}.${Buffer.alloc(64).toString('base64url')}`
    await expectRefused('✗ signature    The signature does not fit the key ', { ...pieces, jws })
  })
})

describe('the signature', () => {
  it('needs a key that is published', async () => {
    const [file] = await signedByStranger(unique.proof)
    await expectRefused(
      `✗ signature    ${url}/.well-known/proof-jwks.json does not have the key ${stranger.kid}. Was it withdrawn? Download the proof again.`,
      file,
    )
  })

  it('is not that of a token, also with the keys of tokens', async () => {
    await expectRefused(
      '✗ signature    `jws` is no proof: it needs the type delivery-proof+jwt',
      { ...unique, jws: token },
      ...['--keys', `${url}/.well-known/jwks.json`],
    )
  })

  it.each([
    ['another type', { typ: 'JWT' }],
    ['no type', { typ: undefined }],
    ['no key id', { kid: undefined }],
  ])('has the header of a proof: %s', async (_, other) => {
    const signed = await signedByStranger(unique.proof, other)
    await expectRefused('✗ signature    `jws` is no proof', ...signed)
  })

  it('is of the marketplace that is expected, and another one is asked for nothing', async () => {
    const asked: unknown[] = []
    const iss = await serve((request, response) => {
      asked.push(request.url)
      response.end()
    })
    const [file] = await signedByStranger({ ...unique.proof, iss })
    const { status, out } = await run(file, '--issuer', url)
    expect(out).toContain('? signature    Not checked.\n')
    expect(out).toContain(`✗ issuer       The proof names ${iss}, not ${url}.`)
    expect(asked).toEqual([])
    expect(status).toBe(1)
  })

  it('shows the issuer, which a name alone does not', async () => {
    const [file] = await signedByStranger(unique.proof)
    const { status, out } = await run(file, '--issuer', url)
    expect(out).toMatch(
      /^✗ signature .*\n\? issuer {7}The proof names \S+\. Without its signature/m,
    )
    expect(status).toBe(1)
  })

  it('asks for nothing that a verifier may not know', async () => {
    const signed = await signedByStranger(unique.proof, { crit: ['b64'], b64: true })
    await expectRefused('✗ signature    `jws` asks for more than a proof has: `crit`.', ...signed)
  })

  it.each([
    ['there is no file', './nowhere.json', 'The keys cannot be read from ./nowhere.json'],
    ['nobody answers', 'http://127.0.0.1:2/keys', 'ECONNREFUSED'],
    ['the site is another one', `${url}/nothing`, 'status 404'],
    ['anybody can replace them', 'http://marketplace.example/keys', 'without https'],
    [
      'the file has something else',
      'package.json',
      'The keys cannot be read from package.json: JSON Web Key Set malformed.',
    ],
  ])('cannot be checked if %s, and the chain is asked nevertheless', async (_, keys, says) => {
    const { status, out } = await run(unique, '--keys', keys)
    expect(out).toContain(says)
    expect(out).toMatch(/\? signature .*\n✓ content .*\n✓ chain .*\n✓ record .*\n✓ transaction /)
    expect(out).toContain('The proof could not be verified.')
    expect(status).toBe(3)
  })
})

it('writes nothing to the terminal but text, whatever a stranger has put into a proof', async () => {
  const hidden = '\u001B[8m\n✓ '
  const [file] = await signedByStranger(unique.proof, { kid: hidden })
  const { status, out } = await run(file)
  expect(out).toContain('does not have the key \uFFFD[8m\uFFFD✓ .')
  expect(out).not.toContain('\u001B')
  expect(out).not.toMatch(/^✓ ?$/m)
  expect(status).toBe(1)
})

describe('the site of the keys', () => {
  it.each<[string, RequestListener, string]>([
    [
      'sends it to another one',
      (_, response) =>
        response.writeHead(302, { location: `${url}/.well-known/proof-jwks.json` }).end(),
      'status 302',
    ],
    ['never ends', (_, response) => response.writeHead(200).write('{"keys":['), 'timeout'],
    ['sends more than keys', (_, response) => response.end(' '.repeat(65_537)), '64 KB'],
  ])('is not believed if it %s', async (_, answer, says) => {
    const keys = await serve(answer)
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeoutAfter(200))
    const { status, out } = await run(unique, '--keys', keys)
    limit.mockRestore()
    expect(out).toContain(`? signature    The keys cannot be read from ${keys}: `)
    expect(out).toContain(says)
    expect(status).toBe(3)
  })
})

describe('the node', () => {
  it('must be of the same chain', async () => {
    const { status, out } = await run(unique, ...(await aLiar({ eth_chainId: () => '0x1' })))
    expect(out).toContain('✗ chain        The node is on chain 1, not on 31337: use another one.')
    expect(out).not.toContain('record')
    expect(status).toBe(1)
  })

  it('must answer', async () => {
    const { status, out } = await run(unique, '--rpc', 'http://127.0.0.1:2')
    expect(out).toContain('? chain        The node does not tell: connect ECONNREFUSED 127.0.0.1:2')
    expect(out).toContain('The proof could not be verified.')
    expect(status).toBe(3)
  })

  it('must answer in time, and completely', async () => {
    const node = await serve((_, response) => {
      response.writeHead(200, headers).write('{"jsonrpc":"2.0",')
    })
    const keys = await written(await client.getProofKeys())
    const limit = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => timeoutAfter(200))
    const { status, out } = await run(unique, '--keys', keys, '--rpc', node)
    limit.mockRestore()
    expect(out).toContain('? chain        The node does not tell: The operation was aborted')
    expect(status).toBe(3)
  })

  it('must know the transactions of a block', async () => {
    const node = await aLiar({ eth_getLogs: () => null })
    const { status, out } = await run(
      ...(await signedByStranger(withoutTransaction(unique.proof))),
      ...node,
    )
    expect(out).toContain('? transaction  The node does not tell: ')
    expect(status).toBe(3)
  })

  it.each([
    ['has no contract there', { eth_call: () => '0x' }, '✗ record       The node does not tell: '],
    [
      'has no record',
      { eth_call: (data: string) => `${data.slice(0, -128)}${'0'.repeat(128)}` },
      'has not used the key. Is the node behind, or was the block lost?',
    ],
    [
      'has the record in another block',
      {
        eth_call: (data: string) =>
          `${data.slice(0, -128)}${'f'.padStart(64, '0')}${data.slice(-64)}`,
      },
      'The key was used in block 15, not ',
    ],
    [
      'does not know the transaction',
      { eth_getTransactionReceipt: () => null },
      '✗ transaction  The node does not have it. Is the node behind, or was the block lost?',
    ],
    [
      'has the transaction in another block',
      { eth_getTransactionReceipt: (it: object) => ({ ...it, blockHash: `0x${'5'.repeat(64)}` }) },
      'the chain was reorganized. Download the proof again.',
    ],
    [
      'has it as reverted',
      { eth_getTransactionReceipt: (it: object) => ({ ...it, status: '0x0' }) },
      '✗ transaction  It was reverted.',
    ],
    [
      'has no event of the token',
      {
        eth_getTransactionReceipt: (it: { logs: { address: string }[] }) => ({
          ...it,
          logs: it.logs.filter(
            ({ address }) => address !== pieces.proof.content.token.toLowerCase(),
          ),
        }),
      },
      '✗ transaction  It has no event of the token that says that it has moved.',
    ],
  ])('%s', async (_, lies, says) => {
    await expectRefused(says, pieces, ...(await aLiar(lies as never)))
  })
})

describe('a file', () => {
  it.each([
    ['no JSON', () => 'proof', 'all of it is missing or wrong'],
    ['an error', () => ({ error: 'not delivered', code: 'not_delivered' }), 'proof is missing'],
    ['no signature', ({ proof }: File) => ({ proof }), 'jws is missing or wrong'],
    ['a token', () => token, 'all of it is missing or wrong'],
    [
      'no key',
      ({ proof, jws }: File) => ({ proof: { ...proof, deliveryKey: 1 }, jws }),
      'deliveryKey',
    ],
    [
      'a further field',
      ({ proof, jws }: File) => ({ proof: { ...proof, isPaid: true }, jws }),
      'the field isPaid is unknown',
    ],
    [
      'a further field that every object has',
      (file: File) => JSON.stringify(file).replace('"iss"', '"__proto__":1,"iss"'),
      'the field __proto__ is unknown',
    ],
    [
      'an issuer that hides another address in its query',
      ({ proof, jws }: File) => ({ proof: { ...proof, iss: `${url}/secret?` }, jws }),
      'iss is missing or wrong',
    ],
    [
      'an issuer with a path',
      ({ proof, jws }: File) => ({ proof: { ...proof, iss: `${url}/` }, jws }),
      'iss is missing or wrong',
    ],
    [
      'a token id above uint256',
      ({ proof, jws }: File) => ({
        proof: { ...proof, content: { ...proof.content, tokenId: '9'.repeat(78) } },
        jws,
      }),
      'content is missing or wrong',
    ],
  ])('is refused with %s', async (_, content, says) => {
    const { status, out } = await run(content(unique))
    expect(out).toMatch(/^\S+\.json is not a proof: /)
    expect(out).toContain(says)
    expect(status).toBe(1)
  })

  it('must exist', async () => {
    const error = vi.spyOn(console, 'error').mockImplementation(() => {})
    expect(await runCommand([verify], ['verify', 'nowhere.json', '--rpc', rpcUrl])).toBe(1)
    expect(error.mock.calls[0]?.[0]).toMatch(/^nowhere\.json cannot be read: .*no such file/)
    error.mockRestore()
  })

  it('may begin with a byte order mark', async () => {
    expect(await run(`\uFEFF${JSON.stringify(unique)}`)).toMatchObject({ status: 0 })
  })

  it('is not read if it is too long', async () => {
    const { status, out } = await run(' '.repeat(1024 * 1024 + 1))
    expect(out).toMatch(/\.json cannot be read: it is longer than 1024 KB\.$/)
    expect(status).toBe(1)
  })

  it.each(['marketplace.example', 'https://marketplace.example/shop', 'file:///etc'])(
    'needs an issuer that is a URL without a path: %s',
    async (issuer) => {
      const { status, out } = await run(unique, '--issuer', issuer)
      expect(out).toContain('--issuer must be a URL without a path, such as https://')
      expect(status).toBe(2)
    },
  )

  it('needs a node', async () => {
    const { status, out } = await run(unique, '--rpc', 'localhost')
    expect(out).toContain('--rpc must be an http or https URL, not "localhost".')
    expect(status).toBe(2)
  })
})
