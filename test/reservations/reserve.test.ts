/** Reservations hold pieces and a price, and orders are made of them. */
import { eq } from 'drizzle-orm'
import { describe, expect, it, vi } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { heldPieces, reservations } from '../../src/db/schema/orders.ts'
import { sweepReservations } from '../../src/reservations/reserve.ts'
import {
  aShop,
  codesOf,
  type Failure,
  ordersOf,
  placed,
  placeError,
  recordWakeUps,
  type Shop,
  sold,
  stockOf,
} from '../orders/shop.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aListing, aMasterToken, aToken, aUser, db, setRow } from '../support/makers.ts'
import { aReservation, heldOf, release, reserve, reserved } from './holds.ts'

recordWakeUps()

const setListing = (
  { listing }: Pick<Shop, 'listing'>,
  values: Partial<typeof listings.$inferInsert>,
) => setRow(listings, listing.id, values)

const failureOf = (sent: Promise<Response>) => answerOf<Failure>(sent)

const isStored = async ({ id }: { id: string }) =>
  (await db.$count(reservations, eq(reservations.id, id))) > 0

describe('a reservation', () => {
  it('holds pieces and the price of a listing until a multiple of 10 seconds', async () => {
    stopClock()
    vi.setSystemTime('2126-03-02T09:00:01.500Z')
    const { token, nft, listing } = await aShop()
    const answer = await reserved(token, [
      { listingId: listing.id, quantity: 3, ttl: 60 },
      { listing: listing.externalId, quantity: 2, ttl: 1 },
    ])
    const shared = {
      ...{ id: expect.stringMatching(/^[\da-f-]{36}$/), listingId: listing.id, nftId: nft.id },
      ...{ priceCents: 1000, priceCurrency: 'EUR', priceEths: '0.005' },
      createdAt: '2126-03-02T09:00:01.500Z',
    }
    expect(answer).toEqual([
      { ...shared, quantity: 3, expiresAt: '2126-03-02T09:01:10.000Z' },
      { ...shared, quantity: 2, expiresAt: '2126-03-02T09:00:10.000Z' },
    ])
    expect(await heldOf(nft)).toBe(5)
    // They are sold when they are ordered.
    expect(await stockOf(nft)).toBe(10)
  })

  it('leaves the other pieces to orders and to other reservations', async () => {
    const { token, buyer, nft, listing, input } = await aShop({ nft: { amount: 7 } })
    await aReservation(token, { listingId: listing.id, quantity: 5 })
    const other = await aMasterToken()
    const problem = (error: string) => ({ status: 400, code: 'sold_out', error })
    expect(await placeError(other, [{ ...input, quantity: 3 }])).toMatchObject(
      problem(`orders[0].quantity: NFT ${nft.id} has 2 left, and 5 are reserved`),
    )
    const tooMany = reserve(other, [{ listingId: listing.id, quantity: 3, ttl: 60 }])
    const message = `the NFT of listing ${listing.id} has 2 left, and 5 are reserved`
    expect(await failureOf(tooMany)).toMatchObject(problem(`reservations[0].quantity: ${message}`))
    expect(await placeError(token, [input, { ...input, quantity: 2 }])).toMatchObject({
      error: `orders[1].quantity: NFT ${nft.id} has 1 left after the 1 of the earlier orders of this call, and 5 are reserved`,
    })
    await placed(other, [{ ...input, quantity: 2 }])
    expect([await stockOf(nft), await heldOf(nft)]).toEqual([5, 5])
    expect(await ordersOf(buyer)).toHaveLength(1)
  })

  it('is made together with the others of its call, or none is', async () => {
    const { token, nft, listing } = await aShop()
    const ended = await aShop({ listing: { active: false } })
    const one = { listingId: listing.id, quantity: 6, ttl: 60 }
    const wrong = [ended.listing.id, 999_999].map((listingId) => ({ ...one, listingId }))
    const failure = await failureOf(reserve(token, [one, one, ...wrong]))
    expect(failure.status).toBe(400)
    expect(codesOf(failure)).toEqual([
      'reservations[1].quantity sold_out',
      'reservations[2].listingId listing_inactive',
      'reservations[3].listingId listing_not_found',
    ])
    expect(await heldOf(nft)).toBe(0)
  })

  it('is refused if the listing asks another price than was expected', async () => {
    const { token, listing } = await aShop()
    const input = { listingId: listing.id, quantity: 1, ttl: 60, expectedCurrency: 'EUR' }
    expect(await failureOf(reserve(token, [{ ...input, expectedPriceCents: 500 }]))).toMatchObject({
      status: 409,
      code: 'price_changed',
      issues: [
        { path: 'reservations[0].expectedPriceCents', priceCents: 1000, priceCurrency: 'EUR' },
      ],
    })
    await aReservation(token, { ...input, expectedPriceCents: 1000 })
  })

  it('of an unlimited NFT holds the price only', async () => {
    const { token, nft, listing, input } = await aShop({
      nft: { amountType: 'unlimited', amount: 1 },
    })
    const { id } = await aReservation(token, { listingId: listing.id, quantity: 50 })
    await setListing({ listing }, { priceCents: 9900 })
    await placed(token, [{ ...input, quantity: 2 }])
    const [order] = await placed(token, [{ ...input, quantity: 50, reservationId: id }])
    expect(order).toMatchObject({ totalPriceCents: 50_000 })
    expect(await stockOf(nft)).toBe(1)
  })
})

describe('an order with a reservation', () => {
  it('takes its pieces and its price, whatever has become of the listing', async () => {
    const { token, seller, nft, listing, input } = await aShop({ nft: { amount: 2 } })
    const reservation = await aReservation(token, { listingId: listing.id, quantity: 2 })
    const other = await aUser()
    const price = { priceCents: 9900, priceWei: '1', priceEths: '0.1', priceCurrency: 'USD' }
    await setListing({ listing }, { ...price, active: false, amount: 1, sellerId: other.id })
    await setListing({ listing }, { activeTill: '2026-01-01T00:00:00.000Z' })
    const expected = { expectedPriceCents: 1000, expectedCurrency: 'EUR' }
    const two = { ...input, quantity: 2, reservationId: reservation.id, ...expected }
    const { order, item } = await sold(token, two)
    expect(order).toMatchObject({
      totalPriceCents: 2000,
      totalPriceCurrency: 'EUR',
      totalPriceEth: '0.01',
    })
    const reserved = { priceCents: 1000, priceCurrency: 'EUR', priceEths: '0.005' }
    expect(item).toMatchObject({ quantity: 2, ...reserved, nft: { availableAmount: 0 } })
    expect([await stockOf(nft), await heldOf(nft)]).toEqual([0, 0])
    expect(await isStored(reservation)).toBe(false)
    const [row] = await ordersOf({ id: order.buyerId })
    expect(row?.orderItems.sellerId).toBe(other.id)
    expect(seller.id).not.toBe(other.id)
  })

  it('is found again by its number when the reservation is gone', async () => {
    const { token, buyer, listing, input } = await aShop()
    const { id: reservationId } = await aReservation(token, { listingId: listing.id })
    const put = () =>
      call('PUT', '/api/externalOrders/by-number/R-1', { token, json: { ...input, reservationId } })
    const [first, second] = [await put(), await put()]
    expect([first.status, second.status]).toEqual([201, 200])
    expect(await ordersOf(buyer)).toHaveLength(1)
  })

  it('must name the same NFT, listing and quantity, and no reservation of an earlier one', async () => {
    const { token, nft, listing, input } = await aShop()
    const other = await aShop()
    const sameNft = await aListing({ id: nft.id, creatorId: listing.sellerId })
    const { id: reservationId } = await aReservation(token, { listingId: listing.id })
    const { nftId, listingId } = other.input
    const message = `it is for 1 of NFT ${nft.id} by listing ${listing.id}`
    for (const fields of [{ quantity: 2 }, { listingId: sameNft.id }, { nftId, listingId }])
      expect(await placeError(token, [{ ...input, ...fields, reservationId }])).toMatchObject({
        issues: [{ path: 'orders[0].reservationId', code: 'reservation_mismatch', message }],
      })
    const order = { ...input, reservationId }
    expect(codesOf(await placeError(token, [order, order]))).toEqual([
      'orders[1].reservationId reservation_not_found',
    ])
    expect(await heldOf(nft)).toBe(1)
  })

  it.each<[string, (shop: Shop & { id: string; pass: (seconds: number) => void }) => unknown]>([
    ['does not exist', () => ({ reservationId: crypto.randomUUID() })],
    ['has expired', ({ pass }) => pass(60)],
    ['was released', ({ token, id }) => release(token, id)],
    ['is used', ({ token, input, id }) => placed(token, [{ ...input, reservationId: id }])],
    ['is of another token name', async () => ({ token: await aMasterToken() })],
  ])('is refused if the reservation %s', async (_, change) => {
    const pass = stopClock()
    const shop = await aShop()
    const { id } = await aReservation(shop.token, { listingId: shop.listing.id, ttl: 50 })
    const { token = shop.token, reservationId = id } = Object(await change({ ...shop, id, pass }))
    expect(await placeError(token, [{ ...shop.input, reservationId }])).toMatchObject({
      status: 400,
      issues: [{ path: 'orders[0].reservationId', code: 'reservation_not_found' }],
    })
  })

  it('is refused if the NFT was withdrawn, or its seller removed', async () => {
    const { token, seller, nft, listing, input } = await aShop()
    const { id: reservationId } = await aReservation(token, { listingId: listing.id })
    const orders = [{ ...input, reservationId }]
    await setRow(nfts, nft.id, { status: 'draft' })
    expect(await placeError(token, orders)).toMatchObject({ code: 'nft_not_released' })
    await setRow(nfts, nft.id, { status: 'released', deletedAt: '2026-01-01T00:00:00.000Z' })
    expect(await placeError(token, orders)).toMatchObject({ code: 'nft_not_found' })
    await setRow(nfts, nft.id, { deletedAt: null })
    const forget = `/api/admin/users/${seller.id}/forget`
    expect((await call('POST', forget, { token })).status).toBe(200)
    expect(await placeError(token, orders)).toMatchObject({
      issues: [{ code: 'reservation_not_found' }, { code: 'listing_inactive' }],
    })
  })

  it('is refused to a user token whose user does not sell the listing any more', async () => {
    const { seller, listing, input } = await aShop()
    const token = await aToken(seller)
    const { id: reservationId } = await aReservation(token, { listingId: listing.id })
    await setListing({ listing }, { sellerId: (await aUser()).id })
    expect(await placeError(token, [{ ...input, reservationId }])).toMatchObject({
      status: 403,
      code: 'not_your_listing',
    })
  })
})

describe('a reservation ends', () => {
  it('when it is released, and a release may be repeated', async () => {
    const { token, nft, listing } = await aShop()
    const { id } = await aReservation(token, { listingId: listing.id, quantity: 10 })
    for (const _ of [1, 2]) {
      const response = await release(token, id)
      expect([response.status, await response.text()]).toEqual([204, ''])
    }
    expect(await heldOf(nft)).toBe(0)
    expect((await release(token, crypto.randomUUID())).status).toBe(204)
    expect((await release(token, '1')).status).toBe(400)
  })

  it('when its id is given in capital letters, as some systems write a UUID', async () => {
    const { token, nft, listing, input } = await aShop()
    const released = await aReservation(token, { listingId: listing.id, quantity: 10 })
    expect((await release(token, released.id.toUpperCase())).status).toBe(204)
    expect(await heldOf(nft)).toBe(0)
    const { id } = await aReservation(token, { listingId: listing.id })
    await placed(token, [{ ...input, reservationId: id.toUpperCase() }])
    expect(await heldOf(nft)).toBe(0)
  })

  it('when a master token releases it, but not by another user token', async () => {
    const { seller, nft, listing } = await aShop()
    const token = await aToken(seller)
    const { id } = await aReservation(token, { listingId: listing.id })
    for (const other of [await aToken(await aUser()), await aToken(seller)])
      expect(await failureOf(release(other, id))).toMatchObject({ status: 404, code: 'not_found' })
    expect(await heldOf(nft)).toBe(1)
    expect((await release(await aMasterToken(), id)).status).toBe(204)
    expect(await heldOf(nft)).toBe(0)
  })

  it('when its time is over, without a cron run', async () => {
    const pass = stopClock()
    const { token, nft, listing, input } = await aShop({ nft: { amount: 1 } })
    const reservation = await aReservation(token, { listingId: listing.id, ttl: 10 })
    pass(9)
    expect(await placeError(token, [input])).toMatchObject({ code: 'sold_out' })
    pass(11)
    await aReservation(token, { listingId: listing.id })
    expect([await heldOf(nft), await isStored(reservation)]).toEqual([1, true])
    // Somebody else's, too: whoever asks cannot tell it from one that does not exist.
    expect((await release(await aToken(await aUser()), reservation.id)).status).toBe(204)
  })

  it('and is deleted a minute later, in slices', async () => {
    const pass = stopClock()
    const { token, nft, listing } = await aShop()
    const input = { listingId: listing.id, quantity: 1 }
    await reserved(token, [
      { ...input, ttl: 10 },
      { ...input, ttl: 10 },
      { ...input, ttl: 300 },
    ])
    const rowsOf = () =>
      Promise.all([
        db.$count(reservations, eq(reservations.nftId, nft.id)),
        db.$count(heldPieces, eq(heldPieces.nftId, nft.id)),
      ])
    const sweep = async () => {
      for (const statement of sweepReservations(db, new Date())) await db.batch([statement])
    }
    pass(70)
    await sweep()
    expect(await rowsOf()).toEqual([3, 2])
    pass(20)
    await sweep()
    expect([await rowsOf(), await heldOf(nft)]).toEqual([[1, 1], 1])
  })
})

describe('an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'reserve once' }

  it('makes a call safe to repeat', async () => {
    const { token, nft, listing, input } = await aShop()
    const inputs = [{ listingId: listing.id, quantity: 2, ttl: 60 }]
    const first = await reserve(token, inputs, key)
    const text = await first.text()
    expect(first.headers.has('idempotent-replayed')).toBe(false)
    const [{ id: reservationId = '' } = {}] = JSON.parse(text).reservations
    await placed(token, [{ ...input, quantity: 2, reservationId }])
    const second = await reserve(token, inputs, key)
    expect([second.status, await second.text()]).toEqual([200, text])
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(await heldOf(nft)).toBe(0)
  })

  it('belongs to one body and to one endpoint', async () => {
    const { token, listing, input } = await aShop()
    const inputs = [{ listingId: listing.id, quantity: 1, ttl: 60 }]
    await reserved(token, inputs, key)
    const reused = { status: 422, code: 'idempotency_key_reused' }
    expect(await failureOf(reserve(token, [...inputs, ...inputs], key))).toMatchObject(reused)
    expect(await placeError(token, [input], key)).toMatchObject(reused)
    const other = { 'idempotency-key': 'order once' }
    await placed(token, [input], other)
    expect(await failureOf(reserve(token, inputs, other))).toMatchObject(reused)
  })

  it('gives no stored answer to a seller who has lost the listing', async () => {
    const { seller, listing } = await aShop()
    const token = await aToken(seller)
    const inputs = [{ listingId: listing.id, quantity: 1, ttl: 60 }]
    await reserved(token, inputs, key)
    await setListing({ listing }, { sellerId: (await aUser()).id })
    expect(await failureOf(reserve(token, inputs, key))).toMatchObject({ code: 'not_your_listing' })
  })
})

describe('the limit of orders that are not ended', () => {
  const bindings = { MAX_OPEN_ORDERS: '4' }

  it('counts live reservations of user tokens, for orders as well', async () => {
    const pass = stopClock()
    const { seller, buyer, listing, input, nft } = await aShop()
    const token = await aToken(seller)
    const post = (path: string, json: unknown) => callWith(bindings, 'POST', path, { token, json })
    const one = { listingId: listing.id, quantity: 1, ttl: 60 }
    expect((await post('/api/reservations', [one, { ...one, ttl: 600 }])).status).toBe(200)
    const [held] = await db.select().from(reservations).where(eq(reservations.placedBy, seller.id))
    expect((await post('/api/externalOrders', [input])).status).toBe(200)
    const tooMany = (added: number) => ({
      status: 409,
      code: 'too_many_open_orders',
      error: `you have 3 orders and reservations that are not ended, and this call would add ${added}; the limit is 4`,
    })
    expect(await failureOf(post('/api/reservations', [one, one]))).toMatchObject(tooMany(2))
    expect(await failureOf(post('/api/externalOrders', [input, input]))).toMatchObject(tooMany(2))
    expect(await heldOf(nft)).toBe(2)
    // An order with a reservation takes its place.
    const converted = { ...input, reservationId: held?.id }
    expect((await post('/api/externalOrders', [converted, input])).status).toBe(200)
    expect(await failureOf(post('/api/reservations', [one]))).toMatchObject({
      code: 'too_many_open_orders',
    })
    pass(700)
    expect((await post('/api/reservations', [one])).status).toBe(200)
    expect(await db.$count(deliveries, eq(deliveries.placedBy, seller.id))).toBe(3)
    expect(await ordersOf(buyer)).toHaveLength(3)
  })
})
