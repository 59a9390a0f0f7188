import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { describeOperations } from '../http/openapi.ts'
import { IdempotencyHeader, MAX_ORDERS, saleErrors } from '../orders/new-order.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { MAX_TTL, NewReservations, ReservationId, Reservations } from './schema.ts'

export const reservationRoutes = new Hono<App>()
  .post(
    '/api/reservations',
    requireToken('reserve'),
    validate('header', IdempotencyHeader),
    validate('json', NewReservations, 'reservations', { isStrict: true }),
    async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const request = { reservations: c.req.valid('json'), key }
      const { reservations, isReplay } = await reserve(c.var, request)
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      return c.json({ reservations })
    },
  )
  .delete(
    '/api/reservations/:reservation_id',
    requireToken('releaseReservation'),
    validate('param', ReservationId),
    async (c) => {
      await release(c.var, c.req.valid('param').reservation_id)
      return c.body(null, 204)
    },
  )

/* @__PURE__ */ describeOperations('Orders', () => ({
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
      'Idempotent-Replayed': '`true` if this is the response of an earlier call.',
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
}))
