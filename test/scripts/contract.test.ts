import { writeFile } from 'node:fs/promises'
import { decodeFunctionData, isHex, zeroAddress } from 'viem'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { deployCollectibles } from '../../scripts/local/chain/collectibles.ts'
import { type Contract, sendAs } from '../../scripts/operate/contract/delivery.ts'
import { parseNetwork } from '../../scripts/operate/contract/networks.ts'
import { confirm } from '../../scripts/operate/contract/node.ts'
import { command as contract } from '../../scripts/operate/contract.ts'
import { rules } from '../../src/delivery/reasons.ts'
import { call } from '../support/call.ts'
import type { Contracts } from '../support/chain/compiled.ts'
import { compileFixtures } from '../support/chain/fixtures.ts'
import { aLocalDatabase } from '../support/command.ts'
import {
  type Commands,
  contractCommands,
  deployToken,
  guardian,
  ownedAbi,
  owner,
  relayer,
  stranger,
} from '../support/contract.ts'
import { NO_IDS, synthetic } from '../support/synthetic.ts'

const OTHER = '0xaAaAaAaaAaAaAaaAaAAAAAAAAaaaAaAaAaaAaaAa'
const TOKEN = '0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB'
const HOUR = 3600

let commands: Commands
let fixtures: Contracts
/** The contract of the tests, until one deploys another. It has one relayer. */
let delivery: Contract

const run: Commands['run'] = async (...args) => {
  const result = await commands.run(...args)
  expect(result.out + result.errors).not.toContain(toPrivateKey(args[2] ?? owner).slice(2))
  return result
}

beforeAll(async () => {
  fixtures = await compileFixtures()
  commands = await contractCommands()
  await configureNew()
})

afterAll(() => commands.close())

async function configureNew(deployment: Parameters<Commands['deploy']>[0] = {}) {
  delivery = await commands.deploy(deployment)
  await commands.configure(delivery.address)
}

/** What is printed behind a name or an address. */
const valueIn = (out: string, label: string) =>
  out
    .split('\n')
    .find((line) => line.trim().startsWith(label))
    ?.trim()
    .slice(label.length)
    .trim()

const limit = (capacity: number, perDay: number) => [
  ...['--capacity', String(capacity)],
  ...['--per-day', String(perDay)],
]

it('sets no limit of a token that mints a quantity instead of an id, whoever would send it', async () => {
  const token = await deployToken(commands.node, fixtures.QuantityToken)
  const args = ['--token', token, ...limit(50, 200)]
  for (const more of [[], ['--print']]) {
    const { out, errors, status } = await run('set-token-limit', [...args, ...more])
    expect({ out, status }).toEqual({ out: '', status: 1 })
    expect(errors).toBe(
      `${token} gets no limit: ${rules.mint_not_exact.sentence}. Its \`safeMint(address,uint256)\` takes a quantity instead of a token id (mint_not_exact).\n`,
    )
  }
  const { isSet } = await delivery.read.tokenLimit([token])
  expect(isSet).toBe(false)
  const removed = await run('set-token-limit', ['--token', token, ...limit(0, 0)])
  expect(removed.errors).toBe('')
})

it('adds a relayer, changes its limit and removes it, and limits a token', async () => {
  const added = await run('set-relayer', ['--relayer', OTHER, ...limit(500, 3000)])
  expect(valueIn(added.out, OTHER)).toBe('500 of 500 pieces now, 3000 a day, 0 ETH')
  const changed = await run('set-relayer', ['--relayer', OTHER, ...limit(7, 70)])
  expect(valueIn(changed.out, OTHER)).toBe('7 of 7 pieces now, 70 a day, 0 ETH')
  const removed = await run('remove-relayer', ['--relayer', OTHER])
  expect(valueIn(removed.out, OTHER)).toBe('removed, 0 ETH')
  const set = await run('set-token-limit', ['--token', TOKEN, ...limit(50, 200)])
  expect(valueIn(set.out, TOKEN)).toBe('50 of 50 pieces now, 200 a day')
})

it('says that an account may not do it', async () => {
  const { errors } = await run('retire', [], relayer)
  expect(errors).toBe(
    'The transaction failed: this account is neither the owner nor the guardian of the contract\n',
  )
  expect((await run('retire', [], null)).errors).toMatch(
    /^Set the environment variable DELIVERY_OWNER_KEY/,
  )
})

it('does not print an owner key that is not valid', async () => {
  const variables = { DELIVERY_OWNER_KEY: `0x${'f'.repeat(64)}` }
  const { errors } = await call(contract, ['pause', '--network', 'localhost'], variables)
  expect(errors).toMatch(/^Set the environment variable DELIVERY_OWNER_KEY to the .*\n$/)
})

it('says when a raise takes effect, and removes at once', async () => {
  await configureNew({ delay: 24n * 3600n })
  const { out } = await run('set-relayer', ['--relayer', OTHER, ...limit(500, 3000)])
  expect(valueIn(out, 'delay')).toBe('24 hours')
  expect(valueIn(out, OTHER)).toMatch(
    /^0 of 0 pieces now, 0 a day; from \d{4}-\d\d-\d\d \d\d:\d\d UTC on 500 pieces, 3000 a day, 0 ETH$/,
  )
  await commands.wait(24 * HOUR)
  expect(valueIn((await run('status')).out, OTHER)).toBe('500 of 500 pieces now, 3000 a day, 0 ETH')
  const removed = await run('remove-relayer', ['--relayer', relayer.address])
  expect(valueIn(removed.out, relayer.address)).toMatch(/^removed, /)
})

it('stops deliveries and allows them again', async () => {
  await configureNew()
  expect(valueIn((await run('pause')).out, 'state')).toBe('paused')
  expect((await run('pause')).errors).toBe(
    'The transaction failed: the contract is paused already\n',
  )
  expect(valueIn((await run('unpause')).out, 'state')).toBe('delivering')
  expect(valueIn((await run('retire')).out, 'state')).toBe('retired')
  expect((await run('unpause')).errors).toBe('The transaction failed: the contract is retired\n')
})

it('gives the contract to an owner who accepts it', async () => {
  await configureNew()
  const named = await run('transfer-ownership', ['--owner', stranger.address])
  expect(valueIn(named.out, 'owner')).toBe(owner.address)
  expect(valueIn(named.out, 'next owner')).toBe(`${stranger.address}, not yet accepted`)
  expect((await run('accept-ownership', [], guardian)).errors).toBe(
    'The transaction failed: this account is not the next owner of the contract\n',
  )
  const accepted = await run('accept-ownership', [], stranger)
  expect(valueIn(accepted.out, 'owner')).toBe(stranger.address)
})

it('hands a token contract over: announced first, done by a second call after the delay', async () => {
  await configureNew({ delay: BigInt(HOUR) })
  const { node, wait } = commands
  const address = await deployToken(node, fixtures.OwnedUnique)
  const token = { address, abi: ownedAbi } as const
  const given = { ...token, functionName: 'transferOwnership' } as const
  await confirm(node, node.writeContract({ ...given, args: [delivery.address], ...sendAs(owner) }))
  const handOver = ['--token', address, '--owner', stranger.address]
  const announced = await run('hand-over', handOver)
  expect(announced.out).toMatch(
    new RegExp(
      `  ${address}  no limit\n    can be handed over to ${stranger.address} from .* UTC on`,
    ),
  )
  expect(await node.readContract({ ...token, functionName: 'owner' })).toBe(delivery.address)
  // Too early: the delay begins again.
  for (const seconds of [HOUR - 60, 120]) {
    await wait(seconds)
    expect((await run('hand-over', handOver)).out).toContain('can be handed over')
  }
  expect(await node.readContract({ ...token, functionName: 'owner' })).toBe(delivery.address)
  await wait(HOUR)
  const done = await run('hand-over', handOver)
  expect(done.out).not.toContain('can be handed over')
  expect(await node.readContract({ ...token, functionName: 'owner' })).toBe(stranger.address)
})

describe('--print', () => {
  const print = async (action: string, args: string[] = []) => {
    const { out, errors, status } = await run(action, [...args, '--print'], null)
    expect({ errors, status }).toEqual({ errors: '', status: 0 })
    return out
  }

  it('prints a transaction for a multi-signature wallet, without a key', async () => {
    expect(await print('set-relayer', ['--relayer', OTHER, ...limit(5, 10)])).toBe(
      [
        'chain  31337',
        `to     ${delivery.address}`,
        'value  0',
        `data   0x9e3e86f5${OTHER.slice(2).toLowerCase().padStart(64, '0')}${'5'.padStart(64, '0')}${'a'.padStart(64, '0')}`,
        `call   setRelayer(relayer = ${OTHER}, capacity = 5, perDay = 10)`,
        '',
      ].join('\n'),
    )
  })

  it.each([
    ['remove-relayer', ['--relayer', OTHER], 'setRelayer', [OTHER, 0n, 0n]],
    ['set-token-limit', ['--token', TOKEN, ...limit(0, 1)], 'setTokenLimit', [TOKEN, 0n, 1n]],
    ['hand-over', ['--token', TOKEN, '--owner', OTHER], 'handOver', [TOKEN, OTHER]],
    ['transfer-ownership', ['--owner', OTHER], 'transferOwnership', [OTHER]],
    ['accept-ownership', [], 'acceptOwnership', undefined],
    ['pause', [], 'pause', undefined],
    ['unpause', [], 'unpause', undefined],
    ['retire', [], 'retire', undefined],
  ])('prints the call of %s', async (action, args, functionName, values) => {
    const data = valueIn(await print(action, args), 'data')
    if (!isHex(data)) throw new Error('no data')
    expect(decodeFunctionData({ abi: deliveryAbi, data })).toEqual({ functionName, args: values })
  })
})

it('shows the state without a key, and the sellers who have not approved the contract', async () => {
  await configureNew()
  const database = await aLocalDatabase()
  for (const sql of synthetic({ users: 1, nfts: 3, orders: 0 }, NO_IDS)) database.exec(sql)
  const { erc1155 } = await deployCollectibles(commands.rpcUrl, {
    ...{ seller: owner, operator: stranger.address, uniques: 0 },
    editions: [{ id: 2n, amount: 5n }],
  })
  database.exec(`UPDATE users SET ethereumPublicAddr = '${owner.address}'`)
  // Listed after the other one.
  const missing = '0xFFfFfFffFFfffFFfFFfFFFFFffFFFffffFfFFFfF'
  database.exec(`UPDATE nfts SET contractAddr = iif(id = 3, '${erc1155}', '${missing}')`)
  database.close()
  const { out, errors } = await run('status', [], null)
  expect(errors).toBe('')
  expect(out.split('\n')).toEqual([
    `contract     ${delivery.address}`,
    'state        delivering',
    `owner        ${owner.address}`,
    'guardian     none',
    'delay        0 hours',
    'generation   1 of 5',
    'predecessor  none',
    'relayers',
    `  ${relayer.address}  1000 of 1000 pieces now, 3000 a day, 10000 ETH`,
    'in 24 hours  at most, the smallest number counts',
    `  relayer ${relayer.address}  4000 pieces: 1000 now, 3000 flow back`,
    // The local chain has no time of its own between blocks.
    expect.stringMatching(/^ {2}blocks {2}/),
    '  mails about orders  1000',
    'to raise     limits: 0 hours before (set-relayer, set-token-limit), or use the keys of standby relayers; mails: days before, with the plan of Cloudflare; fees: the next deployment',
    'tokens       2 for sale',
    `  ${erc1155}  no limit`,
    `  ${missing}  no limit`,
    'deliveries   2 of 2 tried not possible',
    `  ${erc1155} 2 of ${owner.address}: ${rules.holder_not_approved.sentence}: ERC1155: caller is not token owner or approved (holder_not_approved)`,
    `  ${missing} 1 of ${owner.address}: ${rules.token_not_deployed.sentence} (token_not_deployed)`,
    '',
  ])
})

it('reads networks that are a secret from the environment, and asks the next node if one is down', async () => {
  await configureNew()
  await writeFile(
    'wrangler.toml',
    commands.toml.replace(/\[vars\.NETWORKS\.localhost\]\n([^\n]+\n)+/, ''),
  )
  const rpcUrls = ['http://127.0.0.1:1', commands.rpcUrl]
  const network = { chainId: 31337, rpcUrls, delivery: delivery.address }
  const env = {
    NETWORKS: JSON.stringify({ l2: network }),
    DELIVERY_OWNER_KEY: toPrivateKey(owner),
  }
  const { out } = await call(contract, ['pause', '--network', 'l2'], env)
  expect(out).toContain('state        paused')
  const without = await call(contract, ['status', '--network', 'l2'])
  expect(without.errors).toContain('set the environment variable NETWORKS')
})

it('says that a network has no Delivery contract', async () => {
  await commands.configure('<address of the Delivery contract>')
  expect((await run('status', [], null)).errors).toContain(
    'The network localhost has no Delivery contract.',
  )
  const tokens = { seller: stranger, operator: zeroAddress, uniques: 0, editions: [] }
  const { erc721 } = await deployCollectibles(commands.rpcUrl, tokens)
  await commands.configure(erc721)
  expect((await run('status', [], null)).errors).toContain(
    `The contract at ${erc721} on localhost is not a Delivery contract.`,
  )
})

it('says which settings of a network are invalid, without their values', () => {
  const settings = { chainId: 0, rpcUrls: ['secret'], delivery: '<address>', treasury: '0x12' }
  expect(() => parseNetwork('local', { ...settings, maxFeePerGasGwei: 0 })).toThrow(
    /^The settings of the network local are invalid: chainId: must be at least 1; rpcUrls\.0: must be a URL; maxFeePerGasGwei: must be more than 0; treasury: must be an address$/,
  )
})

it.each([
  [['destroy', '--network', 'localhost'], 'usage:'],
  [['status'], '--network is missing.'],
  [['status', '--network', 'localhost', '--remote'], '--remote needs --env.'],
  [['status', '--network', 'none'], 'There is no network "none". The networks are: localhost.'],
  [
    ['transfer-ownership', '--network', 'localhost', '--owner', zeroAddress],
    '--owner must not be the zero address or a precompile',
  ],
  [
    [
      ...['remove-relayer', '--network', 'localhost'],
      ...['--relayer', '0xf39fd6e51aad88F6F4ce6aB8827279cffFb92267'],
    ],
    '--relayer has a wrong checksum (EIP-55)',
  ],
  [
    ['set-relayer', '--network', 'localhost', '--relayer', relayer.address, '--per-day', '1'],
    '--capacity must be a whole number from 1, not "".',
  ],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(contract, args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
  expect(errors).not.toContain('    at ')
})
