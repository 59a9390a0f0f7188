/**
 * Limits the orders that all user tokens of a user together have under way or hold pieces for, and
 * those that they place or hold pieces for in a day.
 */

import { sql } from 'drizzle-orm'
import type { Guard } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, rateLimited } from '../http/errors.ts'
import { orderLimits } from '../http/limits.ts'
import type { NewOrder } from './new-order.ts'

type LimitCtx = Ctx & { settings: Pick<Settings, 'MAX_OPEN_ORDERS'> }

/** The orders and reservations that a call adds: an order takes the place of its reservation. */
export const countAdded = (inputs: readonly NewOrder[]): number =>
  inputs.filter(({ reservationId }) => !reservationId).length

/** Orders that are not ended, and live reservations. In the spelling of the partial indexes. */
const openSql = ({ caller: { userId }, now }: Pick<Ctx, 'caller' | 'now'>) =>
  sql`((SELECT count(*) FROM deliveries WHERE placedBy = ${userId}
      AND state IN ('awaiting_wallet', 'queued', 'in_flight'))
    + (SELECT count(*) FROM reservations
      WHERE placedBy = ${userId} AND expiresAt > ${now.toISOString()}))`

/** Selects how many orders and reservations of the caller are open. */
export const selectOpen = (ctx: Ctx) =>
  raw<{ open: number }>(ctx.db)`SELECT ${openSql(ctx)} AS open`

/** Rejects `added` more orders and reservations of a user token that would exceed the limit. */
export const refuseTooManyOpen = (ctx: LimitCtx, added: number, error: Guard['error']): Guard[] =>
  ctx.caller.role === 'master'
    ? []
    : [{ when: sql`${openSql(ctx)} > ${ctx.settings.MAX_OPEN_ORDERS - added}`, error }]

/** Throws `too_many_open_orders` if these were counted and `added` more would exceed the limit. */
export function requireRoom(
  { caller, settings }: LimitCtx,
  open: number | undefined,
  added: number,
): void {
  const limit = settings.MAX_OPEN_ORDERS
  if (caller.role === 'master' || open === undefined || open + added <= limit) return
  throw new ApiError(
    'too_many_open_orders',
    `you have ${open} orders and reservations that are not ended, and this call would add ${added}; the limit is ${limit}`,
  )
}

/** Takes the quota of `added` more orders and reservations of a user token: they may end at once. */
export function takeDailyOrders({ db, caller, now, settings }: LimitCtx, added: number) {
  if (caller.role === 'master') return takeQuotas(db, now, [])
  const limit = orderLimits.added.max * settings.MAX_OPEN_ORDERS
  const error = (seconds: number) =>
    rateLimited(`a user may add ${limit} orders and reservations a day`, seconds)
  const name = `orders:${caller.userId}`
  return takeQuotas(db, now, [{ name, per: 'day', limit, uses: added, error }])
}
