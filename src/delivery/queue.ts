/** What waits on a chain: conditions for statements of the cron run and of the engine. */
import { type SQL, sql } from 'drizzle-orm'

/** Milliseconds between two comparisons of waiting items with the chain. */
export const COMPARE_INTERVAL = 24 * 60 * 60 * 1000

/** When the first item of the chain is due; null if none is planned. Reads one row for each placer. */
export const firstDue = (chainId: SQL): SQL<string | null> => {
  const queued = sql`FROM deliveries d WHERE d.chainId = ${chainId} AND d.dueAt IS NOT NULL`
  return sql`(WITH RECURSIVE placers (placer) AS (
      SELECT min(d.placer) ${queued}
      UNION ALL SELECT (SELECT min(d.placer) ${queued} AND d.placer > placers.placer)
        FROM placers WHERE placer IS NOT NULL)
    SELECT min((SELECT min(d.dueAt) ${queued} AND d.placer = placers.placer))
      FROM placers WHERE placer IS NOT NULL)`
}

/** Whether items of the chain failed or wait for a wallet. */
export const hasWaiting = (chainId: SQL): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE state IN ('awaiting_wallet', 'failed') AND deliveries.chainId = ${chainId})`

/** Whether it is time to compare them with the chain, in a statement that reads `networks`. */
export const isCompareDue = (chainId: SQL, now: Date): SQL => {
  const comparedBefore = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  return sql`coalesce(comparedAt, '') <= ${comparedBefore} AND ${hasWaiting(chainId)}`
}
