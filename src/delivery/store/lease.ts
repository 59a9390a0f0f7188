/** When a chain has work, and the lease under which a run does it. */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/client.ts'

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
const hasWaiting = (chainId: SQL): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE state IN ('awaiting_wallet', 'failed') AND deliveries.chainId = ${chainId})`

/** Whether it is time to compare them with the chain, in a statement that reads `networks`. */
export const isCompareDueSql = (chainId: SQL, now: Date): SQL => {
  const comparedBefore = new Date(now.getTime() - COMPARE_INTERVAL).toISOString()
  return sql`coalesce(comparedAt, '') <= ${comparedBefore} AND ${hasWaiting(chainId)}`
}

/** Milliseconds after which a run that has not written anything may be taken for dead. */
export const LEASE = 60_000

/** Returns when a lease taken now ends. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

const INTERVAL = `+${COMPARE_INTERVAL / 1000} seconds`

/** After every time. */
const NEVER = '9999'

/** What the release of a lease found. */
export type Released = {
  /** Items became due meanwhile, so the lease is kept. */
  isHeld: 0 | 1
  wakeAt: string | null
}

export type Plan = {
  /** When the transactions have to be looked at. */
  lookAt: Date | null
  /** Whether more items can be sent before that. */
  takesItems: boolean
  /** When failed and waiting items are compared at the earliest, if their time has come. */
  compareAt: Date
  /** When the chain will be woken anyway. It is not woken later. */
  planned?: string | null
  /** Why the run could not work; null if it could. */
  problem: string | null
}

/** Stores why a run has thrown, and gives its lease back. The cron run wakes the chain again. */
export async function storeFailure(
  db: Database,
  chainId: number,
  lease: string,
  reason: string,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  await db.run(sql`INSERT INTO networks (chainId, leaseUntil, wakeAt, problem, failedSince)
    VALUES (${chainId}, ${at}, ${at}, ${reason}, ${at})
    ON CONFLICT (chainId) DO UPDATE SET lease = NULL, leaseUntil = ${at}, wakeAt = ${at},
      problem = ${reason}, failedSince = coalesce(failedSince, ${at})
    WHERE lease = ${lease} OR leaseUntil <= ${at}`)
}

/** Releases the lease, unless items are due that can be sent. */
export async function release(
  db: Database,
  chainId: number,
  lease: string,
  { lookAt, takesItems, compareAt, planned, problem }: Plan,
  now: Date,
): Promise<Released | undefined> {
  const at = now.toISOString()
  const nextDue = takesItems ? firstDue(sql`${chainId}`) : sql`NULL`
  const hasDue = sql`coalesce(${nextDue} <= ${at}, 0)`
  const nextComparison = sql`strftime('%Y-%m-%dT%H:%M:%fZ', comparedAt, ${INTERVAL})`
  const [released] = await db.all<Released>(sql`UPDATE networks SET
      lease = iif(${hasDue}, lease, NULL),
      leaseUntil = iif(${hasDue}, leaseUntil, ${at}),
      problem = ${problem}, failedSince = NULL,
      wakeAt = (SELECT min(min(time), ${planned ?? NEVER}) FROM (
        SELECT ${lookAt?.toISOString() ?? null} AS time UNION ALL SELECT ${nextDue}
        UNION ALL SELECT max(${compareAt.toISOString()}, coalesce(${nextComparison}, ''))
        WHERE ${hasWaiting(sql`${chainId}`)}))
    WHERE chainId = ${chainId} AND lease = ${lease}
    RETURNING lease IS NOT NULL AS isHeld, wakeAt`)
  return released
}
