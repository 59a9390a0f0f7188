/** How many messages of an endpoint may wait for another attempt. */
import { type SQL, sql } from 'drizzle-orm'

/** With as many messages that wait for another attempt, an endpoint gets no event of the log. */
export const MAX_PENDING = 1000

/** SQL of how many messages of an endpoint wait for another attempt; it counts to `MAX_PENDING`. */
export const countPending = (endpointId: string): SQL<number> =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM webhookMessages
    WHERE endpointId = ${endpointId} AND dueAt IS NOT NULL LIMIT ${MAX_PENDING}))`
