/** What a shop sends to hold stock and prices, and the reservations of answers. */
import * as z from 'zod'
import { currency, decimal, id, model, money, positive, time } from '../http/fields.ts'
import { uuid } from '../http/inputs.ts'
import { orderLimits } from '../limits.ts'
import { NewOrder, withRules } from '../orders/placing/new-order.ts'
import { SECOND } from '../time.ts'

const { listingId, listing, quantity, expectedPriceCents, expectedCurrency } = NewOrder.shape

const NewReservation = withRules(
  {
    listingId,
    listing,
    quantity,
    expectedPriceCents,
    expectedCurrency,
    ttl: z
      .int()
      .min(1)
      .max(orderLimits.holdTime.max / SECOND)
      .describe('Seconds for which they are held, rounded up to a multiple of 10 on the clock.'),
  },
  { id: 'NewReservation', description: 'What to hold.' },
)
export type NewReservation = z.infer<typeof NewReservation>

export const NewReservations = z
  .array(NewReservation, { error: 'the body must be an array of reservations' })
  .min(1, 'the body must have at least one reservation')
  .max(orderLimits.perCall.max, `the body may have at most ${orderLimits.perCall.max} reservations`)
  .meta({ id: 'NewReservations', description: 'What to hold, all of it or nothing.' })

export const Reservation = model(
  'Reservation',
  'Pieces and a price that are held for a while.',
  () => ({
    id: z.uuid().describe('Id of the reservation: `reservationId` of an order.'),
    listingId: id('Id of the listing.'),
    nftId: id('Id of the NFT.'),
    quantity: positive('Number of pieces that are held.'),
    priceCents: money('Price of one piece that is held'),
    priceCurrency: currency('Currency of `priceCents`, ISO 4217.'),
    priceEths: decimal('Price of one piece in ETH.'),
    expiresAt: time('Time from which nothing is held any more.'),
    createdAt: time('Time of creation.'),
  }),
)
export type Reservation = z.infer<typeof Reservation>

export const Reservations = model('Reservations', 'The new reservations.', () => ({
  reservations: z.array(Reservation).describe('In the order of the request.'),
}))

export const ReservationId = z.object({
  reservation_id: uuid.describe('Id of the reservation.'),
})
