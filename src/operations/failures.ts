/** Deliveries that failed and are not cancelled. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'

/** Items that are counted at most. */
export const MAX_FAILURES = 10_000

export type Failure = {
  /** The beginning of the reasons. What follows a colon differs from item to item. */
  reason: string
  items: number
  oldestId: number
}

/** The failed items by the part of the reason before the colon, the largest group first. */
export const selectFailures = (db: Database) =>
  raw<Failure>(
    db,
    sql`SELECT substr(reason, 1, instr(reason || ':', ':') - 1) AS reason, count(*) AS items,
        min(id) AS oldestId
      FROM (SELECT id, reason FROM deliveries
        WHERE state = 'failed' AND wish = 'deliver' AND reason IS NOT NULL LIMIT ${MAX_FAILURES})
      GROUP BY 1 ORDER BY 2 DESC, 1`,
  )
