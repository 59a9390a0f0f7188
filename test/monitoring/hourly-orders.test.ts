/** Orders by hour. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { hourlyOrders } from '../../src/db/schema/operations.ts'
import { rollUpHours } from '../../src/monitoring/counting/hourly-orders.ts'
import { aMarket, aPaidItem, paidItems } from '../support/delivery/items.ts'
import { db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { lastIds, synthetic } from '../support/synthetic.ts'

const market = aMarket('localhost', 31337)
const edition = { standard: 'erc1155' } as const

const NOW = new Date('2026-03-02T12:30:00.000Z')

beforeEach(async () => {
  await db.delete(deliveries)
  await db.delete(hourlyOrders)
})

type Values = Partial<typeof deliveries.$inferInsert>

/** An item that was ordered at a time of 2 March 2026, as in `10:15`. */
async function anItem(time: string, values: Values = {}): Promise<number> {
  const { id } = await aPaidItem(market, edition)
  await set(id, { createdAt: at(time), ...values })
  return id
}
const set = (id: number, values: Values) =>
  db.update(deliveries).set(values).where(eq(deliveries.id, id))
const at = (time: string) => `2026-03-02T${time}:00.000Z`

const failed = { state: 'failed', dueAt: null } as const
const transferred = (updatedAt: string) =>
  ({ state: 'transferred', dueAt: null, updatedAt }) as const

async function hours(now = NOW) {
  await rollUpHours(db, now)
  return db.select().from(hourlyOrders).orderBy(hourlyOrders.hour)
}

it('counts what has become of the orders of an hour', async () => {
  expect(await hours()).toEqual([])
  const first = await anItem('10:00', failed)
  await anItem('10:01', { ...failed, state: 'cancelled' })
  await anItem('10:10', { state: 'in_flight', dueAt: null })
  await anItem('10:20')
  const last = await anItem('10:59', transferred('2026-03-02T10:59:30.250Z'))
  const waiting = await aPaidItem(market, { ...edition, recipient: null })
  await set(waiting.id, { createdAt: at('12:00') })
  const none = { transferred: 0, failed: 0, awaitingWallet: 0, underWay: 0, p50: null, p95: null }
  const updatedAt = NOW.toISOString()
  expect(await hours()).toEqual([
    {
      ...none,
      hour: at('10:00'),
      firstId: first,
      lastId: last,
      transferred: 1,
      failed: 1,
      underWay: 2,
      p50: 30_250,
      p95: 30_250,
      updatedAt,
    },
    {
      ...none,
      hour: at('12:00'),
      firstId: waiting.id,
      lastId: waiting.id,
      awaitingWallet: 1,
      updatedAt,
    },
  ])
})

it('takes the nearest rank for the median and the 95th percentile', async () => {
  const items = await paidItems(market, Array(20).fill(edition))
  for (const [i, { id }] of items.entries()) {
    const end = new Date(Date.parse(at('10:00')) + (20 - i) * 1000)
    await set(id, { createdAt: at('10:00'), ...transferred(end.toISOString()) })
  }
  expect(await hours()).toMatchObject([{ transferred: 20, p50: 10_000, p95: 19_000 }])
})

it('computes the two newest hours again, and adds new ones', async () => {
  const [older, newer] = [await anItem('09:00'), await anItem('10:00')]
  await hours()
  await set(older, transferred(at('11:00')))
  await set(newer, transferred(at('11:00')))
  const later = await anItem('10:30')
  await anItem('12:00')
  expect(await hours()).toMatchObject([
    { hour: at('09:00'), transferred: 1, underWay: 0 },
    { hour: at('10:00'), transferred: 1, underWay: 1, firstId: newer, lastId: later },
    { hour: at('12:00'), underWay: 1 },
  ])
})

it('computes in turn the older hours with open items: one under way, and one that waits or failed', async () => {
  const open = [await anItem('01:00'), await anItem('02:00'), await anItem('03:00', failed)]
  for (const time of ['04:00', '05:00']) await anItem(time, transferred(at('05:00')))
  await hours()
  for (const id of open) await set(id, transferred(at('05:00')))
  const openAt = async (minute: number) => {
    const rows = await hours(new Date(NOW.getTime() + minute * 60_000))
    return rows.map((row) => row.underWay + row.failed)
  }
  expect(await openAt(1)).toEqual([0, 1, 0, 0, 0])
  expect(await openAt(2)).toEqual([0, 0, 0, 0, 0])
})

it('never begins an hour again, whatever the clock said', async () => {
  for (const time of ['09:59', '10:00', '09:59']) await anItem(time)
  const numbers = async () => (await hours()).map(({ hour, underWay }) => [hour, underWay])
  const expected = [
    [at('09:00'), 1],
    [at('10:00'), 2],
  ]
  expect(await numbers()).toEqual(expected)
  expect(await numbers()).toEqual(expected)
})

it('counts an hour of many orders in ranges of 1,000, and reads few of them again', async () => {
  const before = await lastIds(env.DB)
  for (const sql of synthetic({ users: 1, nfts: 2, orders: 4500 }, before))
    await env.DB.prepare(sql).run()
  await db.update(deliveries).set({ createdAt: at('10:00'), updatedAt: at('10:01') })
  const first = before.orderItems + 1
  const ranges = async () =>
    (await hours()).map(({ firstId, lastId, transferred, failed }) => [
      ...[firstId - first, lastId - first],
      ...[transferred, failed],
    ])
  // A run looks at 4,000 items.
  const four = [0, 1000, 2000, 3000].map((start) => [start, start + 999, 980, 20])
  expect(await ranges()).toEqual(four)
  expect(await ranges()).toEqual([...four, [4000, 4499, 490, 10]])
  const { database, trips } = measured(env.DB)
  await rollUpHours(connect(database), NOW)
  expect(trips[0]?.rowsRead).toBeLessThan(4000)
  expect(await ranges()).toEqual([...four, [4000, 4499, 490, 10]])
})
