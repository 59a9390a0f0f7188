/**
 * Limits the orders that all user tokens of a user together have under way or hold pieces for, and
 * those that they place or hold pieces for in a day.
 */
import { type Query, sql } from 'drizzle-orm'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import type { Quota } from '../db/quota.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, rateLimited } from '../http/errors.ts'

type LimitCtx = Ctx & { settings: Pick<Settings, 'MAX_OPEN_ORDERS'> }
type User = { userId: number; now: string }

/** Orders that are not ended, and live reservations. In the spelling of the partial indexes. */
const countOpen = ({ userId, now }: Placeholders<User>) =>
  sql`((SELECT count(*) FROM deliveries WHERE placedBy = ${userId}
      AND state IN ('awaiting_wallet', 'queued', 'in_flight'))
    + (SELECT count(*) FROM reservations WHERE placedBy = ${userId} AND expiresAt > ${now}))`

const selectCount = prepared((db, user: Placeholders<User>) =>
  db.all<{ open: number }>(sql`SELECT ${countOpen(user)} AS open`),
)

const hasMore = preparedCondition(
  (_, values: Placeholders<User & { most: number }>) => sql`${countOpen(values)} > ${values.most}`,
)

const userOf = ({ caller, now }: Ctx) => ({ userId: caller.userId, now: now.toISOString() })

/** Selects how many orders and reservations of the caller are open. */
export const selectOpen = (ctx: Ctx) => selectCount(ctx.db, userOf(ctx))

/** Whether `added` more would exceed the limit. */
export const limitOpen = (ctx: LimitCtx, added: number): Query[] =>
  ctx.caller.role === 'master'
    ? []
    : [hasMore({ ...userOf(ctx), most: ctx.settings.MAX_OPEN_ORDERS - added })]

/** Throws `too_many_open_orders` if `added` more than these would exceed the limit. */
export function requireRoom({ caller, settings }: LimitCtx, open: number, added: number): void {
  const limit = settings.MAX_OPEN_ORDERS
  if (caller.role === 'master' || open + added <= limit) return
  throw new ApiError(
    'too_many_open_orders',
    `you have ${open} orders and reservations that are not ended, and this call would add ${added}; the limit is ${limit}`,
  )
}

/** How many times as many may be added in a day (UTC) as may be open: they may end at once. */
const OPEN_A_DAY = 10

/** The quota of `added` more orders and reservations of a user token. */
export function dailyOrders({ caller, settings }: LimitCtx, added: number): Quota[] {
  if (caller.role === 'master') return []
  const limit = OPEN_A_DAY * settings.MAX_OPEN_ORDERS
  const error = (seconds: number) =>
    rateLimited(`a user may add ${limit} orders and reservations a day`, seconds)
  return [{ name: `orders:${caller.userId}`, per: 'day', limit, uses: added, error }]
}
