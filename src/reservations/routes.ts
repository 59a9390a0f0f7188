import { Endpoints } from '../http/endpoint.ts'
import { describeLimit, orderLimits } from '../limits.ts'
import { IdempotencyHeader } from '../orders/placing/new-order.ts'
import { saleErrors } from '../orders/reading/schema.ts'
import { release, reserve } from './reserve.ts'
import { NewReservations, ReservationId, Reservations } from './schema.ts'

export const reservationRoutes = new Endpoints({ tag: 'Orders', isStrict: true })
  .post(
    '/api/reservations',
    {
      id: 'reserve',
      summary: 'Reserve pieces while a customer pays',
      description:
        `Holds pieces and price of 1 to ${orderLimits.perCall.max} listings for up to ${describeLimit(orderLimits.holdTime)}, ` +
        'all of them or none. An order with `reservationId` turns a reservation into the ' +
        'order, at the price that it holds, even if the listing has changed or ended since. A ' +
        'user token can reserve what its user sells; its reservations count as orders that are ' +
        'not ended. With an `Idempotency-Key` the call is safe to repeat for 24 hours.',
      access: 'orders',
      reads: 'nearest',
      bodyName: 'reservations',
      input: { header: IdempotencyHeader, json: NewReservations },
      answer: Reservations,
      headers: { 'Idempotent-Replayed': '`true` if an earlier call has made the reservations.' },
      errors: [...saleErrors, 'idempotency_key_reused'],
    },
    async (c, { header, json }) => {
      const request = { reservations: json, key: header['idempotency-key'] }
      const { reservations, isReplay } = await reserve(c.var, request)
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      return { reservations }
    },
  )
  .delete(
    '/api/reservations/:reservation_id',
    {
      id: 'releaseReservation',
      summary: 'Release a reservation',
      description:
        'Safe to repeat: the answer is the same if the reservation has become an order, has ' +
        'expired, was released or never existed. `not_found` means that it lives, but was made ' +
        'under the name of another token.',
      access: 'orders',
      reads: 'primary',
      input: { param: ReservationId },
      answer: null,
      bodiless: { 204: 'The reservation holds nothing any more.' },
      errors: ['not_found'],
    },
    async (c, { param }) => {
      await release(c.var, param.reservation_id)
      return c.body(null, 204)
    },
  )
