/**
 * When a chain has work, and how its run is woken. A message of the queue only names a chain: the database
 * says what there is to do.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { DAY, SECOND } from '../time.ts'

/** Says that a chain has something to do. */
export type WakeUp = { chainId: number }

/** Seconds. The cron run takes care of what is needed later. */
export const MAX_WAKE_DELAY = 60
/** Milliseconds between two comparisons of waiting deliveries with the chain. */
export const COMPARE_INTERVAL = DAY

/**
 * Wakes the consumer for each chain. Null, of a delivery whose network is not configured, is left out. If
 * sending fails, the cron run wakes the chain within a minute, so the failure is only logged. Returns whether
 * the messages were sent.
 */
export async function wake(
  queue: Queue<WakeUp>,
  chainIds: Iterable<number | null>,
  delaySeconds = 0,
): Promise<boolean> {
  const known = [...new Set(chainIds)].filter((chainId) => chainId !== null)
  if (known.length === 0) return true
  try {
    await queue.sendBatch(known.map((chainId) => ({ body: { chainId }, delaySeconds })))
    return true
  } catch (error) {
    log.error('wake_up_failed', { chainIds: known, error })
    return false
  }
}

/**
 * Wakes the chains that have something to do and on which no run works. Where one works, the chain is
 * woken when its lease ends: if the run has died, the next one begins a minute later at most.
 */
export async function wakeDueChains(
  queue: Queue<WakeUp>,
  db: Database,
  settings: Settings,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const chains = JSON.stringify(configuredChainIds(settings))
  const due = await db.all<{ chainId: number; freeAt: string }>(sql`
    SELECT value AS chainId, coalesce(leaseUntil, ${at}) AS freeAt
    FROM json_each(${chains}) LEFT JOIN networks ON chainId = value
    WHERE lease IS NOT NULL OR coalesce(leaseUntil, '') <= ${at} AND ${hasWorkSql(sql`value`, now)}`)
  for (const { chainId, freeAt } of due) {
    const delay = Math.ceil((Date.parse(freeAt) - now.getTime()) / SECOND)
    await wake(queue, [chainId], Math.min(Math.max(0, delay), MAX_WAKE_DELAY))
  }
}

/** Whether a chain has something to do, in a statement that reads `networks`. */
export const hasWorkSql = (chainId: SQL | number, now: Date): SQL =>
  sql`(wakeAt <= ${now.toISOString()} OR ${firstDue(chainId)} <= ${now.toISOString()}
    OR (coalesce(comparedAt, '') <= ${comparedBefore(now)} AND ${hasWaiting(chainId)})
    OR (unconfirmedSince IS NULL AND ${hasUnconfirmed(chainId)}))`

/** Deliveries are compared with the chain if those of it were compared before this time last. */
export const comparedBefore = (now: Date): string =>
  new Date(now.getTime() - COMPARE_INTERVAL).toISOString()

/** Whether deliveries of the chain failed or wait for a wallet. */
export const hasWaiting = (chainId: SQL | number): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE state IN ('awaiting_wallet', 'failed') AND deliveries.chainId = ${chainId})`

/** Whether deliveries of the chain have ended by the word of one node alone. */
const hasUnconfirmed = (chainId: SQL | number): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE isUnconfirmed AND deliveries.chainId = ${chainId})`

/** When the first delivery of the chain is due; null if none is planned. Reads one row for each placer. */
export const firstDue = (chainId: SQL | number): SQL<string | null> => {
  const queued = sql`FROM deliveries d WHERE d.chainId = ${chainId} AND d.dueAt IS NOT NULL`
  return sql`(WITH RECURSIVE placers (placer) AS (
      SELECT min(d.placer) ${queued}
      UNION ALL SELECT (SELECT min(d.placer) ${queued} AND d.placer > placers.placer)
        FROM placers WHERE placer IS NOT NULL)
    SELECT min((SELECT min(d.dueAt) ${queued} AND d.placer = placers.placer))
      FROM placers WHERE placer IS NOT NULL)`
}

/**
 * No message is planned for the time at which a chain was to be woken, because the queue has refused it: the
 * next cron run wakes the chain, and no run waits for that message.
 */
export const storeUnplanned = (db: Database, chainId: number, planned: string, now: Date) =>
  db.run(sql`UPDATE networks SET wakeAt = ${now.toISOString()}
    WHERE chainId = ${chainId} AND wakeAt = ${planned}`)
