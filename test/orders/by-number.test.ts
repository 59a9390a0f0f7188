import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { putOrder } from '../../src/orders/placing/by-number.ts'
import type { PlacedOrder } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { aListing, anAddress, anNft, aToken, aUser, db, setRow } from '../support/makers.ts'
import { anEmail, aWallet } from '../support/visitor.ts'
import {
  aShop,
  billingData,
  codesOf,
  ordersOf,
  placed,
  placeError,
  racing,
  recordWakeUps,
} from './shop.ts'

const sendBatch = recordWakeUps()

type Answer = {
  orders: PlacedOrder[] | null
  error: string | null
  code: string
  issues: { path: string; code: string; message: string; orderId?: number; stored?: unknown }[]
}

const pathOf = (providerId: string) =>
  `/api/externalOrders/by-number/${encodeURIComponent(providerId)}`

async function put(token: string, providerId: string, json: unknown) {
  const answer = await answerOf<Answer>(call('PUT', pathOf(providerId), { token, json }))
  return { ...answer, order: answer.orders?.[0] }
}

const aNumber = () => crypto.randomUUID()

it('returns the order that has the number, as it is now, whenever the call is repeated', async () => {
  const { token, buyer, nft, input } = await aShop({ nft: { amount: 1 } })
  const [providerId, custom] = [aNumber(), { b: '2', a: '1' }]
  const { order } = await put(token, providerId, { ...input, custom })
  // A year later, in another state, at another price, sold out and unlisted.
  const createdAt = '2025-01-01T00:00:00.000Z'
  await setRow(orders, order?.id, { createdAt })
  const failed = { state: 'failed', ...explain('transfer_failed') } as const
  await setRow(deliveries, order?.orderItems[0]?.id, failed)
  await setRow(nfts, nft.id, { status: 'draft' })
  await setRow(listings, input.listingId, { active: false, priceCents: 1 })
  const again = await put(token, providerId, { ...input, custom: { a: '1', b: '2' } })
  expect(again.status).toBe(200)
  expect(again.order).toMatchObject({
    ...{ id: order?.id, createdAt, status: 'paid', failReason: expect.any(String) },
    orderItems: [{ status: 'failed', priceCents: 1000, nft: { availableAmount: 0 } }],
  })
  expect(await ordersOf(buyer)).toHaveLength(1)
  expect(sendBatch).toHaveBeenCalledTimes(1)
})

it('finds the order of a call with POST, and the other way round', async () => {
  const { token, input } = await aShop()
  const [first, second] = [aNumber(), aNumber()]
  const [order] = await placed(token, [{ ...input, providerId: first }])
  expect(await put(token, first, input)).toMatchObject({ status: 200, order: { id: order?.id } })
  const { order: other } = await put(token, second, input)
  expect(await placeError(token, [{ ...input, providerId: second }])).toMatchObject({
    code: 'provider_id_used',
    issues: [{ path: 'orders[0].providerId', orderId: other?.id }],
  })
})

it('returns 400 with the fields of the body if the order is wrong', async () => {
  const { token, input } = await aShop({ nft: { amount: 1 } })
  const refused = async (json: unknown, number = aNumber()) => {
    const answer = await put(token, number, json)
    expect(answer).toMatchObject({ status: 400, orders: null })
    return answer
  }
  const invalid = await refused({ ...input, quantity: 'one', listing: 'x' })
  expect(codesOf(invalid)).toEqual(['quantity invalid_input', 'listing invalid_input'])
  const wrong = await refused({ ...input, quantity: 2, buyerUserId: 999_999_999 })
  expect(codesOf(wrong)).toEqual(['quantity sold_out', 'buyerUserId buyer_not_found'])
  expect((await refused([input])).issues).toEqual([
    { path: '', code: 'invalid_input', message: 'the body must be an order, not an array' },
  ])
  // A number with a blank around it would be another number.
  expect(await refused(input, '4711 ')).toMatchObject({
    code: 'invalid_character',
    error: 'providerId: must not have U+0020 at position 5',
  })
})

it('returns 409 with each field that is not that of the stored order', async () => {
  const { token, seller, buyer, nft, listing, input } = await aShop()
  const other = await aListing(await anNft(seller))
  const email = anEmail()
  const otherBuyer = await aUser({ email })
  await anAddress(otherBuyer)
  const custom = { cart: '1' }
  const number = aNumber()
  const { order } = await put(token, number, { ...input, custom })
  const { status, code, issues } = await put(token, number, {
    ...{ nft: 'unknown', listing: other.externalId, quantity: 2 },
    ...{ buyer: { email }, expectedPriceCents: 999, expectedCurrency: 'USD' },
  })
  expect({ status, code }).toEqual({ status: 409, code: 'order_differs' })
  const message = `is not that of order ${order?.id}`
  expect(issues).toEqual(
    Object.entries({
      ...{ nft: nft.id, listing: listing.id, quantity: 1, expectedPriceCents: 1000 },
      ...{ expectedCurrency: 'EUR', buyer: buyer.id, custom },
    }).map(([path, stored]) => ({
      path,
      code: 'order_differs',
      message,
      orderId: order?.id,
      stored,
    })),
  )
  const byIds = { nftId: other.nftId, listingId: other.id, quantity: 1, buyerUserId: otherBuyer.id }
  const again = await put(token, number, { ...byIds, custom: { cart: '2' } })
  expect(again.issues.map(({ path, stored }) => [path, stored])).toEqual([
    ['nftId', nft.id],
    ['listingId', listing.id],
    ['buyerUserId', buyer.id],
    ['custom', custom],
  ])
  expect(await ordersOf(otherBuyer)).toEqual([])
})

it('compares names with ids, and neither billing data nor what the body leaves out', async () => {
  const { token, buyer, nft, listing, input } = await aShop()
  const wallet = aWallet().address
  const lastAccessAt = new Date().toISOString()
  const known = { ethereumPublicAddr: wallet, lastAccessAt }
  await db.update(users).set(known).where(eq(users.id, buyer.id))
  const number = aNumber()
  const { order } = await put(token, number, {
    ...{ ...input, expectedPriceCents: 1000, expectedCurrency: 'EUR' },
  })
  const named = { nft: nft.externalId, listing: listing.externalId, quantity: 1 }
  for (const body of [
    { ...named, buyer: { userId: buyer.id } },
    { ...named, buyer: { wallet }, buyerBillingData: billingData },
    { ...input, custom: null },
  ])
    expect(await put(token, number, body)).toMatchObject({ status: 200, order: { id: order?.id } })
})

it('returns the order of a new person, also after that person was forgotten', async () => {
  const { token, input } = await aShop()
  const { buyerUserId: _, ...rest } = input
  const [email, number] = [anEmail(), aNumber()]
  const body = { ...rest, buyer: { email }, buyerBillingData: billingData }
  const { order } = await put(token, number, body)
  expect(await put(token, number, body)).toMatchObject({ status: 200 })
  const byId = { ...rest, buyerUserId: order?.buyerId }
  await call('POST', `/api/admin/users/${order?.buyerId}/forget`, { token })
  const count = await db.$count(users)
  for (const again of [body, byId])
    expect(await put(token, number, again)).toMatchObject({
      status: 200,
      order: { id: order?.id, buyerId: order?.buyerId },
    })
  expect(await db.$count(users)).toBe(count)
  // Somebody else has the address now.
  await aUser({ email, ethereumPublicAddr: '' })
  const { status, issues } = await put(token, number, body)
  expect(status).toBe(409)
  expect(issues).toMatchObject([{ path: 'buyer', stored: order?.buyerId }])
  expect(JSON.stringify(issues)).not.toContain(email)
})

it('returns 409 for a new person if the order is that of another one', async () => {
  const { token, input } = await aShop()
  const { buyerUserId: _, ...rest } = input
  for (const buyer of [() => ({ email: anEmail() }), () => ({ wallet: aWallet().address })]) {
    const body = () => ({ ...rest, buyer: buyer(), buyerBillingData: billingData })
    const number = aNumber()
    const { order } = await put(token, number, body())
    expect(await put(token, number, body())).toMatchObject({
      status: 409,
      issues: [{ path: 'buyer', code: 'order_differs', stored: order?.buyerId }],
    })
  }
})

it('returns the order of a guest also once somebody is known to have the wallet', async () => {
  const { token, input } = await aShop()
  const { buyerUserId: _, ...rest } = input
  const { address } = aWallet()
  const body = { ...rest, buyer: { wallet: address }, buyerBillingData: billingData }
  const number = aNumber()
  const { order } = await put(token, number, body)
  await aUser({ ethereumPublicAddr: address, externalId: crypto.randomUUID() })
  expect(await put(token, number, body)).toMatchObject({ status: 200, order: { id: order?.id } })
})

it('returns 403 to a seller who has lost the listing', async () => {
  const { seller, buyer, listing, input } = await aShop()
  const token = await aToken(seller)
  const number = aNumber()
  expect((await put(token, number, input)).status).toBe(201)
  const error = {
    status: 403,
    orders: null,
    code: 'not_your_listing',
    error: 'listingId: only the seller may place orders for this listing',
  }
  await db.update(listings).set({ sellerId: buyer.id }).where(eq(listings.id, listing.id))
  expect(await put(token, number, input)).toMatchObject(error)
})

it('finds the order that another call places meanwhile', async () => {
  const { token, buyer, input } = await aShop({ nft: { amount: 1 } })
  const providerId = aNumber()
  const ctx = await racing(token, () => put(token, providerId, input))
  const { orders, isReplay } = await putOrder(ctx, { providerId, order: input })
  expect(isReplay).toBe(true)
  expect((await ordersOf(buyer)).map(({ orders }) => orders.id)).toEqual(orders.map(({ id }) => id))
})

it('takes the number in the body too, and refuses another one', async () => {
  const { token, buyer, input } = await aShop()
  const number = aNumber()
  expect(await put(token, number, { ...input, providerId: 'zzz' })).toMatchObject({
    status: 400,
    orders: null,
    code: 'invalid_input',
    issues: [{ path: 'providerId', message: 'is not the number in the path' }],
  })
  expect(await ordersOf(buyer)).toEqual([])
  expect(await put(token, number, { ...input, providerId: number })).toMatchObject({ status: 201 })
  expect(await put(token, number, { ...input, providerId: null })).toMatchObject({ status: 200 })
})

const brokenEscape = 'the URL has a broken escape: write a percent sign as %25'
const notUtf8 = 'the URL is not UTF-8: escape each byte of UTF-8, as in %C3%BC for ü'

it('refuses a broken escape and what is not UTF-8, and places nothing', async () => {
  const { token, buyer, input } = await aShop()
  for (const [number, error] of [
    ['100%', brokenEscape],
    ['a%FC', notUtf8],
  ] as const) {
    const path = `/api/externalOrders/by-number/${number}`
    const refused = { status: 400, code: 'invalid_input', error }
    expect(await answerOf(call('PUT', path, { token, json: input }))).toMatchObject(refused)
    const list = await call('GET', `/api/externalOrders?providerId=${number}`, { token })
    expect(list.status).toBe(400)
  }
  expect(await ordersOf(buyer)).toEqual([])
})

it('takes other numbers as they are', async () => {
  const { token, input } = await aShop()
  for (const providerId of ['a%zz', 'a/b?c#d', 'é+ü 🎁']) {
    expect((await put(token, providerId, input)).order).toMatchObject({ providerId })
    const query = new URLSearchParams({ providerId })
    const list = call('GET', `/api/externalOrders?${query}`, { token })
    expect(await answerOf(list)).toMatchObject({ orders: [{ providerId }] })
  }
})
