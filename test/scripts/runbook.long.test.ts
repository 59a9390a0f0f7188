/**
 * Runs every command of docs/runbook.md against a local instance, in the order of the document. The
 * remote database of the commands is that of the instance.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { parseEnv } from 'node:util'
import { generateX25519Identity, identityToRecipient } from 'age-encryption'
import { decodeJwt } from 'jose'
import { type Address, createTestClient, http, publicActions, walletActions } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { foundry } from 'viem/chains'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { localAccount, toPrivateKey } from '../../scripts/local/chain/accounts.ts'
import { environment } from '../support/environment.ts'
import { PATIENCE } from '../support/patience.ts'
import { aFreePort, aProject, databaseFile } from '../support/project.ts'
import { queryInstance } from '../support/query.ts'
import { type AccountProject, anAccountProject } from '../support/wrangler/account.ts'

const owner = localAccount(5)
const relayer = localAccount(0)
const standbyKey = `0x${'5a'.repeat(32)}` as const
const standby = privateKeyToAccount(standbyKey)
const backupKey = await generateX25519Identity()
const WORKER = 'marketplace-api'
const DATABASE = '00000000-0000-0000-0000-000000000000'

let marketplace: Awaited<ReturnType<typeof aMarketplace>>
let account: AccountProject
let rpcUrl: string
let delivery: Address

const runbook = readFileSync('docs/runbook.md', 'utf8')

/** The commands of each section. */
const sections = new Map(
  runbook
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n')
      const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, code = '']) => code)
      return [title, blocks] as const
    }),
)

beforeAll(async () => {
  marketplace = await aMarketplace()
  account = await anAccountProject()
  rpcUrl = marketplace.rpcUrl
  delivery = (
    await readFile(join(marketplace.folder, '.wrangler/state/delivery'), 'utf8')
  ).trim() as Address
  const toml = (await readFile('wrangler.toml', 'utf8'))
    .replaceAll(/\[env\.\w+\.vars\.NETWORKS\.\w+\]\n([^\n]+\n)+/g, '')
    .replaceAll(/"<from[^"]*"/g, `"${DATABASE}"`)
    .replaceAll('https://marketplace.example.com', marketplace.url)
    .replaceAll('example.com', 'example.org')
    // Local development has a contract of its own.
    .replace(delivery, `0x${'de'.repeat(20)}`)
  await account.reset([toml, networkToml()].join('\n'), {
    databases: [{ uuid: DATABASE, name: 'marketplace' }],
    buckets: { 'marketplace-avatars': [], 'marketplace-content': [] },
    queues: {
      'marketplace-deliveries': [WORKER],
      'marketplace-webhooks': [WORKER],
      'marketplace-master-webhooks': [WORKER],
    },
    workers: {
      [WORKER]: {
        secrets: ['JWT_KEYS', 'TRANSFER_SIGNER_KEYS', 'DELIVERY_KEY_SECRET', 'CODE_KEYS'],
        versions: ['version-1', 'version-2'],
      },
    },
    senders: ['example.org'],
  })
  await symlink(databaseFile(marketplace.folder), join(account.folder, 'remote.sqlite'))
  await cancelDemoOrders()
}, 120_000)

afterAll(async () => {
  await marketplace.close()
  await account.remove()
})

/** An instance of its own, because the commands pause its contract and restore its database. */
async function aMarketplace() {
  const project = await aProject()
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  await project.start('dev', 'Press Ctrl-C to stop', ports)
  const master = await project.run('token', ['--master'])
  return {
    folder: project.folder,
    url: `http://localhost:${ports.PORT}`,
    rpcUrl: `http://127.0.0.1:${ports.RPC_PORT}`,
    token: master.out.trim(),
    close: project.remove,
  }
}

const networkToml = () => `[env.production.vars.NETWORKS.ethereum]
chainId = 31337
rpcUrls = ["${rpcUrl}"]
delivery = "${delivery}"
finality = 1
maxFeePerGasGwei = 500
maxPriorityFeePerGasGwei = 50
`

/** Runs a block of commands with these variables, and returns what it has printed. */
async function run(
  code: string,
  variables: Record<string, string> = {},
  input = '',
): Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail', '-c', code], {
    cwd: account.folder,
    env: environment({
      PATH: `${join(account.folder, 'node_modules/.bin')}:${environment().PATH}`,
      URL: marketplace.url,
      TOKEN: marketplace.token,
      ...variables,
    }),
  })
  child.stdin.end(input)
  const [out, errors, [status]] = await Promise.all([
    text(child.stdout),
    text(child.stderr),
    once(child, 'close'),
  ])
  if (status !== 0) throw new Error(`${code} exited with ${status}: ${errors}`)
  return out
}

/** What the commands read from the terminal, by the name of the variable. */
const typed: Record<string, () => string> = {
  TOKEN: () => marketplace.token,
  DELIVERY_OWNER_KEY: () => toPrivateKey(owner),
  TRANSFER_SIGNER_KEYS: () => toPrivateKey(relayer),
  BACKUP_KEY: () => backupKey,
}

/** Runs a block as in the terminal of its section: what was typed before is still set. */
const runBlock = (code = '', variables: Record<string, string> = {}) => {
  const input = [...code.matchAll(/read -rs (\w+)/g)].map(([, name = '']) => typed[name]?.())
  const DELIVERY_OWNER_KEY = toPrivateKey(owner)
  return run(code, { DELIVERY_OWNER_KEY, ...variables }, `${input.join('\n')}\n`)
}

/** Runs all blocks of a section, and returns what each has printed. */
async function runAll(title: string, variables?: Record<string, string>) {
  const outs: string[] = []
  for (const code of sections.get(title) ?? []) outs.push(await runBlock(code, variables))
  return outs
}

const node = () =>
  createTestClient({ chain: foundry, mode: 'anvil', transport: http(rpcUrl) })
    .extend(publicActions)
    .extend(walletActions)

const runCron = () => fetch(`${marketplace.url}/cdn-cgi/local/scheduled`)

const send = (path: string, token: string, init: RequestInit = {}) =>
  fetch(marketplace.url + path, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  })

type Order = {
  id: number
  failReason: string | null
  orderItems: { id: number; status: string | null; txId: string | null }[]
}

async function callOrders(path: string, init?: RequestInit): Promise<Order> {
  const response = await send(`/api/externalOrders${path}`, marketplace.token, init)
  const { orders } = (await response.json()) as { orders: Order[] | null }
  const [order] = orders ?? []
  if (!order) throw new Error(`no order: ${response.status}`)
  return order
}

/** The alarms that last, after a cron run. Health is cached for 10 seconds. */
async function alarms(): Promise<string[]> {
  await runCron()
  const rows = await query<{ name: string }>('SELECT name FROM alarms ORDER BY name')
  return rows.map(({ name }) => name)
}

/** The key and the version of the alarm that lasts, as an operator reads them. */
async function seen() {
  const [alarm] = await query<{ key: string; version: number }>('SELECT key, version FROM alarms')
  return { KEY: alarm?.key ?? '', VERSION: `${alarm?.version}` }
}

/** Acknowledges the alarm that lasts, as the section of foreign transactions says. */
async function acknowledge() {
  const [, code] = sections.get('Foreign transaction') ?? []
  return runBlock(code, await seen())
}

async function acknowledgeAll(): Promise<void> {
  await query('UPDATE findings SET acknowledgedAt = seenAt')
  expect(await alarms()).toEqual([])
}

const query = <Row>(statement: string) => queryInstance<Row>(marketplace.url, statement)

async function order(providerId: string, buyerUserId = 3): Promise<number> {
  const buyerBillingData = { city: 'Bonn', country: 'DE', postal: '53111', street: 'Markt 1' }
  const order = { nftId: 2, listingId: 2, quantity: 1, buyerUserId, buyerBillingData, providerId }
  const body = JSON.stringify([order])
  return (await callOrders('', { method: 'POST', body })).id
}

const orderOf = (id: number) => callOrders(`/${id}`)

const waitForStatus = (orderId: number, status: string) =>
  vi.waitUntil(
    async () => {
      await runCron()
      const [item] = (await orderOf(orderId)).orderItems
      return item?.status === status && item
    },
    { timeout: PATIENCE, interval: 500 },
  )

const waitForCancellation = (orderId: number) =>
  vi.waitUntil(
    async () => {
      await runCron()
      return (await orderOf(orderId)).failReason === 'cancelled'
    },
    { timeout: PATIENCE, interval: 500 },
  )

/** Cancels what the demo cannot deliver: an order that failed keeps its alarm raised. */
async function cancelDemoOrders() {
  const rows = await query<{ id: number }>(
    "SELECT id FROM orders WHERE providerId IN ('demo-failed', 'demo-on-its-way')",
  )
  expect(rows).toHaveLength(2)
  for (const { id } of rows) {
    await callOrders(`/${id}/cancel`, { method: 'POST', body: '{}' })
    await waitForCancellation(id)
  }
}

/** Runs `change`, and sets the chain back to what it was. */
async function onACopyOfTheChain(change: () => Promise<void>) {
  const snapshot = await node().snapshot()
  try {
    await change()
  } finally {
    await node().revert({ id: snapshot })
  }
}

const contract = (action: string) =>
  run(`npm run contract -- ${action} --network ethereum --env production`, {
    DELIVERY_OWNER_KEY: toPrivateKey(owner),
  })

/** By the title of the section. Of the others, each command must succeed. */
const checks: Record<string, () => Promise<void>> = {
  'Not serving': async () => {
    const [out] = await runAll('Not serving')
    expect(out).toContain('"version_id":"version-2"')
    for (const secret of ['JWT_KEYS', 'TRANSFER_SIGNER_KEYS', 'DELIVERY_KEY_SECRET', 'CODE_KEYS'])
      expect(out).toContain(`"name": "${secret}"`)
    expect(out).toContain('No migrations to apply!')
  },

  'Signer low': async () => {
    const [out] = await runAll('Signer low')
    expect(out).toMatch(new RegExp(`${relayer.address}  \\d+ of \\d+ pieces now, \\d+ a day, `))
  },

  'Fees above cap': async () => {
    const [out] = await runAll('Fees above cap')
    expect(out).toMatch(/"gasPrice":"\d+"/)
  },

  'Contract paused': async () => {
    await contract('pause')
    expect(await alarms()).toEqual(['contract_paused'])
    const [out] = await runAll('Contract paused')
    expect(out).toMatch(/state {8}paused[\s\S]*state {8}delivering/)
    expect(await alarms()).toEqual([])
  },

  'No relayer': async () => {
    await contract(`remove-relayer --relayer ${relayer.address}`)
    expect(await alarms()).toEqual(['contract_changed', 'no_relayer', 'relayer_removed'])
    const [out] = await runAll('No relayer', { RELAYER: relayer.address })
    expect(out).toContain(`${relayer.address}  500 of 500 pieces now, 3000 a day`)
    expect(await alarms()).toEqual(['contract_changed'])
    await acknowledgeAll()
  },

  'Relayer removed': async () => {
    await contract(`remove-relayer --relayer ${relayer.address}`)
    expect(await alarms()).toContain('relayer_removed')
    const [out] = await runAll('Relayer removed', { KEYS: toPrivateKey(relayer) })
    expect(out).toContain('Uploaded secret TRANSFER_SIGNER_KEYS')
    await contract(`set-relayer --relayer ${relayer.address} --capacity 500 --per-day 3000`)
    expect(await alarms()).toEqual(['contract_changed'])
    await acknowledgeAll()
  },

  'Deliveries delayed': async () => {
    const [out] = await runAll('Deliveries delayed')
    expect(out).toBe(`${'{"transfers":[],"nextCursor":null}'.repeat(2)}{"changed":0}`)
  },

  'Deliveries failed': async () => {
    // A contract wallet of another chain, which has signed in, cannot get the NFT.
    await query('UPDATE users SET walletChainId = 1, lastAccessAt = createdAt WHERE id = 4')
    const id = await order('unlucky', 4)
    const item = await waitForStatus(id, 'failed')
    expect(await alarms()).toEqual(['deliveries_failed'])
    const [listing, cancelling, writingOff] = sections.get('Deliveries failed') ?? []
    const ITEM = String(item.id)
    const retried = await runBlock(listing)
    const cancelled = await runBlock(cancelling, { ITEM })
    expect(retried).toContain(`"id":${item.id},"orderId":${id}`)
    expect(retried).toContain('{"changed":1}')
    expect(cancelled).toContain('"requestedAction":"cancel"')
    await waitForCancellation(id)
    expect(await alarms()).toEqual([])
    const usedUp = "state = 'failed', reasonCode = 'token_moved_nothing'"
    await query(`UPDATE deliveries SET ${usedUp} WHERE id = ${ITEM}`)
    expect(await runBlock(writingOff, { ITEM })).toContain('"status":"written_off"')
    expect(await alarms()).toEqual([])
  },

  'Sales stopped': async () => {
    const stopped =
      "obstacle = 'token_not_transferable', obstacleSince = '2026-01-01T00:00:00.000Z'"
    await query(`UPDATE listings SET ${stopped} WHERE id = 1`)
    const [out] = await runAll('Sales stopped')
    expect(out).toMatch(/"id":1,"nftId":\d+,"sellerId":\d+,"obstacle":"token_not_transferable"/)
    expect(out).toContain(`contract     ${delivery}`)
    await query('UPDATE listings SET obstacle = NULL, obstacleSince = NULL')
  },

  'Foreign transaction': async () => {
    const hash = await node().sendTransaction({ account: relayer.address, to: owner.address })
    await node().waitForTransactionReceipt({ hash })
    expect(await alarms()).toEqual(['foreign_transaction'])
    const [listed] = await runAll('Foreign transaction', { BLOCK: '0', ...(await seen()) })
    expect(listed).toContain(relayer.address)
    expect(await alarms()).toEqual([])
  },

  'Unrequested cancellation': async () => {
    const key = 'unrequested_cancellation:31337'
    await query(
      `INSERT INTO findings (chainId, key, detail, nodes, seenAt) VALUES (31337, '${key}', '', '[]', '')`,
    )
    expect(await alarms()).toEqual(['unrequested_cancellation'])
    const [out] = await runAll('Unrequested cancellation', { BLOCK: '0' })
    expect(out).toMatch(/All \d+ keys that were used .* were ordered by this instance/)
    expect(await acknowledge()).toContain(`{"acknowledged":{"key":"${key}","version":`)
    expect(await alarms()).toEqual([])
  },

  'Contract changed': async () => {
    await contract(`set-relayer --relayer ${localAccount(8).address} --capacity 5 --per-day 5`)
    expect(await alarms()).toEqual(['contract_changed'])
    const [out] = await runAll('Contract changed')
    expect(out).toContain(`${localAccount(8).address}  5 of 5 pieces now`)
    expect(await acknowledge()).toContain(
      '{"acknowledged":{"key":"contract_changed:31337","version":',
    )
    expect(await alarms()).toEqual([])
  },

  'Signer has code': async () => {
    const [out] = await runAll('Signer has code')
    expect(out).toContain(relayer.address)
  },

  'Token ends': async () => {
    const { jti = '' } = decodeJwt(marketplace.token)
    const daysOfLife = 345
    const age = (days: number) =>
      query(`UPDATE tokens SET lastUsedAt = strftime('%Y-%m-%dT%H:%M:%fZ'),
        createdAt = strftime('%Y-%m-%dT%H:%M:%fZ', createdAt, '${-days} days'),
        expiresAt = strftime('%Y-%m-%dT%H:%M:%fZ', expiresAt, '${-days} days') WHERE id = '${jti}'`)
    await age(daysOfLife)
    // The state may be ten seconds old.
    const out = await vi.waitUntil(
      () =>
        runAll('Token ends').then(
          ([printed]) => printed,
          () => false,
        ),
      { timeout: PATIENCE, interval: 1000 },
    )
    expect(out).toContain(`marketplace_token_ends_timestamp_seconds{token="${jti}",role="master"} `)
    await age(-daysOfLife)
  },

  Test: async () => {
    await account.change({ senders: ['example.com'] })
    const [out] = await runAll('Test')
    expect(out).toContain('│ example.com │ yes │')
    expect(out).toContain('"lastRunAt":"2')
  },

  'Leaked token': async () => {
    const { JWT_KEYS = '' } = parseEnv(readFileSync(join(marketplace.folder, '.dev.vars'), 'utf8'))
    const issue = 'npm run --silent token -- --master --name leaked --remote --env production'
    const token = (await run(issue, { JWT_KEYS })).trim()
    const { jti = '' } = decodeJwt(token)
    expect((await send('/api/externalOrders', token)).status).toBe(200)
    await runAll('Leaked token', { TOKEN_ID: jti })
    expect((await send('/api/externalOrders', token)).status).toBe(401)
  },

  'Leaked JWT key': async () => {
    const [out] = await runAll('Leaked JWT key')
    expect(out).toContain('Uploaded secret JWT_KEYS')
    expect(out).toContain('{"keys":[{"kty":"OKP"')
    const { values } = await account.read()
    expect(JSON.parse(values?.JWT_KEYS ?? '').keys).toHaveLength(1)
  },

  'Leaked relayer key': () =>
    onACopyOfTheChain(async () => {
      await contract(`set-relayer --relayer ${standby.address} --capacity 500 --per-day 3000`)
      const variables = {
        RELAYER: relayer.address,
        BLOCK: '0',
        KEYS: standbyKey,
        NEW_RELAYER: localAccount(9).address,
      }
      const [stopped, restarted, renewed] = await runAll('Leaked relayer key', variables)
      expect(stopped).toMatch(new RegExp(`state {8}paused[\\s\\S]*${relayer.address}  removed`))
      expect(stopped).toMatch(/All \d+ keys that were used .* were ordered by this instance/)
      expect((await account.read()).values?.TRANSFER_SIGNER_KEYS).toBe(standbyKey)
      expect(restarted).toMatch(
        new RegExp(`state {8}delivering[\\s\\S]*${standby.address}  500 of 500 pieces now`),
      )
      expect(renewed).toMatch(/^0x[0-9a-f]{64}$/m)
      expect(renewed).toContain(`${variables.NEW_RELAYER}  500 of 500 pieces now, 3000 a day`)
    }),

  'Leaked owner key': () =>
    onACopyOfTheChain(async () => {
      const [status, retired] = await runAll('Leaked owner key')
      expect(status).toContain(`contract     ${delivery}`)
      expect(retired).toContain('state        retired')
    }),

  'Restore the database': async () => {
    const source = new DatabaseSync(databaseFile(marketplace.folder))
    await backup(source, join(account.folder, 'snapshot.sqlite'))
    source.close()
    const first = await waitForStatus(await order('restored'), 'transferred')
    const [setBack, create, restore, pictures] = sections.get('Restore the database') ?? []
    const out = await runBlock(setBack, { TIME: new Date().toISOString() })
    expect(out).toContain('Time travel restored the database')
    expect(await query("SELECT id FROM orders WHERE providerId = 'restored'")).toEqual([])
    const second = await waitForStatus(await order('restored'), 'transferred')
    expect(second.txId).toBe(first.txId)

    await run('npm run backup -- production.age --remote --env production', {
      BACKUP_PUBLIC_KEY: await identityToRecipient(backupKey),
    })
    expect(await runBlock(create)).toContain("Successfully created DB 'marketplace-2'")
    // A new database in place of that of the instance.
    const remote = join(account.folder, 'remote.sqlite')
    await rm(remote)
    const restored = await runBlock(restore)
    expect(restored).toContain('Restored production.age.')
    expect(restored).toContain('Uploaded marketplace-api')
    expect(restored).toMatch(/^replication +marketplace: off\./m)
    expect(restored).toContain('{"status":"ok"')
    const number = "SELECT count(*) AS n FROM orders WHERE providerId = 'restored'"
    expect(new DatabaseSync(remote).prepare(number).get()).toEqual({ n: 1 })
    expect(await runBlock(pictures)).toContain('"success":true')
    await rm(remote)
    await symlink(databaseFile(marketplace.folder), remote)
  },

  'Roll back a version': async () => {
    const [out] = await runAll('Roll back a version', { VERSION: 'version-1' })
    expect(out).toContain('SUCCESS  Worker Version version-1 has been deployed')
    expect(out).toContain('{"status":"ok"')
  },

  'Move to another contract': () =>
    onACopyOfTheChain(async () => {
      const [first, second] = sections.get('Move to another contract') ?? []
      const RELAYERS = `${relayer.address},${standby.address}`
      const GUARDIAN = localAccount(9).address
      const out = await runBlock(first, { RELAYERS, GUARDIAN })
      const [, successor = ''] = /^delivery = "(0x\w{40})"$/m.exec(out) ?? []
      const toml = await account.readText('wrangler.toml')
      await writeFile(join(account.folder, 'wrangler.toml'), toml.replace(delivery, successor))
      const moved = await runBlock(second)
      expect(moved).toContain(`predecessor  ${delivery}`)
      expect(moved).toContain('Uploaded marketplace-api')
      expect(moved).toContain(`guardian     ${GUARDIAN}`)
      expect(moved).toContain('deliveries   0 of 0 tried not possible')
    }),

  'A person asks for their data': async () => {
    await runAll('A person asks for their data', { USER_ID: '4' })
    const file = join(account.folder, 'person.json')
    expect((statSync(file).mode & 0o777).toString(8)).toBe('600')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ user: { id: 4 } })
    expect(await query('SELECT email, ethereumPublicAddr, name FROM users WHERE id = 4')).toEqual([
      { email: '', ethereumPublicAddr: '', name: null },
    ])
  },
}

it('has the section of every check', () => {
  expect([...sections.keys()]).toEqual(expect.arrayContaining(Object.keys(checks)))
})

it.each([...sections.keys()])('%s', { timeout: 120_000 }, async (title) => {
  const check = checks[title]
  if (check) return check()
  for (const out of await runAll(title)) expect(out).not.toContain('"success":false')
})
