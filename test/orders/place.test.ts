import { eq, getTableColumns } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import {
  addresses,
  listings,
  nfts,
  orderItems,
  orders,
  transfers,
  users,
} from '../../src/db/schema.ts'
import { answers, type PlacedOrder } from '../../src/orders/answer.ts'
import { aListing, anAddress, anNft, aUser, db } from '../support/makers.ts'
import { aShop, ordersOf, place, placed, sendBatch, times } from './shop.ts'

const billingData = { city: ' Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' }

const without = (table: Parameters<typeof getTableColumns>[0], ...hidden: string[]) =>
  Object.keys(getTableColumns(table)).filter((key) => !hidden.includes(key))

it('answers a paid order with the keys of the contract and no others', async () => {
  const { token, seller, buyer, address, nft, listing, element } = await aShop()
  const response = await place(token, [{ ...element, quantity: 2, providerId: 'shop-7' }])
  expect(response.status).toBe(200)
  const body = await response.json<{ orders: PlacedOrder[]; error: null }>()
  expect(answers().placed.parse(body)).toEqual(body)
  expect(Object.keys(body).sort()).toEqual(['error', 'orders'])
  const [order] = body.orders
  expect(Object.keys(order ?? {}).sort()).toEqual(
    [...without(orders, 'placedBy'), 'failReason', 'orderItems'].sort(),
  )
  expect(order).toMatchObject({
    buyerId: buyer.id,
    billingAddressId: address.id,
    paymentMethod: 'external',
    provider: 'external',
    providerId: 'shop-7',
    totalPriceCents: 2000,
    totalPriceCurrency: 'EUR',
    totalPriceEth: '0.01',
    status: 'paid',
    failReason: null,
    ProductType: 'nft',
  })
  const [item] = order?.orderItems ?? []
  expect(Object.keys(item ?? {}).sort()).toEqual(
    [...without(orderItems), 'status', 'txId', 'nft', 'listing'].sort(),
  )
  expect(item).toMatchObject({
    orderId: order?.id,
    quantity: 2,
    priceCents: 1000,
    priceEths: '0.005',
    ethRecipient: buyer.ethereumPublicAddr,
    paymentProvider: 'external',
    txId: null,
    status: null,
  })
  expect(Object.keys(item?.nft ?? {}).sort()).toEqual(without(nfts, 'amountType').sort())
  expect(item?.nft).toMatchObject({ id: nft.id, availableAmount: 8, payload: nft.payload })
  expect(Object.keys(item?.listing ?? {}).sort()).toEqual(without(listings).sort())
  expect(item?.listing).toEqual({ ...listing, sellerId: seller.id })
})

it('answers what it stored, for each of many orders in their order', async () => {
  const { token, buyer, seller, element } = await aShop({ nft: { amount: 100 } })
  const other = await aUser()
  await anAddress(other)
  const nft = await anNft(seller)
  const listing = await aListing(nft, { priceCents: 250, priceWei: '7' })
  const foreign = { nftId: nft.id, listingId: listing.id, quantity: 3, buyerUserId: other.id }
  const answer = await placed(token, [element, foreign, { ...element, quantity: 4 }])
  const stored = [...(await ordersOf(buyer)), ...(await ordersOf(other))]
  expect(stored).toHaveLength(3)
  for (const { id, orderItems: [item] = [], failReason, ...order } of answer) {
    expect(failReason).toBeNull()
    const row = stored.find(({ orders }) => orders.id === id)
    expect(row?.orders).toMatchObject(order)
    const { nft: _nft, listing: _listing, ...own } = item ?? {}
    expect({ ...row?.orderItems, status: null, txId: null }).toEqual(own)
  }
  expect(answer.map(({ totalPriceCents }) => totalPriceCents)).toEqual([1000, 750, 4000])
  const ids = answer.map(({ id }) => id)
  expect(ids).toEqual(times(3, (i) => (ids[0] ?? 0) + i))
})

it('starts the transfer of each item, and waits where the buyer has no wallet', async () => {
  const { token, element } = await aShop()
  const walletless = await aUser({ ethereumPublicAddr: '', provider: 'email' })
  await anAddress(walletless)
  const orders = await placed(token, [element, { ...element, buyerUserId: walletless.id }])
  const [sends, waits] = orders.flatMap(({ orderItems }) => orderItems)
  expect(waits).toMatchObject({ status: 'awaiting_wallet', ethRecipient: null })
  const transferOf = async (id = 0) =>
    (await db.select().from(transfers).where(eq(transfers.id, id)))[0]
  const at = sends?.createdAt ?? ''
  expect(await transferOf(sends?.id)).toMatchObject({
    status: 'queued',
    generation: 1,
    dueAt: new Date(Date.parse(at) + 60_000).toISOString(),
    createdAt: at,
    updatedAt: at,
  })
  expect(await transferOf(waits?.id)).toMatchObject({ status: 'awaiting_wallet', dueAt: null })
  expect(sendBatch.mock.calls.map(([messages]) => [...messages])).toEqual([
    [{ body: { transferIds: [sends?.id] }, delaySeconds: 0 }],
  ])
})

it('places orders though the queue takes no message', async () => {
  const { token, buyer, element } = await aShop()
  const log = vi.spyOn(console, 'error').mockImplementation(() => {})
  sendBatch.mockRejectedValue(new Error('no queue today'))
  const [order] = await placed(token, [element])
  expect((await ordersOf(buyer)).map(({ orders }) => orders.id)).toEqual([order?.id])
  await vi.waitUntil(() => log.mock.calls.some(([line]) => line.event === 'announce_failed'))
  log.mockRestore()
})

it('bills a new address of all four texts, trimmed, and adds it to the buyer’s book', async () => {
  const { token, buyer, address, element } = await aShop()
  const order = { ...element, buyerBillingData: billingData }
  const [one, two] = await placed(token, [
    order,
    { ...order, buyerBillingData: { ...billingData } },
  ])
  const added = await db
    .select()
    .from(addresses)
    .where(eq(addresses.userId, buyer.id))
    .orderBy(addresses.id)
  expect(added.map(({ id }) => id)).toEqual([
    address.id,
    one?.billingAddressId,
    two?.billingAddressId,
  ])
  expect(added[1]).toMatchObject({ ...billingData, city: 'Ulm', kind: 'billing', isDefault: false })
})

it('bills the live billing address with the lowest id when a text is missing', async () => {
  const { token, element } = await aShop()
  const other = await aUser()
  await anAddress(other, { kind: 'delivery' })
  await anAddress(other, { deletedAt: '2026-01-02T00:00:00.000Z' })
  const first = await anAddress(other)
  await anAddress(other, { isDefault: true })
  const { street: _, ...incomplete } = billingData
  const [order] = await placed(token, [
    { ...element, buyerUserId: other.id, buyerBillingData: incomplete },
  ])
  expect(order?.billingAddressId).toBe(first.id)
  expect(await db.$count(addresses, eq(addresses.userId, other.id))).toBe(4)
})

it('bills an address that an order before in the same call added', async () => {
  const { token, element } = await aShop()
  const stranger = { ...element, buyerUserId: (await aUser()).id }
  const [one, two] = await placed(token, [{ ...stranger, buyerBillingData: billingData }, stranger])
  expect(two?.billingAddressId).toBe(one?.billingAddressId)
})

it('takes what a listing costs exactly, whatever the number of its digits', async () => {
  const { token, element } = await aShop({
    nft: { amountType: 'unlimited' },
    listing: { priceCents: 3, priceWei: '123456789012345678901234567890' },
  })
  const [order] = await placed(token, [{ ...element, quantity: 7 }])
  expect(order).toMatchObject({
    totalPriceCents: 21,
    totalPriceEth: '864197523086.41975230864197523',
  })
  expect(order?.orderItems[0]).toMatchObject({ priceEths: '123456789012.34567890123456789' })
})

it.each([
  ['0', 1, '0'],
  ['1', 1, '0.000000000000000001'],
  ['333333333333333333', 3, '0.999999999999999999'],
  ['500000000000000000', 2, '1'],
])('tells %s wei × %i as %s ETH', async (priceWei, quantity, totalPriceEth) => {
  const { token, element } = await aShop({ listing: { priceWei } })
  const [order] = await placed(token, [{ ...element, quantity }])
  expect(order?.totalPriceEth).toBe(totalPriceEth)
})

it('takes the next call for the same providerId as a mistake, and names the order', async () => {
  const { token, element } = await aShop()
  const order = { ...element, providerId: 'A-17' }
  const [first] = await placed(token, [order])
  const response = await place(token, [element, order])
  expect(response.status).toBe(409)
  expect(await response.json()).toEqual({
    orders: null,
    error: `orders[1].providerId: order ${first?.id} already has it`,
    code: 'provider_id_used',
  })
  const twice = await place(token, [
    { ...order, providerId: 'B' },
    { ...order, providerId: 'B' },
  ])
  expect(twice.status).toBe(409)
  expect(await twice.json()).toMatchObject({
    error: 'orders[1].providerId: orders[0] already has it',
  })
  const { token: another } = await aShop()
  expect((await place(another, [order])).status).toBe(200)
})

it('keeps what is private to the buyer out of the answer', async () => {
  const { token, buyer, element } = await aShop()
  await db
    .update(users)
    .set({ email: 'b@example.com', ipAddress: '192.0.2.7' })
    .where(eq(users.id, buyer.id))
  const text = await (await place(token, [element])).text()
  expect(text).not.toContain('192.0.2.7')
  expect(text).not.toContain('b@example.com')
})
