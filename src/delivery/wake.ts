/**
 * When a chain has work, how its run is woken, and the lease under which one run at a time does it. A
 * message of the queue only names a chain: the database says what there is to do.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { DAY, MINUTE, SECOND } from '../time.ts'
import type { NetworkRow } from './model.ts'

/** Says that a chain has something to do. */
export type WakeUp = { chainId: number }

/** Seconds. The cron run takes care of what is needed later. */
export const MAX_WAKE_DELAY = 60
/** Milliseconds after which a run that has not written anything may be taken for dead. */
export const LEASE = MINUTE
/** Milliseconds between two comparisons of waiting items with the chain. */
export const COMPARE_INTERVAL = DAY
/** Milliseconds until a comparison is tried again that was not possible. */
const COMPARE_DELAY = MINUTE
/** After every time. */
const NEVER = '9999'

/**
 * Wakes the consumer for each chain. Null, of an item whose network is not configured, is left out. If
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

/** Items are compared with the chain if those of it were compared before this time last. */
export const comparedBefore = (now: Date): string =>
  new Date(now.getTime() - COMPARE_INTERVAL).toISOString()

/** Whether items of the chain failed or wait for a wallet. */
const hasWaiting = (chainId: SQL | number): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE state IN ('awaiting_wallet', 'failed') AND deliveries.chainId = ${chainId})`

/** Whether items of the chain have ended by the word of one node alone. */
const hasUnconfirmed = (chainId: SQL | number): SQL => sql`EXISTS (SELECT 1 FROM deliveries
  WHERE isUnconfirmed AND deliveries.chainId = ${chainId})`

/** When the first item of the chain is due; null if none is planned. Reads one row for each placer. */
const firstDue = (chainId: SQL | number): SQL<string | null> => {
  const queued = sql`FROM deliveries d WHERE d.chainId = ${chainId} AND d.dueAt IS NOT NULL`
  return sql`(WITH RECURSIVE placers (placer) AS (
      SELECT min(d.placer) ${queued}
      UNION ALL SELECT (SELECT min(d.placer) ${queued} AND d.placer > placers.placer)
        FROM placers WHERE placer IS NOT NULL)
    SELECT min((SELECT min(d.dueAt) ${queued} AND d.placer = placers.placer))
      FROM placers WHERE placer IS NOT NULL)`
}

/** Returns when a lease taken now ends. */
export const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

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

/**
 * No message is planned for the time at which a chain was to be woken, because the queue has refused it: the
 * next cron run wakes the chain, and no run waits for that message.
 */
export const storeUnplanned = (db: Database, chainId: number, planned: string, now: Date) =>
  db.run(sql`UPDATE networks SET wakeAt = ${now.toISOString()}
    WHERE chainId = ${chainId} AND wakeAt = ${planned}`)

/** What a step leads to. */
export type Outcome = {
  /** When the network has to be looked at again for its transactions; null if it has none. */
  lookAt: Date | null
  /** Whether more items could be sent before that. */
  takesItems: boolean
  /** Why nothing could be sent; null if nothing stopped it. */
  problem: string | null
}

/**
 * Releases the lease, unless items are due that can be sent (`isHeld`). `wakeAt`: when the next run is
 * needed. If a message is planned for an earlier time, that one (`planned`).
 */
export async function release(
  db: Database,
  { chainId, wakeAt }: Pick<NetworkRow, 'chainId' | 'wakeAt'>,
  lease: string,
  { lookAt, takesItems, problem }: Outcome,
  now: Date,
) {
  const at = now.toISOString()
  const planned = wakeAt && wakeAt > at ? wakeAt : null
  const compareAt = new Date(now.getTime() + COMPARE_DELAY).toISOString()
  const nextDue = takesItems ? firstDue(chainId) : sql`NULL`
  const hasDue = sql`coalesce(${nextDue} <= ${at}, 0)`
  const nextComparison = sql`strftime('%Y-%m-%dT%H:%M:%fZ', comparedAt,
    ${`+${COMPARE_INTERVAL / SECOND} seconds`})`
  const [released] = await db.all<{ isHeld: 0 | 1; wakeAt: string | null }>(sql`UPDATE networks SET
      lease = iif(${hasDue}, lease, NULL),
      leaseUntil = iif(${hasDue}, leaseUntil, ${at}),
      problem = ${problem}, failedSince = NULL,
      wakeAt = (SELECT min(min(time), ${planned ?? NEVER}) FROM (
        SELECT ${lookAt?.toISOString() ?? null} AS time UNION ALL SELECT ${nextDue}
        UNION ALL SELECT max(${compareAt}, coalesce(${nextComparison}, ''))
        WHERE ${hasWaiting(chainId)}))
    WHERE chainId = ${chainId} AND lease = ${lease}
    RETURNING lease IS NOT NULL AS isHeld, wakeAt`)
  return released && { ...released, isPlanned: released.wakeAt === planned }
}
