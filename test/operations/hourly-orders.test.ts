/** Orders by hour. */
import { eq } from 'drizzle-orm'
import { beforeEach, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { hourlyOrders } from '../../src/db/schema/operations.ts'
import { rollUpHours } from '../../src/operations/hourly-orders.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { db } from '../support/makers.ts'

const WALLET = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8'
const market = {
  name: 'localhost',
  chainId: 31337,
  contracts: { erc721: WALLET, erc1155: WALLET },
  seller: WALLET,
} as const
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

it('computes in turn the older hours that have open items', async () => {
  const open = [await anItem('01:00'), await anItem('02:00')]
  for (const time of ['03:00', '04:00']) await anItem(time, transferred(at('05:00')))
  await hours()
  for (const id of open) await set(id, transferred(at('05:00')))
  const underWay = async (minute: number) =>
    (await hours(new Date(NOW.getTime() + minute * 60_000))).map((row) => row.underWay)
  expect(await underWay(1)).toEqual([0, 1, 0, 0])
  expect(await underWay(2)).toEqual([0, 0, 0, 0])
})

it('computes two known and 24 new hours in a run, and the rest later', async () => {
  for (let i = 0; i < 30; i++)
    await anItem('00:00', { createdAt: new Date(Date.UTC(2026, 2, 1, i)).toISOString() })
  expect(await hours()).toHaveLength(26)
  expect(await hours()).toHaveLength(30)
})
