import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { promisify } from 'node:util'
import { createPublicClient, http, parseEventLogs, zeroAddress } from 'viem'
import { expect, it, vi } from 'vitest'
import { localAccount } from '../../scripts/local/chain/accounts.ts'
import { erc1155Abi } from '../../scripts/local/chain/collectibles.ts'
import {
  aDevProject,
  FIRST_ORDER,
  READY,
  readItem,
  runExample,
  waitForTransfer,
} from '../support/dev.ts'
import { environment } from '../support/environment.ts'
import { PATIENCE } from '../support/patience.ts'
import { aFreePort, databaseFile, tokenIn } from '../support/project.ts'

const { project, ports } = await aDevProject()

/** Returns the id and the command of each process that descends from this one. */
function descendantsOf(parent: number | undefined): string[] {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((row) => row.trim().split(/\s+/))
  const below = (id: string): string[] =>
    rows
      .filter(([, ppid]) => ppid === id)
      .flatMap(([pid = '', , ...args]) => [`${pid} ${args.join(' ')}`, ...below(pid)])
  return below(String(parent))
}

const isRunning = (process: string) => {
  const [pid = ''] = process.split(' ')
  try {
    return execFileSync('ps', ['-p', pid, '-o', 'stat='], { encoding: 'utf8' })[0] !== 'Z'
  } catch {
    return false
  }
}

/** Lets the chains of the stopped instance be held by a run for an hour. */
async function leaseNetworks() {
  const database = new DatabaseSync(databaseFile(project.folder))
  const later = new Date(Date.now() + 60 * 60 * 1000).toISOString()
  const lease = database.prepare('UPDATE networks SET lease = ?, leaseUntil = ?, wakeAt = ?')
  expect(lease.run('of a run', later, later).changes).toBe(1)
  database.close()
}

const placeOrder = (token: string, order: object) =>
  fetch(`http://localhost:${ports.PORT}/api/externalOrders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify([order]),
  })

/**
 * Runs the commands of the first order in README.md, and returns the answer of the last one. This
 * process reads the log of the instance meanwhile, which would stand still if nobody did.
 */
async function runReadme() {
  const [, section = ''] =
    /^## Place your first order\n(.*?)^## /ms.exec(readFileSync('README.md', 'utf8')) ?? []
  const blocks = [...section.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block = '']) => block)
  const [place = '', read = '', receipt = ''] = blocks
  const { PORT, RPC_PORT } = ports
  const placeHere = place.replace('PORT=8787 RPC_PORT=8545', `PORT=${PORT} RPC_PORT=${RPC_PORT}`)
  const wait = `until (${read}) | grep -q transferred; do :; done`
  const script = [placeHere, wait, receipt].join('\n')
  const options = { cwd: project.folder, env: environment() }
  const { stdout } = await promisify(execFile)('sh', ['-c', script], options)
  return JSON.parse(stdout)
}

/** An address as a topic of a log. */
const toTopic = (address: string) => `0x${address.slice(2).toLowerCase().padStart(64, '0')}`

/** Returns the states of the demo's orders, by their numbers. */
async function readDemoStates(token: string): Promise<Record<string, string>> {
  const response = await fetch(`http://localhost:${ports.PORT}/api/admin/transfers`, {
    headers: { authorization: `Bearer ${token}` },
  })
  const { transfers }: { transfers: { providerId: string | null; status: string }[] } =
    await response.json()
  return Object.fromEntries(
    transfers.flatMap(({ providerId, status }) =>
      providerId?.startsWith('demo-') ? [[providerId, status]] : [],
    ),
  )
}

/** Sends requests until one is answered. */
const firstAnswer = (path: string) =>
  vi.waitUntil(
    () =>
      fetch(`http://localhost:${ports.PORT}${path}`).then(
        (r) => r.json(),
        () => false,
      ),
    { timeout: PATIENCE, interval: 50 },
  )

it('starts a marketplace whose printed examples lead to a transfer on the chain', async () => {
  const stats = firstAnswer('/api/public/stats')
  const { process, out, waitFor } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, created')
  expect(out).toContain('contract   0x0116686E2291dbd5e317F47faDBFb43B599786Ef')
  // The port was closed while there was nothing to answer with.
  // Two of the demo and the outcomes are unlisted.
  expect(await stats).toEqual({
    stats: { nfts: { total: 13, unique: 1, rare: 10, unlimited: 2 } },
  })
  expect(runExample(out)).toMatchObject({
    orders: [{ id: FIRST_ORDER, status: 'paid' }],
    error: null,
  })

  const item = await waitForTransfer(tokenIn(out), ports.PORT)
  const chain = createPublicClient({ transport: http(`http://127.0.0.1:${ports.RPC_PORT}`) })
  const receipt = await chain.getTransactionReceipt({ hash: item.txId })
  // The transaction may have orders of the demo too.
  const transfers = parseEventLogs({ abi: erc1155Abi, logs: receipt.logs }).map(({ args }) => args)
  expect(transfers).toContainEqual(
    expect.objectContaining({ to: localAccount(3).address, id: 2n, value: 1n }),
  )

  // NFT 3 is minted on delivery.
  await placeOrder(tokenIn(out), { nftId: 3, listingId: 3, quantity: 2, buyerUserId: 3 })
  const { txId } = await waitForTransfer(tokenIn(out), ports.PORT, FIRST_ORDER + 1)
  const { logs } = await chain.getTransactionReceipt({ hash: txId })
  expect(parseEventLogs({ abi: erc1155Abi, logs })[0]?.args).toMatchObject({
    from: zeroAddress,
    to: localAccount(3).address,
    id: 3n,
    value: 2n,
  })

  // These commands open the database of the running server.
  const { out: token } = await project.run('token', ['--user', '3'])
  expect(await readItem(token.trim(), ports.PORT)).toMatchObject({ status: 'transferred' })
  const exported = await project.run('export', ['--user', '3', 'person.json'])
  expect(exported.out).toContain('Wrote the data of user 3, with 7 orders, to person.json.')

  const { result } = await runReadme()
  const recipient = result.logs[0].topics.at(-1)
  expect([result.status, recipient]).toEqual(['0x1', toTopic(localAccount(3).address)])

  const log = (await waitFor(/GET .* user 3 /)).slice(out.length)
  expect(log).toMatch(
    /^\d\d:\d\d:\d\d {2}POST \/api\/externalOrders {2}200 {2}\d+ ms {2}master \(user 1\) · req \w{8}$/m,
  )
  expect(log).toMatch(/GET \/api\/externalOrders\/7 {2}200 {2}\d+ ms {2}user 3 · req \w{8}$/m)
  expect(log).toMatch(/^\d\d:\d\d:\d\d {2}items_transferred {2}chainId 31337 · items \d+$/m)
  expect(log).not.toContain('{"event"')

  const second = await project.run('dev', [], {
    PORT: await aFreePort(),
    RPC_PORT: await aFreePort(),
  })
  expect(second).toEqual({
    out: '',
    errors: `\`npm run dev\` is already running in this folder (process ${process.pid}, http://localhost:${ports.PORT}). \`kill ${process.pid}\` ends it.\n`,
    status: 1,
  })

  const processes = descendantsOf(process.pid)
  for (const part of ['anvil', 'workerd'])
    expect(processes.some((description) => description.includes(part))).toBe(true)
  process.kill('SIGTERM')
  expect(await once(process, 'close')).toEqual([0, null])
  expect(processes.filter(isRunning)).toEqual([])
})

it('keeps its state and the token of its shop after a restart, and mails links to the log', async () => {
  await leaseNetworks()
  const { process, out, waitFor } = await project.start('dev', READY, ports)
  expect(out).toContain('demo, unchanged')
  expect(await readItem(tokenIn(out), ports.PORT)).toMatchObject({ status: 'transferred' })
  const master = await project.run('token', ['--master'])
  // The demo has an order in each state that buyers see.
  await expect
    .poll(() => readDemoStates(master.out.trim()), { timeout: PATIENCE })
    .toEqual({
      'demo-awaiting-wallet': 'awaiting_wallet',
      'demo-on-its-way': 'queued',
      'demo-minted': 'transferred',
      'demo-delivered': 'transferred',
      'demo-failed': 'failed',
      'demo-cancelled': 'cancelled',
    })

  // A run that ended with the process before holds the chain no more.
  await placeOrder(tokenIn(out), { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 3 })
  await waitForTransfer(tokenIn(out), ports.PORT, FIRST_ORDER + 3)

  const body = new URLSearchParams({ email: 'bo@example.com' })
  await fetch(`http://localhost:${ports.PORT}/sign-in/email`, { method: 'POST', body })
  const log = await waitFor(/sign-in link/)
  const [, link = ''] = /sign-in link for bo@example\.com: (http:\S+)$/m.exec(log) ?? []
  const page = await fetch(link)
  expect({ status: page.status, text: await page.text() }).toEqual({
    status: 200,
    text: expect.stringContaining('bo@example.com'),
  })

  // Nothing can be done by a process that is killed. Its parts end all the same.
  const processes = descendantsOf(process.pid)
  process.kill('SIGKILL')
  await vi.waitUntil(() => !processes.some(isRunning), { timeout: PATIENCE, interval: 100 })
})

it('says what to do if its database is of an older version', async () => {
  const database = new DatabaseSync(databaseFile(project.folder))
  database.exec('CREATE TRIGGER old AFTER INSERT ON nfts BEGIN SELECT 1; END')
  database.close()
  const { errors, status } = await project.run('dev', [], ports)
  expect({ errors, status }).toEqual({
    errors:
      'The local database has tables of an older version, which cannot be migrated. Run `npm run dev -- --fresh` to delete its data and create it anew.\n',
    status: 1,
  })
})
