/** Calls that run at the same time. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import type { Database } from '../../src/db/client.ts'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { reservations } from '../../src/db/schema/orders.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import type { PlacedOrder } from '../../src/orders/reading/schema.ts'
import { aReservation, release, reserved } from '../reservations/holds.ts'
import { answerOf } from '../support/api.ts'
import { anAddress, aToken, aUser, db, setRow } from '../support/makers.ts'
import {
  aShop,
  callerOf,
  contextOf,
  dbWithHooks,
  ordersOf,
  place,
  placed,
  racing,
  type Shop,
  stockOf,
  times,
} from './shop.ts'

it('sells the last piece to one of 50 calls and returns 400 to the others', async () => {
  const { token, buyer, nft, input } = await aShop({ nft: { amount: 1, amountType: 'unique' } })
  const responses = await Promise.all(times(50, () => place(token, [input])))
  const failed = responses.filter(({ status }) => status !== 200)
  expect(failed).toHaveLength(49)
  for (const response of failed)
    expect(await answerOf(response)).toMatchObject({
      status: 400,
      orders: null,
      error: `orders[0].quantity: NFT ${nft.id} has 0 left`,
      code: 'sold_out',
    })
  expect(await stockOf(nft)).toBe(0)
  expect(await ordersOf(buyer)).toHaveLength(1)
})

it('keeps the stock at zero or above, whatever statement writes it', async () => {
  const { nft } = await aShop({ nft: { amount: 1, amountType: 'limited' } })
  const take = env.DB.prepare('UPDATE nfts SET availableAmount = availableAmount - 2 WHERE id = ?')
  await expect(take.bind(nft.id).run()).rejects.toThrow('nfts_stock')
  expect(await stockOf(nft)).toBe(1)
})

/** Places one order. `change` runs between the two trips of the call. */
async function placeDuring(
  { token, input }: Pick<Shop, 'token' | 'input'>,
  change: () => PromiseLike<unknown>,
) {
  const { orders } = await placeOrders(await racing(token, change), { orders: [input] })
  const [order] = orders
  if (!order) throw new Error('no order was placed')
  return order
}

/** Places the order of a shop with another database. */
const placeWith = async ({ token, input }: Shop, database: Database) =>
  placeOrders(await contextOf(token, database), { orders: [input] })

const LATER = '2026-02-01T00:00:00.000Z'

const updateListing = ({ listing }: Shop, values: Partial<typeof listings.$inferInsert>) =>
  setRow(listings, listing.id, values)

it.each<[string, (shop: Shop) => PromiseLike<unknown>, string]>([
  ['deactivates the listing', (shop) => updateListing(shop, { active: false }), 'is not active'],
  ['ends the listing', (shop) => updateListing(shop, { activeTill: LATER }), 'ended at'],
  ['withdraws the NFT', ({ nft }) => setRow(nfts, nft.id, { status: 'draft' }), 'is not released'],
  [
    'removes the buyer',
    ({ buyer }) => setRow(users, buyer.id, { removedAt: LATER }),
    'there is no user',
  ],
  [
    'revokes the token',
    async ({ token }) => setRow(tokens, (await callerOf(token)).tokenId, { revokedAt: LATER }),
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
  await setRow(reservations, late.id, { expiresAt: new Date(Date.now() - 1000).toISOString() })
  const ctx = await contextOf(token, db, new Date(Date.now() - 60_000))
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

it('returns 403 to a seller who is not approved any more during the call', async () => {
  const shop = await aShop()
  const token = await aToken(shop.seller)
  const disapprove = () => setRow(users, shop.seller.id, { approved: false })
  await expect(placeDuring({ ...shop, token }, disapprove)).rejects.toMatchObject({
    code: 'seller_not_approved',
  })
})

it('uses a price, wallet or billing address that changes during the call', async () => {
  const shop = await aShop()
  const { buyer, address } = shop
  expect(await placeDuring(shop, () => updateListing(shop, { priceCents: 1234 }))).toMatchObject({
    totalPriceCents: 1234,
  })
  const inWei = { priceWei: '9000000000000000' }
  expect(await placeDuring(shop, () => updateListing(shop, inWei))).toMatchObject({
    totalPriceEth: '0.009',
  })

  const wallet = `0x${'f'.repeat(40)}`
  const linkWallet = () => setRow(users, buyer.id, { ethereumPublicAddr: wallet })
  expect(await placeDuring(shop, linkWallet)).toMatchObject({
    orderItems: [{ ethRecipient: wallet, status: null }],
  })

  const becomeContract = () => setRow(users, buyer.id, { walletChainId: 10, lastAccessAt: LATER })
  const { id } = await placeDuring(shop, becomeContract)
  const ofContract = (await ordersOf(buyer)).find(({ orders }) => orders.id === id)
  expect(ofContract?.orderItems.recipientChainId).toBe(10)

  const second = await anAddress(buyer)
  const deleteFirst = () => setRow(addresses, address.id, { deletedAt: LATER })
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

it('does not start again after an unrelated database error', async () => {
  let writes = 0
  const beforeWrite = () => {
    writes++
    return Promise.reject(new Error('D1 is unavailable'))
  }
  const placing = placeWith(await aShop(), dbWithHooks({ beforeWrite }))
  await expect(placing).rejects.toThrow('D1 is unavailable')
  expect(writes).toBe(1)
})
