import { readFile, writeFile } from 'node:fs/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/chain/accounts.ts'
import { type Anvil, startAnvil } from '../../scripts/chain/anvil.ts'
import { deployDelivery } from '../../scripts/chain/delivery.ts'
import { command as contract } from '../../scripts/contract.ts'
import { command as seed } from '../../scripts/seed.ts'
import { aFolder, aLocalDatabase, call, type Folder } from '../support/command.ts'

const owner = localAccount(0)
const relayer = localAccount(1)
/** Of the synthetic NFTs. */
const NO_CODE = '0x000000000000000000000000000000000000dEaD'

/** The section of wrangler.toml. */
const LOCAL_NETWORK = /\[vars\.NETWORKS\.localhost\]\n([^\n]+\n)+/

let anvil: Anvil
let folder: Folder
let toml: string
/** A new contract for each test, with one relayer. */
let delivery: string

beforeAll(async () => {
  anvil = await startAnvil({ port: 0 })
  folder = await aFolder()
  toml = await readFile('wrangler.toml', 'utf8')
})

afterAll(async () => {
  await anvil.stop()
  await folder.remove()
})

beforeEach(async () => {
  delivery = await deployDelivery(anvil.url, owner, { relayers: [relayer.address] })
  await configure(delivery)
})

/** Sets the address of the local network in wrangler.toml. */
function configure(address: string) {
  const network = `[vars.NETWORKS.localhost]\nchainId = 31337\nrpcUrls = ["${anvil.url}"]\ndelivery = "${address}"\n`
  return writeFile('wrangler.toml', toml.replace(LOCAL_NETWORK, network))
}

async function run(action: string, args: string[] = [], key: string = toPrivateKey(owner)) {
  const env = { DELIVERY_OWNER_KEY: key }
  const result = await call(contract, [action, '--network', 'localhost', ...args], env)
  expect(result.out + result.errors).not.toContain(key.slice(2) || 'no key')
  return result
}

const deployedBy = (out: string) => /^delivery = "(0x\w{40})"$/m.exec(out)?.[1] ?? ''

describe('deploy', () => {
  it('prints the address to configure, also while that is a placeholder', async () => {
    await configure('<address of the Delivery contract>')
    const { out, status } = await run('deploy')
    expect(status).toBe(0)
    expect(out).toContain(`Deployed a contract of ${owner.address}.`)
    await configure(deployedBy(out))
    expect((await run('pause')).out).toContain('state        paused')
  })

  it('replaces a contract that is retired, and no other', async () => {
    expect((await run('deploy')).errors).toContain(`deploy with --predecessor ${delivery}`)
    const successor = ['--predecessor', delivery]
    expect((await run('deploy', successor)).errors).toBe(
      `The contract at ${delivery} is not retired. Retire it first.\n`,
    )
    expect((await run('retire')).out).toContain('state        retired')
    const { out } = await run('deploy', successor)
    await configure(deployedBy(out))
    expect((await run('pause')).out).toContain(`predecessor  ${delivery}`)
  })
})

it('adds a relayer, changes its limit and removes it', async () => {
  const other = localAccount(3).address
  const limitOf = (out: string) => new RegExp(`^  ${other}  (.*)$`, 'm').exec(out)?.[1]
  const added = await run('add-relayer', ['--relayer', other])
  expect(limitOf(added.out)).toBe('0 of 10000 items today, 10000 ETH')
  const changed = await run('add-relayer', ['--relayer', other, '--per-day', '7'])
  expect(limitOf(changed.out)).toBe('0 of 7 items today, 10000 ETH')
  const removed = await run('remove-relayer', ['--relayer', other])
  expect(limitOf(removed.out)).toBe('removed, 10000 ETH')
})

it('stops deliveries and allows them again', async () => {
  expect((await run('pause')).out).toContain('state        paused')
  expect((await run('pause')).errors).toBe(
    'The transaction failed: the contract is paused already\n',
  )
  expect((await run('unpause')).out).toContain('state        delivering')
})

it('says that an account may not do it', async () => {
  const { errors } = await run('retire', [], toPrivateKey(relayer))
  expect(errors).toBe('The transaction failed: this account is not the owner of the contract\n')
  expect((await run('retire', [], '')).errors).toMatch(
    /^Set the environment variable DELIVERY_OWNER/,
  )
})

it('shows the state without a key, and the sellers who have not approved the contract', async () => {
  await aLocalDatabase()
  await call(seed, ['--users', '1', '--nfts', '3'])
  const { out, errors } = await run('status', [], '')
  expect(errors).toBe('')
  expect(out.split('\n')).toEqual([
    `contract     ${delivery}`,
    'state        delivering',
    `owner        ${owner.address}`,
    'predecessor  none',
    'relayers',
    `  ${relayer.address}  0 of 4294967295 items today, 10000 ETH`,
    'approvals    1 of 1 missing',
    `  0x9${'1'.padStart(39, '0')} has not approved the contract for ${NO_CODE}`,
    '',
  ])
})

it('reads networks that are a secret from the environment', async () => {
  await writeFile('wrangler.toml', toml.replace(LOCAL_NETWORK, ''))
  const NETWORKS = JSON.stringify({ l2: { chainId: 31337, rpcUrls: [anvil.url], delivery } })
  const env = { NETWORKS, DELIVERY_OWNER_KEY: toPrivateKey(owner) }
  const { out } = await call(contract, ['pause', '--network', 'l2'], env)
  expect(out).toContain('state        paused')
  const without = await call(contract, ['status', '--network', 'l2'])
  expect(without.errors).toContain('set the environment variable NETWORKS')
})

it.each([
  [['destroy', '--network', 'localhost'], 'usage:'],
  [['status', '--network', 'none'], 'There is no network "none". The networks are: localhost.'],
  [['status', '--network', 'x', '--env', 'none'], 'No environment found'],
  [['remove-relayer', '--network', 'localhost', '--relayer', '0x12'], 'must be an address'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(contract, args)
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
  expect(errors).not.toContain('    at ')
})
