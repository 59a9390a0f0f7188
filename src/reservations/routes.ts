import { Endpoints } from '../http/endpoint.ts'
import { IdempotencyHeader } from '../orders/new-order.ts'
import { release } from './release.ts'
import { reserve } from './reserve.ts'
import { NewReservations, ReservationId } from './schema.ts'

export const reservationRoutes = new Endpoints()
  .post(
    '/api/reservations',
    {
      id: 'reserve',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      bodyName: 'reservations',
      input: { header: IdempotencyHeader, json: NewReservations },
    },
    async (c, { header, json }) => {
      const key = header['idempotency-key']
      const request = { reservations: json, key }
      const { reservations, isReplay } = await reserve(c.var, request)
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      return c.json({ reservations })
    },
  )
  .delete(
    '/api/reservations/:reservation_id',
    {
      id: 'releaseReservation',
      access: 'token',
      reads: 'primary',
      isStrict: true,
      input: { param: ReservationId },
    },
    async (c, { param }) => {
      await release(c.var, param.reservation_id)
      return c.body(null, 204)
    },
  )
