/** Deliveries that failed. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import type { ReasonCode } from '../db/schema/delivery.ts'

/** Items that are counted at most. */
export const MAX_FAILURES = 10_000

export type Failure = {
  reasonCode: ReasonCode
  items: number
  oldestId: number
}

/** The failed items by reason, the largest group first. */
export const selectFailures = (db: Database) =>
  raw<Failure>(
    db,
    sql`SELECT reasonCode, count(*) AS items, min(id) AS oldestId
      FROM (SELECT id, reasonCode FROM deliveries
        WHERE state = 'failed' AND reasonCode IS NOT NULL LIMIT ${MAX_FAILURES})
      GROUP BY 1 ORDER BY 2 DESC, 1`,
  )
