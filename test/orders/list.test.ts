import { expect, it } from 'vitest'
import { listings } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { aToken, aUser, findRow, setRow } from '../support/makers.ts'
import { aShop, copies, placed, sold } from './shop.ts'

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
  return answerOf<Answer>(call('GET', `/api/externalOrders?${search}`, { token }))
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

it('finds an order beyond those that one call looks at, after pages without orders', async () => {
  const { token, buyer, input } = await aShop({ nft: { amount: 2000 } })
  const { order, item } = await sold(token, input)
  for (const _ of copies(10, null)) await placed(token, copies(100, input))
  await setRow(deliveries, item.id, { state: 'failed', awaits: null })
  const pages = await pagesOf(await aToken(buyer), { deliveryStatus: 'failed' })
  expect(pages).toEqual([[], [order.id]])
  expect(await pagesOf(await aToken(buyer), { deliveryStatus: 'transferred' })).toEqual([[], []])
})

it('returns 400 for a wrong value, and names it', async () => {
  const { token } = await aShop()
  for (const [query, path, message] of [
    ['cursor=x', 'cursor', 'must be the `nextCursor` of a page'],
    ['cursor=1&updatedFrom=2026-01-01T00:00:00Z', 'cursor', 'is of a list with other filters'],
    ['fields=all', 'fields', 'must be "summary"'],
  ] as const)
    expect(
      await answerOf(call('GET', `/api/externalOrders?${query}`, { token })),
      query,
    ).toMatchObject({
      status: 400,
      orders: null,
      error: `${path}: ${message}`,
      issues: [{ path, code: 'invalid_input', message }],
    })
})

it('keeps an order with the seller of its time', async () => {
  const { token, seller, listing, input } = await aShop()
  const { order, item } = await sold(token, input)
  await setRow(listings, listing.id, { sellerId: (await aUser()).id })
  expect(await findRow(orderItems, item.id)).toMatchObject({ sellerId: seller.id })
  expect(idsOf((await list(await aToken(seller))).orders)).toEqual([order.id])
})
