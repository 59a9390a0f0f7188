import * as z from 'zod'
import { MAX_ORDERS } from '../../../src/orders/new-order.ts'
import { MAX_TTL, Reservation } from '../../../src/reservations/schema.ts'
import type { Operations } from '../operation.ts'
import { saleErrors } from './orders.ts'

const Reservations = z
  .object({ reservations: z.array(Reservation).describe('In the order of the request.') })
  .meta({ id: 'Reservations', description: 'The new reservations.' })

export const reservationOperations: Operations = {
  reserve: {
    summary: 'Reserve pieces while a customer pays',
    description:
      `Holds pieces and price of 1 to ${MAX_ORDERS} listings for up to ${MAX_TTL / 60} ` +
      'minutes, all of them or none. An order with `reservationId` turns a reservation into the ' +
      'order, at the price that it holds, even if the listing has changed or ended since. A ' +
      'user token can reserve what its user sells; its reservations count as orders that are ' +
      'not ended. With an `Idempotency-Key` the call is safe to repeat for 24 hours.',
    answer: Reservations,
    headers: {
      'Idempotent-Replayed': '`true` if an earlier call has made the reservations.',
    },
    errors: [...saleErrors, 'idempotency_key_reused'],
  },
  releaseReservation: {
    summary: 'Release a reservation',
    description:
      'Safe to repeat: the answer is the same if the reservation has become an order, has ' +
      'expired, was released or never existed. `not_found` means that it lives, but was made ' +
      'under the name of another token.',
    answer: null,
    bodiless: { 204: 'The reservation holds nothing any more.' },
    errors: ['not_found'],
  },
}
