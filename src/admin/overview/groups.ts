/** Failed items, and queued ones that wait for more than their turn, by their reason. */

import { type SQL, sql } from 'drizzle-orm'
import { raw } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { chains, codes, delayed, MAX_COUNT } from '../../monitoring/state.ts'

export type Group = {
  /** Only queued items are grouped by chain; null if their network is not configured. */
  chainId?: number | null
  reasonCode: ReasonCode
  /** Counted up to `MAX_COUNT`. */
  items: number
  oldestId: number
  /** JSON: what these items are worth by currency (ISO 4217), in minor units. */
  totals: string
}

const failed = sql`FROM deliveries INDEXED BY deliveries_failed
  WHERE reasonCode = value AND state = 'failed'`

/** The columns of a group. Its index has the oldest item first. */
const group = (items: SQL) => sql`value AS reasonCode, (SELECT id ${items} LIMIT 1) AS oldestId,
  (SELECT count(*) FROM (SELECT 1 ${items} LIMIT ${MAX_COUNT})) AS items,
  (SELECT json_group_object(priceCurrency, amount) FROM (
    SELECT priceCurrency, total(priceCents * quantity) AS amount FROM orderItems
    WHERE id IN (SELECT id ${items} LIMIT ${MAX_COUNT}) GROUP BY priceCurrency)) AS totals`

/** Selects the failed items of each reason, the largest group first. */
export const selectFailures = (db: Database) =>
  raw<Group>(
    db,
    sql`SELECT ${group(failed)} FROM json_each(${codes}) WHERE items > 0 ORDER BY items DESC, reasonCode`,
  )

/** Selects the queued items of each chain and reason, the largest group first. */
export const selectDelays = (db: Database) =>
  raw<Group>(
    db,
    sql`WITH RECURSIVE ${chains} SELECT chainId, ${group(delayed)} FROM chains, json_each(${codes})
      WHERE items > 0 ORDER BY items DESC, reasonCode`,
  )
