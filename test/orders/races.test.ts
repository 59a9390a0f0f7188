/** Calls that run at the same time. */
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orders, reservations } from '../../src/db/schema/orders.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { isLostRace } from '../../src/orders/guards.ts'
import { placeOrders } from '../../src/orders/place.ts'
import type { PlacedOrder } from '../../src/orders/schema.ts'
import { aReservation, release, reserved } from '../reservations/holds.ts'
import { anAddress, aToken, aUser, db } from '../support/makers.ts'
import {
  aShop,
  callerOf,
  copies,
  dbWithHooks,
  ordersOf,
  place,
  placed,
  type Shop,
  settings,
  stockOf,
  times,
} from './shop.ts'

it('sells the last piece to one of 50 calls and returns 400 to the others', async () => {
  const { token, buyer, nft, input } = await aShop({ nft: { amount: 1, amountType: 'unique' } })
  const responses = await Promise.all(times(50, () => place(token, [input])))
  const failed = responses.filter(({ status }) => status !== 200)
  expect(failed).toHaveLength(49)
  for (const response of failed)
    expect(await response.json()).toMatchObject({
      orders: null,
      error: `orders[0].quantity: NFT ${nft.id} has 0 left`,
      code: 'sold_out',
    })
  expect(await stockOf(nft)).toBe(0)
  expect(await ordersOf(buyer)).toHaveLength(1)
})

it('never sells more than the stock to calls of different sizes', async () => {
  const { token, buyer, nft, input } = await aShop({ nft: { amount: 30 } })
  const sizes = times(30, (i) => (i % 3) + 1)
  const responses = await Promise.all(
    sizes.map((size) => place(token, copies(size, { ...input, quantity: 2 }))),
  )
  const placedSizes = sizes.filter((_, i) => responses[i]?.status === 200)
  const pieces = placedSizes.reduce((sum, size) => sum + 2 * size, 0)
  expect(await stockOf(nft)).toBe(30 - pieces)
  expect((await ordersOf(buyer)).map(({ orderItems }) => orderItems.quantity)).toEqual(
    times(pieces / 2, () => 2),
  )
  expect(placedSizes.length).toBeLessThan(30)
  // The largest call orders 6 pieces, so a call only fails if fewer are left.
  expect(30 - pieces).toBeLessThan(6)
})

/** Places one order. `change` runs between the two trips of the call. */
async function placeDuring(
  { token, input }: Pick<Shop, 'token' | 'input'>,
  change: () => PromiseLike<unknown>,
) {
  let hasChanged = false
  const changeOnce = async () => {
    if (!hasChanged) await change()
    hasChanged = true
  }
  const caller = await callerOf(token)
  const { orders } = await placeOrders(
    { db: dbWithHooks({ beforeWrite: changeOnce }), caller, settings, now: new Date() },
    { orders: [input] },
  )
  const [order] = orders
  if (!order) throw new Error('no order was placed')
  return order
}

const LATER = '2026-02-01T00:00:00.000Z'

const updateListing = ({ listing }: Shop, values: Partial<typeof listings.$inferInsert>) =>
  db.update(listings).set(values).where(eq(listings.id, listing.id))

it.each<[string, (shop: Shop) => PromiseLike<unknown>, string]>([
  ['deactivates the listing', (shop) => updateListing(shop, { active: false }), 'is not active'],
  [
    'makes an auction of the listing',
    (shop) => updateListing(shop, { type: 'auction' }),
    'is an auction',
  ],
  ['ends the listing', (shop) => updateListing(shop, { activeTill: LATER }), 'ended at'],
  [
    'withdraws the NFT',
    ({ nft }) => db.update(nfts).set({ status: 'draft' }).where(eq(nfts.id, nft.id)),
    'is not released',
  ],
  [
    'removes the buyer',
    ({ buyer }) => db.update(users).set({ removedAt: LATER }).where(eq(users.id, buyer.id)),
    'there is no user',
  ],
  [
    'revokes the token',
    async ({ token }) => {
      const { tokenId } = await callerOf(token)
      await db.update(tokens).set({ revokedAt: LATER }).where(eq(tokens.id, tokenId))
    },
    'the token was revoked',
  ],
])('places nothing if another request %s during the call', async (_, change, message) => {
  const shop = await aShop()
  await expect(placeDuring(shop, () => change(shop))).rejects.toThrow(message)
  expect(await ordersOf(shop.buyer)).toEqual([])
  expect(await stockOf(shop.nft)).toBe(10)
})

it('does not sell pieces that are reserved during the call', async () => {
  const { token, nft, listing, input, buyer } = await aShop()
  const holds = [{ listingId: listing.id, quantity: 10, ttl: 60 }]
  await expect(placeDuring({ token, input }, () => reserved(token, holds))).rejects.toThrow(
    'and 10 are reserved',
  )
  expect([await ordersOf(buyer), await stockOf(nft)]).toEqual([[], 10])
})

it('does not sell the pieces of a reservation that ends during the call', async () => {
  const { token, nft, listing, input, buyer } = await aShop()
  const { id: reservationId } = await aReservation(token, { listingId: listing.id })
  const shop = { token, input: { ...input, reservationId } }
  await expect(placeDuring(shop, () => release(token, reservationId))).rejects.toThrow(
    'no such reservation is live',
  )
  // By the clock of the database, for a call that began before.
  const late = await aReservation(token, { listingId: listing.id })
  const expiresAt = new Date(Date.now() - 1000).toISOString()
  await db.update(reservations).set({ expiresAt }).where(eq(reservations.id, late.id))
  const ctx = { db, caller: await callerOf(token), settings, now: new Date(Date.now() - 60_000) }
  await expect(
    placeOrders(ctx, { orders: [{ ...input, reservationId: late.id }] }),
  ).rejects.toMatchObject({ code: 'request_in_progress' })
  expect([await ordersOf(buyer), await stockOf(nft)]).toEqual([[], 10])
})

it('returns 403 to a seller who loses the listing during the call', async () => {
  const shop = await aShop()
  const other = await aUser()
  const token = await aToken(shop.seller)
  await expect(
    placeDuring({ ...shop, token }, () => updateListing(shop, { sellerId: other.id })),
  ).rejects.toMatchObject({ code: 'not_your_listing' })
})

it('uses a price, wallet or billing address that changes during the call', async () => {
  const shop = await aShop()
  const { buyer, address } = shop
  const newPrice = { priceCents: 1234, priceWei: '9000000000000000' }
  expect(await placeDuring(shop, () => updateListing(shop, newPrice))).toMatchObject({
    totalPriceCents: 1234,
    totalPriceEth: '0.009',
  })

  const wallet = `0x${'f'.repeat(40)}`
  const linkWallet = () =>
    db.update(users).set({ ethereumPublicAddr: wallet }).where(eq(users.id, buyer.id))
  expect(await placeDuring(shop, linkWallet)).toMatchObject({
    orderItems: [{ ethRecipient: wallet, status: null }],
  })

  const becomeContract = () =>
    db.update(users).set({ walletChainId: 10 }).where(eq(users.id, buyer.id))
  const { id } = await placeDuring(shop, becomeContract)
  const ofContract = (await ordersOf(buyer)).find(({ orders }) => orders.id === id)
  expect(ofContract?.orderItems.recipientChainId).toBe(10)

  const second = await anAddress(buyer)
  const deleteFirst = () =>
    db.update(addresses).set({ deletedAt: LATER }).where(eq(addresses.id, address.id))
  expect(await placeDuring(shop, deleteFirst)).toMatchObject({ billingAddressId: second.id })
})

it('returns 409 and the order that takes the providerId during the call', async () => {
  const shop = await aShop()
  const input = { ...shop.input, providerId: 'A-17' }
  const winners: PlacedOrder[] = []
  const placeWinner = async () => winners.push(...(await placed(shop.token, [input])))
  const call = placeDuring({ ...shop, input }, placeWinner)
  await expect(call).rejects.toMatchObject({ code: 'provider_id_used' })
  await expect(call).rejects.toThrow(`orders[0].providerId: order ${winners[0]?.id} already has it`)
})

it('returns 409 with Retry-After if the data changes during every attempt', async () => {
  const shop = await aShop()
  let priceCents = 1
  const changingDb = dbWithHooks({
    beforeWrite: () => updateListing(shop, { priceCents: priceCents++ }),
  })
  await expect(
    placeOrders(
      { db: changingDb, caller: await callerOf(shop.token), settings, now: new Date() },
      { orders: [shop.input] },
    ),
  ).rejects.toMatchObject({ code: 'request_in_progress', headers: { 'Retry-After': '1' } })
  expect(await ordersOf(shop.buyer)).toEqual([])
})

it('does not start again after an unrelated database error', async () => {
  const { token, input } = await aShop()
  let writes = 0
  const brokenDb = dbWithHooks({
    beforeWrite: () => {
      writes++
      return Promise.reject(new Error('D1 is unavailable'))
    },
  })
  await expect(
    placeOrders(
      { db: brokenDb, caller: await callerOf(token), settings, now: new Date() },
      { orders: [input] },
    ),
  ).rejects.toThrow('D1 is unavailable')
  expect(writes).toBe(1)
})

it('writes an order, its item and its delivery together or not at all', async () => {
  const { token, buyer, input } = await aShop()
  const before = { orders: await db.$count(orders), deliveries: await db.$count(deliveries) }
  const invalid = { ...input, buyerUserId: 0 }
  expect((await place(token, [input, invalid])).status).toBe(400)
  expect(await db.$count(orders)).toBe(before.orders)
  const brokenDb = dbWithHooks({
    afterWrite: () => {
      throw new Error('the response was lost')
    },
  })
  await expect(
    placeOrders(
      { db: brokenDb, caller: await callerOf(token), settings, now: new Date() },
      { orders: [input] },
    ),
  ).rejects.toThrow('the response was lost')
  const [row] = await ordersOf(buyer)
  expect(await db.$count(orders)).toBe(before.orders + 1)
  expect(await db.$count(deliveries)).toBe(before.deliveries + 1)
  expect(await db.$count(deliveries, eq(deliveries.id, row?.orderItems.id ?? 0))).toBe(1)
})

it.each([
  ['orders.providerId, orders.namespace', true],
  ['idempotencyKeys.day, idempotencyKeys.namespace, idempotencyKeys.key', true],
  ['users.email', true],
  ['users.ethereumPublicAddr, users.walletChainId', true],
  ['events.id', false],
  ['addresses.userId, addresses.kind', false],
])('begins again if another call has taken what it needs: %s', (columns, isTaken) => {
  expect(isLostRace(new Error(`D1_ERROR: UNIQUE constraint failed: ${columns}`))).toBe(isTaken)
})
