/** How often a user may do in a day (UTC) what leaves rows behind. */
import { type SQL, sql } from 'drizzle-orm'
import type { Quota } from '../db/quota.ts'
import { perDay } from '../http/guard.ts'

/**
 * A rolled token counts as a new one. An unlinked wallet adds an event for everything that waits to
 * be delivered to the user.
 */
const MAX_A_DAY = { 'new tokens': 100, 'sign-ins': 100, unlinks: 10 }

/** The quota of a user. A `userId` of SQL may be null: of a user who does not exist yet. */
export const dailyQuota = (what: keyof typeof MAX_A_DAY, userId: number | SQL): Quota =>
  perDay(
    // D1 binds a number as a floating point number.
    sql`${`${what}:`} || CAST(${userId} AS INTEGER)`,
    MAX_A_DAY[what],
    `a user may have ${MAX_A_DAY[what]} ${what} a day (UTC)`,
  )
