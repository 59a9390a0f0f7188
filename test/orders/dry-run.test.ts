/** Orders that are checked and not placed. */
import { expect, it } from 'vitest'
import { idempotencyKeys, orders, reservations } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { aReservation, heldOf } from '../reservations/holds.ts'
import { answerOf, call, callWith } from '../support/api.ts'
import { aToken, db } from '../support/makers.ts'
import { aShop, billingData, recordWakeUps, stockOf } from './shop.ts'

const sendBatch = recordWakeUps()

const check = (token: string, json: unknown) =>
  answerOf(call('POST', '/api/externalOrders/check', { token, json }))

it('returns what the orders would cost, and writes nothing', async () => {
  const { token, nft, listing, input } = await aShop()
  const counts = () =>
    Promise.all([orders, reservations, idempotencyKeys, users].map((table) => db.$count(table)))
  const before = await counts()
  const { id: reservationId } = await aReservation(token, { listingId: listing.id })
  const buyer = { email: 'nobody.yet@example.com' }
  const { buyerUserId: _, ...rest } = input
  const answer = await check(token, [
    { ...input, quantity: 2 },
    { ...rest, buyer, buyerBillingData: billingData, providerId: 'A-1' },
    { ...input, reservationId },
  ])
  const checked = {
    ...{ nftId: nft.id, listingId: listing.id, quantity: 1, priceCents: 1000, priceEths: '0.005' },
    ...{ priceCurrency: 'EUR', totalPriceCents: 1000, totalPriceEth: '0.005' },
  }
  expect(answer).toEqual({
    status: 200,
    orders: [
      { ...checked, quantity: 2, totalPriceCents: 2000, totalPriceEth: '0.01' },
      checked,
      checked,
    ],
    error: null,
  })
  const [orderCount = 0, reservationCount = 0, ...others] = before
  expect(await counts()).toEqual([orderCount, reservationCount + 1, ...others])
  expect([await stockOf(nft), await heldOf(nft)]).toEqual([10, 1])
  expect(sendBatch).not.toHaveBeenCalled()
})

it('says that too many orders are open', async () => {
  const { seller, listing, input } = await aShop()
  const token = await aToken(seller)
  const { id: reservationId } = await aReservation(token, { listingId: listing.id })
  const checkAtLimit = (json: object[]) => {
    const bindings = { MAX_OPEN_ORDERS: '1' }
    return answerOf(callWith(bindings, 'POST', '/api/externalOrders/check', { token, json }))
  }
  expect((await checkAtLimit([{ ...input, reservationId }])).status).toBe(200)
  expect(await checkAtLimit([input])).toMatchObject({
    status: 409,
    code: 'too_many_open_orders',
    error:
      'you have 1 orders and reservations that are not ended, and this call would add 1; the limit is 1',
  })
})
