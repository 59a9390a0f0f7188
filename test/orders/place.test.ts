import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { addresses } from '../../src/db/schema/users.ts'
import { aListing, anAddress, anNft, aUser, db, findRow } from '../support/makers.ts'
import { PATIENCE } from '../support/patience.ts'
import { aShop, billingData, ordersOf, placed, placeError, recordWakeUps, times } from './shop.ts'

const sendBatch = recordWakeUps()

it('returns several orders as they are stored, in the order of the request', async () => {
  const { token, buyer, seller, input } = await aShop({ nft: { amount: 100 } })
  const secondBuyer = await aUser()
  await anAddress(secondBuyer)
  const nft = await anNft(seller)
  const listing = await aListing(nft, { priceCents: 250, priceWei: '7' })
  const second = { nftId: nft.id, listingId: listing.id, quantity: 3, buyerUserId: secondBuyer.id }
  const orders = await placed(token, [input, second, { ...input, quantity: 4 }])
  const rows = [...(await ordersOf(buyer)), ...(await ordersOf(secondBuyer))]
  expect(rows).toHaveLength(3)
  for (const { orderItems: [item] = [], ...order } of orders) {
    const row = rows.find(({ orders }) => orders.id === order.id)
    const { namespace, source, custom, paid, claimSecret, claimPath, ...storedOrder } =
      row?.orders ?? {}
    expect(order).toMatchObject({ ...storedOrder, failReason: null, updatedAt: order.createdAt })
    const { recipientChainId, sellerId, ...storedItem } = row?.orderItems ?? {}
    expect(recipientChainId).toBe(0)
    const { createdAt } = order
    expect(item).toMatchObject({ ...storedItem, createdAt, updatedAt: createdAt, status: null })
    expect(sellerId).toBe(seller.id)
  }
  expect(orders.map(({ totalPriceCents }) => totalPriceCents)).toEqual([1000, 750, 4000])
  const ids = orders.map(({ id }) => id)
  expect(ids).toEqual(times(3, (i) => (ids[0] ?? 0) + i))
})

it('starts a delivery for each item, unless the buyer has no wallet', async () => {
  const { token, input } = await aShop()
  const buyer = await aUser({ ethereumPublicAddr: '', provider: 'email' })
  await anAddress(buyer)
  const orders = await placed(token, [input, { ...input, buyerUserId: buyer.id }])
  const [started, waiting] = orders.flatMap(({ orderItems }) => orderItems)
  expect(waiting).toMatchObject({ status: 'awaiting_wallet', ethRecipient: null })
  const createdAt = started?.createdAt ?? ''
  const delivery = {
    key: expect.stringMatching(/^0x[0-9a-f]{64}$/),
    chainId: 31337,
    contract: null,
    requestedAction: 'deliver',
    version: 0,
    transactionId: null,
    reasonCode: null,
    placedBy: null,
    placer: expect.stringMatching(/^master:test \d+$/),
    createdAt,
    updatedAt: createdAt,
  }
  const queued = { state: 'queued', dueAt: createdAt, queuedAt: createdAt, awaits: null }
  expect(await findRow(deliveries, started?.id)).toMatchObject({ ...delivery, ...queued })
  const awaits = { awaits: buyer.id, awaitsSince: createdAt, reminders: 0 }
  const awaiting = { state: 'awaiting_wallet', dueAt: null, queuedAt: null, ...awaits }
  expect(await findRow(deliveries, waiting?.id)).toMatchObject({ ...delivery, ...awaiting })
  expect(sendBatch.mock.calls.map(([messages]) => [...messages])).toEqual([
    [{ body: { chainId: 31337 }, delaySeconds: 0 }],
  ])
})

it('places orders and logs an error if the queue is unavailable', async () => {
  const { token, buyer, input } = await aShop()
  const logged = vi.spyOn(console, 'error').mockImplementation(() => {})
  sendBatch.mockRejectedValue(new Error('the queue is unavailable'))
  const [order] = await placed(token, [input])
  expect((await ordersOf(buyer)).map(({ orders }) => orders.id)).toEqual([order?.id])
  await vi.waitUntil(() => logged.mock.calls.length > 0, PATIENCE)
  expect(JSON.parse(logged.mock.calls[0]?.[0])).toEqual({
    event: 'wake_up_failed',
    chainIds: [31337],
    error: 'Error: the queue is unavailable',
    version: env.VERSION.id,
  })
  logged.mockRestore()
})

it('uses the live billing address with the lowest id if a field is missing', async () => {
  const { token, input } = await aShop()
  const buyer = await aUser()
  await anAddress(buyer, { kind: 'delivery' })
  await anAddress(buyer, { deletedAt: '2026-01-02T00:00:00.000Z' })
  const first = await anAddress(buyer)
  await anAddress(buyer, { isDefault: true })
  const { street: _, ...incomplete } = billingData
  const [order] = await placed(token, [
    { ...input, buyerUserId: buyer.id, buyerBillingData: incomplete },
  ])
  expect(order?.billingAddressId).toBe(first.id)
  expect(await db.$count(addresses, eq(addresses.userId, buyer.id))).toBe(4)
})

it.each([
  ['1', 1, '0.000000000000000001', '0.000000000000000001'],
  ['333333333333333333', 3, '0.333333333333333333', '0.999999999999999999'],
])('computes the price of %s wei × %i exactly', async (priceWei, quantity, priceEths, total) => {
  const { token, input } = await aShop({ listing: { priceWei } })
  const [order] = await placed(token, [{ ...input, quantity }])
  expect(order).toMatchObject({ totalPriceEth: total, orderItems: [{ priceEths }] })
})

it('returns 409 if two orders of a call have the same providerId', async () => {
  const { token, input } = await aShop()
  const order = { ...input, providerId: 'B' }
  expect(await placeError(token, [order, order])).toMatchObject({
    status: 409,
    error: 'orders[1].providerId: orders[0] already has it',
  })
})
