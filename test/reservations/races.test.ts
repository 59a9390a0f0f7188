import { expect, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { users } from '../../src/db/schema/users.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { reserve } from '../../src/reservations/reserve.ts'
import { anNftRecord, CONTRACT, linesOf } from '../catalogue/records.ts'
import {
  aShop,
  ordersOf,
  placed,
  racing,
  recordWakeUps,
  type Shop,
  stockOf,
} from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, setRow } from '../support/makers.ts'
import { aReservation, heldOf, reserve as send } from './holds.ts'

recordWakeUps()

const one = ({ listing }: Pick<Shop, 'listing'>) => ({
  listingId: listing.id,
  quantity: 1,
  ttl: 600,
})

/** A shop with a single piece, and the token of another one. */
async function lastPiece() {
  const shop = await aShop({ nft: { amount: 1 } })
  return { ...shop, other: await aMasterToken() }
}

it('does not hold a piece that is reserved or sold during the call', async () => {
  for (const take of [
    ({ other, ...shop }: Awaited<ReturnType<typeof lastPiece>>) => send(other, [one(shop)]),
    ({ other, input }: Awaited<ReturnType<typeof lastPiece>>) => placed(other, [input]),
  ]) {
    const shop = await lastPiece()
    const ctx = await racing(shop.token, () => take(shop))
    await expect(reserve(ctx, { reservations: [one(shop)] })).rejects.toMatchObject({
      code: 'sold_out',
    })
  }
})

it('uses a reservation for one of two orders', async () => {
  const shop = await lastPiece()
  const { token, input, nft, buyer } = shop
  const { id: reservationId } = await aReservation(token, one(shop))
  const orders = [{ ...input, reservationId }]
  const ctx = await racing(token, () => placed(token, orders))
  await expect(placeOrders(ctx, { orders })).rejects.toMatchObject({
    code: 'reservation_not_found',
  })
  expect(await ordersOf(buyer)).toHaveLength(1)
  expect([await stockOf(nft), await heldOf(nft)]).toEqual([0, 0])
})

it('returns 400 for a reservation whose listing or NFT is withdrawn during the call', async () => {
  const shop = await lastPiece()
  const ctx = await racing(shop.token, () => setRow(nfts, shop.nft.id, { status: 'draft' }))
  await expect(reserve(ctx, { reservations: [one(shop)] })).rejects.toMatchObject({
    code: 'nft_not_released',
  })
})

it('does not let an import take pieces that are reserved during the call', async () => {
  const shop = await aShop({ nft: { amount: 5, contractAddr: CONTRACT } })
  await setRow(users, shop.seller.id, { externalId: 'cleo' })
  const importing = (amount: number) =>
    call('POST', '/api/admin/catalogue', {
      token: shop.token,
      body: linesOf([anNftRecord(shop.nft.externalId, 1, { amount })]),
    })
  await aReservation(shop.token, { ...one(shop), quantity: 3 })
  expect(await answerOf(importing(2))).toMatchObject({
    status: 400,
    issues: [{ path: 'lines[1].amount', code: 'amount_too_small' }],
  })
  // Two pieces fewer, while two more are reserved: one of both is refused.
  const ctx = await racing(shop.token, async () => expect((await importing(3)).status).toBe(200))
  await expect(
    reserve(ctx, { reservations: [{ ...one(shop), quantity: 2 }] }),
  ).rejects.toMatchObject({
    code: 'sold_out',
  })
  const [imported, reserved] = await Promise.all([importing(3), send(shop.token, [one(shop)])])
  expect([imported.status, reserved.status]).toEqual([200, 400])
  expect([await heldOf(shop.nft), await stockOf(shop.nft)]).toEqual([3, 3])
})
