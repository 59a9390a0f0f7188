import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { readNearest } from '../http/nearest.ts'
import { IdempotencyHeader } from '../orders/new-order.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { NewReservations, ReservationId } from './schema.ts'

export const reservationRoutes = new Hono<App>()
  .post(
    '/api/reservations',
    requireToken('reserve'),
    validate('header', IdempotencyHeader),
    validate('json', NewReservations, 'reservations', { isStrict: true }),
    async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const request = { reservations: c.req.valid('json'), key }
      const { reservations, isReplay } = await readNearest(c.var.db, () => reserve(c.var, request))
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
