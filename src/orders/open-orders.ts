/** The limit of orders that all user tokens of a user together have under way. */
import { and, count, eq, type Placeholder, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { deliveries } from '../db/schema/delivery.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

type User = Placeholders<{ userId: number }>

const countOpen = (db: Database, userId: Placeholder) =>
  db
    .select({ open: count() })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.placedBy, userId),
        // In the spelling of the index `deliveries_open`, so that SQLite uses it.
        sql`${deliveries.state} IN ('awaiting_wallet', 'queued', 'in_flight')`,
      ),
    )

const openOrders = prepared((db, { userId }: User) => countOpen(db, userId))

/** Whether the user has more orders under way than `most`. */
export const hasMoreOpen = preparedCondition(
  (db, { userId, most }: Placeholders<{ userId: number; most: number }>) =>
    sql`${countOpen(db, userId)} > ${most}`,
)

/** Throws `too_many_open_orders` if a user token would exceed the limit with `added` orders. */
export async function checkOpenOrders(
  db: Database,
  { role, userId }: Caller,
  added: number,
  limit: number,
): Promise<void> {
  if (role === 'master') return
  const [[row]] = await db.batch([openOrders(db, { userId })])
  const open = row?.open ?? 0
  if (open + added > limit)
    throw new ApiError(
      'too_many_open_orders',
      `you have ${open} orders that are not ended, and this call would add ${added}; the limit is ${limit}`,
    )
}
