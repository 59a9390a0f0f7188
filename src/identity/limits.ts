/** How often a user may do in a day (UTC) what leaves rows behind. */
import { type SQL, sql } from 'drizzle-orm'
import type { Quota } from '../db/quota.ts'
import { rateLimited } from '../http/errors.ts'

/**
 * A rolled token counts as a new one. An unlinked wallet adds an event for everything that waits to
 * be delivered to the user.
 */
const MAX_A_DAY = { 'new tokens': 100, 'sign-ins': 100, unlinks: 10 }

/** The quota of a user. A `userId` of SQL may be null: of a user who does not exist yet. */
export const dailyQuota = (what: keyof typeof MAX_A_DAY, userId: number | SQL): Quota => ({
  // D1 binds a number as a floating point number.
  name: sql<string>`${`${what}:`} || CAST(${userId} AS INTEGER)`,
  per: 'day',
  limit: MAX_A_DAY[what],
  error: (seconds) =>
    rateLimited(`a user may have ${MAX_A_DAY[what]} ${what} a day (UTC)`, seconds),
})
