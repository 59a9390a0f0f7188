/** Items of a network that is not configured wait for it. */
import { env } from 'cloudflare:workers'
import { beforeEach, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { putOffUnconfigured } from '../../src/delivery/unconfigured.ts'
import { wakeDueChains } from '../../src/delivery/wake.ts'
import { readSettings } from '../../src/env.ts'
import { networksOf, rowOf } from '../support/delivery/engine.ts'
import { aMarket, aPaidItem, paidItems } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { db, execute } from '../support/makers.ts'

const logged = recordLogs()

const [here, gone] = [aMarket('here', 5), aMarket('gone', 6)]

const settingsOf = (...markets: (typeof here)[]) =>
  readSettings({ ...env, NETWORKS: networksOf(markets) } as never)

const edition = { standard: 'erc1155' } as const
const start = Date.now()
const at = (minutes: number) => new Date(start + minutes * 60_000)
const iso = (minutes: number) => at(minutes).toISOString()
const reasonCode = 'network_not_configured'

beforeEach(async () => {
  await db.delete(deliveries)
})

it('lets items of a removed network wait, with growing delays, and fails them after a day', async () => {
  const item = await aPaidItem(gone, edition)
  const other = await aPaidItem(here, edition)
  const putOff = (minutes: number) => putOffUnconfigured(db, settingsOf(here), at(minutes))
  await putOff(1)
  expect(await rowOf(item)).toMatchObject({
    ...{ state: 'queued', reasonCode, waitingSince: iso(1), dueAt: iso(1.25), version: 1 },
  })
  expect(await rowOf(other)).toMatchObject({ reasonCode: null, version: 0 })
  await putOff(1.2)
  expect(await rowOf(item)).toMatchObject({ version: 1 })
  await putOff(11)
  expect(await rowOf(item)).toMatchObject({ waitingSince: iso(1), dueAt: iso(21) })
  await putOff(201)
  expect(await rowOf(item)).toMatchObject({ waitingSince: iso(1), dueAt: iso(261) })
  await putOff(24 * 60)
  expect(await rowOf(item)).toMatchObject({ state: 'queued' })
  await putOff(25 * 60)
  expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode, dueAt: null })
  expect(logged('delivery_failed')).toMatchObject([{ itemId: item.id, reasonCode }])
})

it('delivers them at once when the network is back', async () => {
  const pinned = await aPaidItem(gone, edition)
  const without = await aPaidItem(here, { ...edition, network: 'gone' })
  expect(await rowOf(without)).toMatchObject({ chainId: null })
  await putOffUnconfigured(db, settingsOf(here), at(1))
  for (const item of [pinned, without])
    expect(await rowOf(item)).toMatchObject({ reasonCode, dueAt: iso(1.25) })
  await putOffUnconfigured(db, settingsOf(here, gone), at(1))
  for (const item of [pinned, without])
    expect(await rowOf(item)).toMatchObject({
      ...{ chainId: 6, reasonCode: null, waitingSince: null, dueAt: iso(1) },
    })
})

it('starts the day again for an item that waited for something else', async () => {
  const item = await aPaidItem(gone, edition)
  await db.update(deliveries).set({
    ...{ reasonCode: 'holder_not_approved', waitingSince: iso(-2 * 24 * 60) },
  })
  await putOffUnconfigured(db, settingsOf(here), at(1))
  expect(await rowOf(item)).toMatchObject({ state: 'queued', reasonCode, waitingSince: iso(1) })
})

it('never fails an item whose pieces have returned, nor forgets that they have', async () => {
  const item = await aPaidItem(gone, edition)
  const again = { requestedAction: 'cancel', reasonCode: 'cancelled' } as const
  await db.update(deliveries).set(again)
  await putOffUnconfigured(db, settingsOf(here), at(1))
  await putOffUnconfigured(db, settingsOf(here), at(3 * 24 * 60))
  expect(await rowOf(item)).toMatchObject({ ...again, state: 'queued', waitingSince: iso(1) })
})

it('never fails an item that is to be cancelled: a retry would deliver it', async () => {
  const item = await aPaidItem(gone, edition)
  const cancelling = { requestedAction: 'cancel', cancelRequestedAt: iso(0) } as const
  await db.update(deliveries).set(cancelling)
  await putOffUnconfigured(db, settingsOf(here), at(1))
  await putOffUnconfigured(db, settingsOf(here), at(3 * 24 * 60))
  expect(await rowOf(item)).toMatchObject({ ...cancelling, state: 'queued', reasonCode })
})

it('leaves what a transaction carries', async () => {
  const item = await aPaidItem(gone, edition)
  await db.update(deliveries).set({ state: 'in_flight', dueAt: null })
  await putOffUnconfigured(db, settingsOf(here), at(1))
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight', version: 0 })
})

it('wakes the chains on which somebody has a due item', async () => {
  const [, second] = await paidItems(here, [
    { ...edition, placer: 'account:1' },
    { ...edition, placer: 'account:2' },
  ])
  await aPaidItem(gone, edition)
  const wokenAt = async (minutes: number) => {
    const queue = aRecordingQueue()
    await wakeDueChains(queue.queue, db, settingsOf(here, gone), at(minutes))
    return queue.take().map(({ chainId }) => chainId)
  }
  await db.update(deliveries).set({ dueAt: iso(20) })
  await execute('UPDATE deliveries SET dueAt = ? WHERE id = ?', iso(10), second.id)
  expect(await wokenAt(9)).toEqual([])
  expect(await wokenAt(10)).toEqual([5])
  expect(await wokenAt(20)).toEqual([5, 6])
})

it('wakes a chain when the lease of a run ends that may have died', async () => {
  const lease = env.DB.prepare(`INSERT OR REPLACE INTO networks (chainId, lease, leaseUntil)
    VALUES (5, ?, ?)`)
  const delayOf = async (id: string | null, until: number) => {
    await lease.bind(id, iso(until)).run()
    const sent: unknown[] = []
    const queue = { sendBatch: async (messages: unknown[]) => void sent.push(...messages) }
    await wakeDueChains(queue as never, db, settingsOf(here), at(10))
    return sent
  }
  const message = (delaySeconds: number) => [{ body: { chainId: 5 }, delaySeconds }]
  expect(await delayOf('a run', 10.75)).toEqual(message(45))
  expect(await delayOf('a run', 11)).toEqual(message(60))
  expect(await delayOf('a run', 9)).toEqual(message(0))
  expect(await delayOf(null, 9)).toEqual([])
})
