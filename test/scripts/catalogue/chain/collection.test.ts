/** `npm run import -- --from-chain`, up to the file. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { readCollection } from '../../../../scripts/operate/catalogue/import-collection.ts'
import { defineCommand } from '../../../../scripts/shell/command.ts'
import { call } from '../../../support/call.ts'
import { firstCases } from '../../../support/cases.ts'
import { aFolder } from '../../../support/command.ts'
import {
  aChain,
  aProvider,
  aServer,
  type Chain,
  type Contract,
  creator,
  type Refusal,
  type RpcCall,
  recordsIn,
} from './world.ts'

const FILE = 'collection.jsonl'

let chain: Chain
beforeAll(async () => {
  chain = await aChain()
  const { remove } = await aFolder()
  return async () => {
    await chain.stop()
    await remove()
  }
})
afterEach(() => rmSync(FILE, { force: true }))

type Options = {
  /** Options of the command line. */
  values?: Record<string, string>
  /** The variable NETWORKS. */
  networks?: string
  /** Servers of metadata. */
  hosts?: string[]
}

/** Reads a contract into the file. Returns what was printed, and the records. */
async function read(
  { address }: Pick<Contract, 'address'>,
  { values, networks = chain.networks(), hosts = [] }: Options = {},
) {
  const command = defineCommand({ name: '', purpose: '', example: '' }, async () => {
    const options = { 'from-chain': address, network: 'test', ...values }
    await readCollection(FILE, options, undefined)
  })
  const variables = { NETWORKS: networks, METADATA_LOOPBACK_HOSTS: hosts.join() }
  const result = await call(command, [], variables)
  const records = existsSync(FILE) ? recordsIn(FILE) : []
  return {
    ...result,
    user: records[0],
    nfts: records.filter(({ type }) => type === 'nft'),
    records,
  }
}

const namesIn = (nfts: { metadata: { name: string } }[]) =>
  nfts.map(({ metadata }) => metadata.name)

const idOf = ({ address }: Contract, token: string | number) =>
  `test-${address.toLowerCase()}-${token}`

it('gives a user, and an NFT for each ERC-721 token that exists', async () => {
  const server = await aServer()
  const contract = await chain.anEnumerable(`${server.url}/`)
  for (let i = 0; i < 4; i++) await contract.send('mint', creator.address)
  await contract.send('burn', 1n)
  const { out, errors, records } = await read(contract, {
    hosts: [server.host],
    values: { creator: creator.address },
  })
  const nft = (token: number) => ({
    type: 'nft',
    id: idOf(contract, token),
    creator: creator.address.toLowerCase(),
    network: 'test',
    contract: contract.address,
    contractName: 'Collectible',
    tokenId: String(token),
    amountType: 'unique',
    amount: 1,
    status: 'draft',
    priceCents: 0,
    priceEths: '0',
    priceCurrency: 'EUR',
    metadata: { name: `Token ${token}`, image: `ipfs://x/${token}` },
  })
  const user = {
    type: 'user',
    id: creator.address.toLowerCase(),
    ethereumPublicAddr: creator.address,
  }
  expect(records).toEqual([user, nft(0), nft(2), nft(3)])
  const block = await chain.client.getBlockNumber()
  expect({ out, errors }).toEqual({
    out: `${FILE} has 3 NFTs, as of block ${block}.\n`,
    errors: '',
  })
})

it('reads tokens that were minted in batches, by number', async () => {
  const contract = await chain.aCollection()
  const largest = 2n ** 256n - 2n
  await contract.send('mint', 9n, 3n)
  await contract.send('mintConsecutive', 100n, 102n)
  await contract.send('mint', largest, 1n)
  await contract.send('transfer', 9n)
  await contract.send('burn', 10n)
  await contract.send('burn', 101n)
  await contract.send('burn', 11n)
  await contract.send('mint', 11n, 1n)
  const { nfts } = await read(contract)
  expect(nfts.map(({ tokenId }) => tokenId)).toEqual(['9', '11', '100', '102', `${largest}`])
})

it('reads an ERC-1155 contract with its supplies, and replaces {id}', async () => {
  const server = await aServer((path, response) =>
    response.end(JSON.stringify({ name: 'Edition', image: `https://x.example/{id}${path}` })),
  )
  const contract = await chain.anErc1155(`${server.url}/{id}.json`)
  const account = creator.address
  await contract.send('mint', account, 2n ** 70n, 1n, '0x')
  await contract.send('mintBatch', account, [10n, 11n, 12n, 10n], [5n, 7n, 3n, 1n], '0x')
  await contract.send('mint', account, 11n, 1n, '0x')
  await contract.send('burn', account, 10n, 2n)
  await contract.send('burnBatch', account, [12n], [3n])
  await contract.send('mint', account, 13n, 2n ** 53n, '0x')
  const { nfts, errors } = await read(contract, {
    hosts: [server.host],
    values: { creator: account, 'contract-name': 'Editions' },
  })
  expect(nfts.map(({ tokenId, amountType, amount }) => [tokenId, amountType, amount])).toEqual([
    ['10', 'limited', 4],
    ['11', 'limited', 8],
    ['1180591620717411303424', 'unique', 1],
  ])
  expect(errors).toMatch(/^Token 13 is left out: amount: .+\n$/)
  const hex = 'a'.padStart(64, '0')
  expect(nfts[0]).toMatchObject({
    contractName: 'Editions',
    metadata: { image: `https://x.example/${hex}/${hex}.json` },
  })
})

describe('the blocks', () => {
  it('begin with the one in which the contract was deployed', async () => {
    await chain.mine(500)
    const contract = await chain.aCollection()
    const from = Number(await chain.client.getBlockNumber())
    await contract.send('mint', 1n, 1n)
    const provider = await aProvider(chain.url)
    await read(contract, { networks: chain.networks(provider.url) })
    expect(provider.ranges).toEqual([{ from, to: from + 1 }])
  })

  it('begin with the first one if the node does not know old states', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const provider = await aProvider(chain.url, ({ method, params }) =>
      method === 'eth_getCode' && params?.[1] !== 'latest'
        ? { error: { code: -32000, message: 'missing trie node' } }
        : undefined,
    )
    const { nfts } = await read(contract, { networks: chain.networks(provider.url) })
    expect(nfts).toHaveLength(1)
    expect(provider.ranges[0]).toMatchObject({ from: 0 })
  })

  it('begin with the one that was asked for', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const next = (await chain.client.getBlockNumber()) + 1n
    await contract.send('mint', 2n, 1n)
    const { nfts } = await read(contract, { values: { 'from-block': `${next}` } })
    expect(namesIn(nfts)).toEqual(['Token 2'])
  })

  it('end with the final one', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    await contract.send('mint', 2n, 1n)
    const networks = chain.networks(chain.url, { finality: 2 })
    expect(namesIn((await read(contract, { networks })).nfts)).toEqual(['Token 1'])
    await chain.mine(1)
    expect(namesIn((await read(contract, { networks })).nfts)).toEqual(['Token 1', 'Token 2'])
  })
})

describe('a second run', () => {
  it('writes the same bytes, and adds only tokens that are new', async () => {
    const server = await aServer()
    const contract = await chain.aCollection(`${server.url}/`, '')
    await contract.send('mint', 1n, 3n)
    const options = { hosts: [server.host] }
    await read(contract, options)
    const bytes = readFileSync(FILE, 'utf8')
    await read(contract, options)
    expect(readFileSync(FILE, 'utf8')).toBe(bytes)
    await contract.send('mint', 0n, 1n)
    const { nfts } = await read(contract, options)
    expect(namesIn(nfts)).toEqual(['Token 1', 'Token 2', 'Token 3', 'Token 0'])
    expect(server.requests.toSorted()).toEqual(['/0', '/1', '/2', '/3'])
  })

  it('keeps what was edited in the file', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const { user, nfts } = await read(contract)
    const edited = [
      { ...user, name: 'Mona' },
      { ...nfts[0], status: 'released', priceCents: 700 },
      { type: 'listing', id: `${nfts[0].id}-sale`, nft: nfts[0].id, seller: user.id },
      { type: 'user', id: 'own', email: 'own@example.com' },
    ]
    writeFileSync(FILE, edited.map((record) => `${JSON.stringify(record)}\n`).join(''))
    await contract.send('mint', 2n, 1n)
    const { records } = await read(contract)
    expect(records).toEqual([...edited, expect.objectContaining({ type: 'nft', tokenId: '2' })])
  })

  it('tries tokens again that were left out', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 2n)
    await contract.send('setUri', 2n, 'ftp://example.com/2')
    expect((await read(contract)).errors).toContain('Token 2 is left out')
    await contract.send('setUri', 2n, 'data:application/json,{"name":"Two"}')
    const { nfts, errors } = await read(contract)
    expect({ names: namesIn(nfts), errors }).toEqual({ names: ['Token 1', 'Two'], errors: '' })
  })
})

it('leaves out tokens whose metadata cannot be read, and says why', async () => {
  const contract = await chain.aCollection()
  await contract.send('mint', 1n, 11n)
  await contract.send('setReverts', 1n)
  await contract.send('setEndless', 11n)
  await contract.send('setNonsense', 8n)
  await contract.send('setUri', 9n, 'https://[')
  await contract.send('setUri', 10n, `data:,${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`)
  await contract.send('setUri', 3n, 'http://169.254.169.254/latest/meta-data')
  await contract.send('setUri', 4n, 'data:application/json,[1]')
  await contract.send('setUri', 6n, `data:,{"a":${'['.repeat(32)}${']'.repeat(32)}}`)
  await contract.send('setUri', 7n, `data:,{"name":"${'n'.repeat(256)}"}`)
  const { nfts, errors } = await read(contract)
  expect(namesIn(nfts)).toEqual(['Token 2', 'Token 5'])
  expect(errors.trim().split('\n').sort()).toEqual([
    'Token 1 is left out: uri: is missing in the contract',
    'Token 10 is left out: metadata: must be a JSON object',
    'Token 11 is left out: uri: needs more gas in the contract than the node allows',
    'Token 3 is left out: uri: must point to a public host',
    'Token 4 is left out: metadata: must be a JSON object',
    'Token 6 is left out: metadata: must have at most 32 levels',
    'Token 7 is left out: metadata.name: must be 1 to 255 characters',
    'Token 8 is left out: uri: is missing in the contract',
    'Token 9 is left out: uri: must be a URL',
  ])
})

it('names a token without a name', async () => {
  const contract = await chain.aCollection()
  await contract.send('mint', 1n, 2n)
  await contract.send('setUri', 1n, 'data:application/json,{"name":7}')
  await contract.send('setUri', 2n, 'data:application/json,{"name":" "}')
  const names = ['Plain collection #1', 'Plain collection #2']
  expect(namesIn((await read(contract)).nfts)).toEqual(names)
})

it('releases the NFTs with a listing of each if there is a price', async () => {
  const contract = await chain.aCollection()
  await contract.send('mint', 7n, 1n)
  const prices = { priceCents: 1000, priceEths: '0.005', priceCurrency: 'USD' }
  const { records } = await read(contract, {
    values: { 'price-cents': '1000', 'price-eths': '0.005', currency: 'USD' },
  })
  expect(records[1]).toMatchObject({ status: 'released', ...prices })
  expect(records[2]).toEqual({
    type: 'listing',
    id: `${idOf(contract, 7)}-sale`,
    nft: idOf(contract, 7),
    seller: creator.address.toLowerCase(),
    ...prices,
  })
  const { errors } = await read(contract, { values: { currency: 'USD' } })
  expect(errors).toMatch(/^Set all of --price-cents, --price-eths and --currency, or none\.\n/)
})

describe('the creator', () => {
  it('is the owner of the contract by default', async () => {
    const { user } = await read(await chain.aCollection())
    expect(user.ethereumPublicAddr).toBe(creator.address)
  })

  it.each([
    ['cleo@example.com', [{ type: 'user', id: 'cleo@example.com', email: 'cleo@example.com' }]],
    ['mona', []],
  ])('may be %s', async (value, users) => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 1n)
    const { records } = await read(contract, { values: { creator: value } })
    expect(records).toEqual([...users, expect.objectContaining({ type: 'nft', creator: value })])
  })

  it('must be named if the contract has no owner', async () => {
    const contract = await chain.aCollection()
    await contract.send('renounce')
    expect((await read(contract)).errors).toBe(
      'The contract has no owner. Name the creator: --creator.\n',
    )
  })
})

describe('what cannot be read', () => {
  it('is an account', async () => {
    expect((await read(creator)).errors).toBe(
      `${creator.address} on test is no ERC-721 or ERC-1155 contract.\n`,
    )
  })

  it('is a node that does not answer, and its key is not shown', async () => {
    const networks = chain.networks('http://127.0.0.1:1/secret-key')
    const { errors } = await read(creator, { networks })
    expect(errors).toMatch(/^Reading the chain id of test from 127\.0\.0\.1:1 failed: /)
    expect(errors).not.toContain('secret')
  })
})

describe('a provider that limits what is read', () => {
  /** 300 tokens in 30 of 120 blocks. */
  let contract: Contract
  let first: number
  let last: number

  beforeAll(async () => {
    contract = await chain.aCollection()
    first = Number(await chain.client.getBlockNumber())
    for (let i = 0; i < 30; i++) {
      await contract.send('mint', BigInt(i * 10), 10n)
      await chain.mine(3)
    }
    last = Number(await chain.client.getBlockNumber())
  })

  /** Whether it asks for the URI of the token. */
  const callsUri = ({ method, params: [call] = [{}] }: RpcCall, id: number) =>
    method === 'eth_call' && call.data === `0xc87b56dd${id.toString(16).padStart(64, '0')}`

  const error = (code: number, message: string): Refusal => ({ error: { code, message } })

  const limits: [string, number, Refusal][] = [
    ['Alchemy', 10, error(-32600, 'you can make eth_getLogs requests with up to a 10 block range')],
    ['a proxy', 20, { status: 400 }],
  ]
  it.each(firstCases(1, limits))('is asked for fewer blocks: %s, %i', async (_, limit, refusal) => {
    const { url, ranges } = await aProvider(chain.url, (_, blocks) =>
      blocks > limit ? refusal : undefined,
    )
    const { nfts } = await read(contract, { networks: chain.networks(url) })
    expect(nfts).toHaveLength(300)
    // Each block was read once, in order.
    expect(ranges[0]?.from).toBe(first)
    expect(ranges.at(-1)?.to).toBeGreaterThanOrEqual(last)
    for (const [i, { from }] of ranges.slice(1).entries())
      expect(from).toBe((ranges[i]?.to ?? 0) + 1)
  })

  it('may fall silent: the file keeps what was read before', async () => {
    const contract = await chain.aCollection()
    await contract.send('mint', 1n, 25n)
    let isSilent = true
    const { url } = await aProvider(chain.url, (call) =>
      isSilent && [21, 22, 23, 24, 25].some((id) => callsUri(call, id))
        ? { status: 500 }
        : undefined,
    )
    const networks = chain.networks(url)
    const first = await read(contract, { networks })
    expect(first.nfts).toHaveLength(20)
    expect(first.status).toBe(1)
    expect(first.errors).toMatch(
      /Reading the contract failed: .*\ncollection\.jsonl keeps what was read before\. Run the command again to go on\.\n$/,
    )
    isSilent = false
    expect((await read(contract, { networks })).nfts).toHaveLength(25)
  })
})
