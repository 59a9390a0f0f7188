/** `npm run dev` in a folder where it has run before. */
import { once } from 'node:events'
import { DatabaseSync } from 'node:sqlite'
import { expect, it, vi } from 'vitest'
import {
  aDevProject,
  descendantsOf,
  FIRST_ORDER,
  isRunning,
  placeOrder,
  READY,
  readItem,
  runExample,
  waitForTransfer,
} from '../support/dev.ts'
import { PATIENCE } from '../support/patience.ts'
import { databaseFile, tokenIn } from '../support/project.ts'

const { project, ports } = await aDevProject()

/** Lets the chains of the stopped instance be held by a run for an hour. */
function leaseNetworks() {
  const database = new DatabaseSync(databaseFile(project.folder))
  const later = new Date(Date.now() + 60 * 60 * 1000).toISOString()
  const lease = database.prepare('UPDATE networks SET lease = ?, leaseUntil = ?, wakeAt = ?')
  expect(lease.run('of a run', later, later).changes).toBe(1)
  database.close()
}

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
        (response) => response.json(),
        () => false,
      ),
    { timeout: PATIENCE, interval: 50 },
  )

it('keeps its state and the token of its shop after a restart', async () => {
  const stats = firstAnswer('/api/public/stats')
  const first = await project.start('dev', READY, ports)
  // The port was closed while there was nothing to answer with.
  // Two of the demo and the outcomes are unlisted.
  expect(await stats).toEqual({
    stats: { nfts: { total: 13, unique: 1, rare: 10, unlimited: 2 } },
  })
  runExample(first.out)
  await waitForTransfer(tokenIn(first.out), ports.PORT)
  const parts = descendantsOf(first.process.pid)
  for (const part of ['anvil', 'workerd'])
    expect(parts.some((description) => description.includes(part))).toBe(true)
  first.process.kill('SIGTERM')
  expect(await once(first.process, 'close')).toEqual([0, null])
  expect(parts.filter(isRunning)).toEqual([])
  leaseNetworks()
  const { process, out } = await project.start('dev', READY, ports)
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
  await placeOrder(tokenIn(out), ports.PORT, {
    nftId: 2,
    listingId: 2,
    quantity: 1,
    buyerUserId: 3,
  })
  await waitForTransfer(tokenIn(out), ports.PORT, FIRST_ORDER + 1)

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
