import { and, eq, isNotNull } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { idempotencyKeys } from '../../src/db/schema/orders.ts'
import { addresses } from '../../src/db/schema/users.ts'
import { callWith } from '../support/api.ts'
import {
  aListing,
  anAddress,
  anNft,
  aSession,
  aToken,
  aUser,
  db,
  setRow,
} from '../support/makers.ts'
import { aShop, billingData, copies, ordersOf, recordWakeUps, stockOf, times } from './shop.ts'

const sendBatch = recordWakeUps()

const LIMIT = 4

/** Places orders in an instance where a user may have four that are not ended. */
async function place(token: string, inputs: unknown, headers: Record<string, string> = {}) {
  const bindings = { MAX_OPEN_ORDERS: String(LIMIT) }
  const content = { token, json: inputs, headers }
  const response = await callWith(bindings, 'POST', '/api/externalOrders', content)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const placeMany = (token: string, count: number, input: object) =>
  place(token, copies(count, input))

const tooMany = (open: number, placing: number) => ({
  status: 409,
  body: {
    orders: null,
    code: 'too_many_open_orders',
    error: `you have ${open} orders and reservations that are not ended, and this call would add ${placing}; the limit is ${LIMIT}`,
  },
})

/** A shop with a user token of the seller. */
async function aSellersShop() {
  const shop = await aShop()
  return { ...shop, sellerToken: await aToken(shop.seller) }
}

const setStates = async (
  buyer: { id: number },
  states: (typeof deliveries.$inferInsert.state)[],
) => {
  const rows = await ordersOf(buyer)
  for (const [i, state] of states.entries())
    await setRow(deliveries, rows[i]?.orderItems.id, { state })
}

it('refuses orders above the limit, and writes nothing', async () => {
  const { seller, sellerToken, buyer, nft, input } = await aSellersShop()
  const waiting = await aUser({ ethereumPublicAddr: '', provider: 'email' })
  await anAddress(waiting)
  const forWaiting = { ...input, buyerUserId: waiting.id }
  expect((await place(sellerToken, [input, input, forWaiting])).status).toBe(200)
  sendBatch.mockClear()

  const key = { 'idempotency-key': 'too many' }
  const inputs = [{ ...input, buyerBillingData: billingData }, input]
  expect(await place(sellerToken, inputs, key)).toMatchObject(tooMany(3, 2))
  expect(await stockOf(nft)).toBe(7)
  expect(await ordersOf(buyer)).toHaveLength(2)
  expect(await db.$count(addresses, eq(addresses.userId, buyer.id))).toBe(1)
  expect(await db.$count(idempotencyKeys, eq(idempotencyKeys.key, 'too many'))).toBe(0)
  expect(sendBatch).not.toHaveBeenCalled()

  expect((await place(sellerToken, [input])).status).toBe(200)
  // All user tokens of the user count together, for all listings.
  const otherNft = await anNft(seller)
  const other = { ...input, nftId: otherNft.id, listingId: (await aListing(otherNft)).id }
  for (const token of [sellerToken, await aToken(seller), await aSession(seller)])
    expect(await place(token, [other])).toMatchObject(tooMany(4, 1))
})

it('does not count ended orders, nor those of master tokens and of other users', async () => {
  const { token, sellerToken, buyer, input } = await aSellersShop()
  const other = await aSellersShop()
  expect((await placeMany(other.sellerToken, 4, other.input)).status).toBe(200)
  expect((await placeMany(sellerToken, 4, input)).status).toBe(200)
  expect((await placeMany(token, 2, input)).status).toBe(200)
  await setStates(buyer, ['in_flight', 'in_flight', 'queued', 'queued'])
  expect(await place(sellerToken, [input])).toMatchObject(tooMany(4, 1))
  await setStates(buyer, ['transferred', 'failed'])
  expect(await placeMany(sellerToken, 3, input)).toMatchObject(tooMany(2, 3))
  expect((await placeMany(sellerToken, 2, input)).status).toBe(200)
})

it('replays a call at the limit', async () => {
  const { sellerToken, input } = await aSellersShop()
  const key = { 'idempotency-key': 'at the limit' }
  const inputs = copies(4, input)
  const first = await place(sellerToken, inputs, key)
  const again = await place(sellerToken, inputs, key)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(again.body).toEqual(first.body)
})

it('keeps the limit when calls run at the same time', async () => {
  const { seller, sellerToken, input } = await aSellersShop()
  const responses = await Promise.all(times(10, () => place(sellerToken, [input])))
  const statuses = responses.map(({ status }) => status)
  expect(statuses.filter((status) => status === 200).length).toBeLessThanOrEqual(LIMIT)
  expect(new Set(statuses)).toEqual(new Set([200, 409]))
  const open = and(eq(deliveries.placedBy, seller.id), isNotNull(deliveries.dueAt))
  expect(await db.$count(deliveries, open)).toBe(statuses.filter((s) => s === 200).length)
})
