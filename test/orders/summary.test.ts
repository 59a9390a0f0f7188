import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import type { DeliveryState, deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { SummarizedOrder } from '../../src/orders/reading/order.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { OrderSummary as SummarySchema } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { bodiesOf } from '../support/events.ts'
import { aMasterToken, aToken, aTransaction, db, setRow } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { aShop, claimPathOf, placed, sold } from './shop.ts'

/** Returns the newest summary that a caller sees. */
async function newest(token: string): Promise<SummarizedOrder> {
  const list = call('GET', '/api/externalOrders?fields=summary&limit=1', { token })
  const { orders } = await answerOf<{ orders: SummarizedOrder[] }>(list)
  if (!orders[0]) throw new Error('there is no order')
  return orders[0]
}

async function read(token: string, { id }: { id: number }) {
  const response = await call('GET', `/api/externalOrders/${id}`, { token })
  const { orders } = await response.json<{ orders: Order[] }>()
  return { order: orders[0], sequence: response.headers.get('x-order-sequence') }
}

type Change = Partial<typeof deliveries.$inferInsert> & { state: DeliveryState }

const change = ({ orderItemId }: SummarizedOrder, { state, ...values }: Change) =>
  moveTo(orderItemId, state, values)

it('shows what the order, its item and its delivery show, and nothing else', async () => {
  const { seller, buyer, input } = await aShop()
  const token = await aMasterToken('ERP: north')
  const custom = { channel: 'web', note: '"ü"' }
  const { order } = await sold(token, { ...input, quantity: 2, providerId: 'A-7', custom })
  const { id } = order
  const { hash: txId, id: transactionId } = await aTransaction()
  await change(await newest(token), { state: 'transferred', transactionId })
  const summary = await newest(token)
  const { order: whole } = await read(token, { id })
  expect(Object.keys(summary).sort()).toEqual(Object.keys(SummarySchema.unwrap().shape).sort())
  expect(summary).toMatchObject({
    ...{ id, orderItemId: whole?.orderItems[0]?.id, providerId: 'A-7' },
    ...{ nftId: input.nftId, listingId: input.listingId, quantity: 2 },
    ...{ priceCents: 1000, priceCurrency: 'EUR', totalPriceCents: 2000, totalPriceEth: '0.01' },
    ...{ buyerId: buyer.id, sellerId: seller.id, source: 'ERP: north', custom, paid: null },
    ...{ status: 'transferred', txId, reasonCode: null, failReason: null },
    ...{ cancelRequestedAt: null, claimUrl: null, sequence: 2 },
    ...{ createdAt: whole?.createdAt, updatedAt: whole?.updatedAt },
  })
  for (const user of [buyer, seller]) expect(await newest(await aToken(user))).toEqual(summary)
})

it('shows where the buyer claims it while it waits for a wallet, and why it failed', async () => {
  const { token, buyer, input } = await aShop()
  await setRow(users, buyer.id, { ethereumPublicAddr: '' })
  const { order } = await sold(token, input)
  const waiting = await newest(token)
  const claimUrl = `https://marketplace.test${await claimPathOf(order.id)}`
  expect(waiting).toMatchObject({ status: 'awaiting_wallet', claimUrl })
  await change(waiting, { state: 'queued', dueAt: waiting.createdAt, ...explain('no_relayer') })
  const queued = { status: null, claimUrl: null, reasonCode: null, failReason: null }
  expect(await newest(token)).toMatchObject(queued)
  const cancelRequestedAt = '2026-01-02T00:00:00.000Z'
  await change(waiting, { state: 'cancelled', cancelRequestedAt, ...explain('cancelled') })
  expect(await newest(token)).toMatchObject({
    ...{ status: 'failed', reasonCode: 'cancelled', failReason: 'cancelled', cancelRequestedAt },
  })
})

it('names the token of an order as its events do, also of a user with a longer hash', async () => {
  const { input, seller } = await aShop()
  const identityHash = `${'a'.repeat(64)}-0123456789abcdef`
  await setRow(users, seller.id, { identityHash })
  const token = await aToken(seller, 'user', 'api', 'Shop: A')
  const { id } = (await sold(token, input)).order
  expect(await newest(token)).toMatchObject({ id, source: 'Shop: A' })
  const [event] = await db.select().from(events).where(eq(events.orderId, id))
  expect(event?.source).toBe('user:Shop: A')
  expect((await bodiesOf(db, id))[0]?.data).toMatchObject({ source: 'Shop: A' })
  const path = `/api/externalOrders?${new URLSearchParams({ source: 'Shop: A' })}`
  for (const caller of [token, await aMasterToken()])
    expect(await answerOf(call('GET', path, { token: caller }))).toMatchObject({
      orders: [{ id }],
    })
})

it('has a sequence that says which events led to what was read', async () => {
  const { token, input, buyer } = await aShop()
  await placed(token, [input])
  const summary = await newest(token)
  const changes: Change[] = [
    { state: 'in_flight' },
    { state: 'failed', ...explain('no_relayer') },
    { state: 'queued', dueAt: summary.createdAt },
    { state: 'awaiting_wallet', awaits: buyer.id },
    { state: 'queued', dueAt: summary.createdAt, requestedAction: 'cancel' },
    { state: 'cancelled', ...explain('cancelled') },
  ]
  /** What was read, and the sequences of the events until then. */
  const reads: { sequence: number; until: number[] }[] = []
  for (const values of [null, ...changes]) {
    if (values) await change(summary, values)
    const rows = await db
      .select({ sequence: events.sequence })
      .from(events)
      .where(eq(events.orderId, summary.id))
    const { sequence } = await newest(token)
    expect((await read(token, summary)).sequence).toBe(`${sequence}`)
    reads.push({ sequence, until: rows.map(({ sequence }) => sequence ?? -1) })
  }
  const all = reads.at(-1)?.until ?? []
  expect(all).toEqual([0, 3, 4, 5, 7])
  for (const { sequence, until } of reads)
    expect(all.filter((each) => each <= sequence)).toEqual(until)
})
