import { eq, inArray } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import type { Order, PlacedOrder } from '../../src/orders/schema.ts'
import { call } from '../support/api.ts'
import { aToken, db } from '../support/makers.ts'
import { aShop, copies, placed } from './shop.ts'

type Answer = {
  orders: Order[]
  nextCursor: string | null
  error: string | null
  issues?: { path: string; message: string }[]
}

async function list(token: string, query: Record<string, string | number> = {}) {
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]) => [name, `${value}`]),
  )
  const response = await call('GET', `/api/externalOrders?${search}`, { token })
  return { status: response.status, ...(await response.json<Answer>()) }
}

const idsOf = (orders: readonly { id: number }[]) => orders.map(({ id }) => id)
const newestFirst = (orders: readonly { id: number }[]) => idsOf(orders).toSorted((a, b) => b - a)

/** Lists until the last page, and returns the ids of each page. */
async function pagesOf(token: string, query: Record<string, string | number>) {
  const pages: number[][] = []
  for (let cursor: string | null = null; pages.length === 0 || cursor; ) {
    const page: Answer = await list(token, { ...query, ...(cursor && { cursor }) })
    pages.push(idsOf(page.orders))
    cursor = page.nextCursor
  }
  return pages
}

/** Sets the delivery of the only item of each order. */
async function setDelivery(
  orders: readonly PlacedOrder[],
  values: Partial<typeof deliveries.$inferInsert>,
) {
  const items = orders.flatMap(({ orderItems: [item] }) => item?.id ?? [])
  await db.update(deliveries).set(values).where(inArray(deliveries.id, items))
}

it('lists all orders for a master token, newest first, as the orders are read by id', async () => {
  const { token, input } = await aShop()
  const [, ...orders] = await placed(token, [input, input, input, input])
  const { status, ...page } = await list(token, { limit: 3 })
  expect(status).toBe(200)
  expect(idsOf(page.orders)).toEqual(newestFirst(orders))
  const byId = await call('GET', `/api/externalOrders/${newestFirst(orders)}`, { token })
  expect(await byId.json()).toEqual({ orders: page.orders, error: null })
  expect(page).toMatchObject({ nextCursor: expect.any(String), error: null })
})

it('does not show an order twice that is placed while pages are read', async () => {
  const { token, buyer, input } = await aShop()
  const orders = newestFirst(await placed(token, [input, input]))
  const first = await list(token, { buyerUserId: buyer.id, limit: 1 })
  await placed(token, [input])
  const cursor = first.nextCursor ?? ''
  const second = await list(token, { buyerUserId: buyer.id, limit: 1, cursor })
  expect([...idsOf(first.orders), ...idsOf(second.orders)]).toEqual(orders)
})

describe('the filter deliveryStatus', () => {
  it('finds an order beyond those that one call looks at, after pages without orders', async () => {
    const { token, buyer, input } = await aShop({ nft: { amount: 2000 } })
    const [failed] = await placed(token, [input])
    for (const _ of copies(10, null)) await placed(token, copies(100, input))
    if (failed) await setDelivery([failed], { state: 'failed', awaits: null })
    const pages = await pagesOf(await aToken(buyer), { deliveryStatus: 'failed' })
    expect(pages).toEqual([[], [failed?.id]])
    expect(await pagesOf(await aToken(buyer), { deliveryStatus: 'transferred' })).toEqual([[], []])
  })
})

it.each([
  ['limit=0', 'limit', 'must be a number from 1 to 100'],
  ['limit=101', 'limit', 'must be a number from 1 to 100'],
  ['limit=', 'limit', 'must be a number from 1 to 100'],
  ['cursor=x', 'cursor', 'must be the `nextCursor` of a page'],
  ['cursor=1-1772442120000', 'cursor', 'is of a list with other filters'],
  ['cursor=1&updatedFrom=2026-01-01T00:00:00Z', 'cursor', 'is of a list with other filters'],
  ['providerId=', 'providerId', 'must be 1 to 255 characters'],
  ['buyerUserId=me', 'buyerUserId', 'must be a positive integer'],
  ['createdTo=2026-01-01', 'createdTo', 'must be a time, as in 2026-01-31T12:00:00.000Z'],
  ['source=', 'source', 'must be 1 to 100 characters'],
  ['fields=all', 'fields', 'must be "summary"'],
])('returns 400 for ?%s and names %s', async (query, path, message) => {
  const { token } = await aShop()
  const response = await call('GET', `/api/externalOrders?${query}`, { token })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    orders: null,
    error: `${path}: ${message}`,
    issues: [{ path, code: 'invalid_input', message }],
  })
})

it('names the statuses that deliveryStatus may have', async () => {
  const { token } = await aShop()
  expect(await list(token, { deliveryStatus: 'queued' })).toMatchObject({
    status: 400,
    error:
      'deliveryStatus: must be one of "pending", "awaiting_wallet", "transferring", "transferred", "failed"',
  })
})

it('keeps an order with the seller of its time', async () => {
  const { token, seller, listing, input } = await aShop()
  const [order] = await placed(token, [input])
  const items = await db
    .select({ sellerId: orderItems.sellerId })
    .from(orderItems)
    .where(eq(orderItems.orderId, order?.id ?? 0))
  expect(items).toEqual([{ sellerId: listing.sellerId }])
  expect(idsOf((await list(await aToken(seller))).orders)).toEqual([order?.id])
})
