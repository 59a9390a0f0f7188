import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { isCompareDue } from './engine/load.ts'
import { explain } from './reasons.ts'

/** Says that a chain has something to do. The database says what. */
export type WakeUp = { chainId: number }

/** Seconds. The cron run takes care of what is needed later. */
export const MAX_DELAY = 60

/**
 * Wakes the consumer for each chain. If that fails, the cron run wakes it within a minute, so the
 * failure is only logged.
 */
export async function wake(
  queue: Queue<WakeUp>,
  chainIds: Iterable<number>,
  delaySeconds = 0,
): Promise<void> {
  const messages = [...new Set(chainIds)].map((chainId) => ({ body: { chainId }, delaySeconds }))
  if (messages.length === 0) return
  await queue.sendBatch(messages).catch((error) =>
    log.error('wake_up_failed', {
      chainIds: messages.map(({ body }) => body.chainId),
      error,
    }),
  )
}

/** Wakes the chains that have something to do and on which no run works. */
export async function wakeDueChains(
  queue: Queue<WakeUp>,
  db: Database,
  settings: Settings,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const chains = JSON.stringify(configuredChainIds(settings))
  const [due] = await db.batch([
    raw<{ chainId: number }>(
      db,
      sql`SELECT value AS chainId FROM json_each(${chains}) LEFT JOIN networks ON chainId = value
        WHERE coalesce(leaseUntil, '') <= ${at}
          AND (lease IS NOT NULL OR wakeAt <= ${at} OR EXISTS (
            SELECT 1 FROM deliveries WHERE deliveries.chainId = value AND dueAt <= ${at})
            OR (${isCompareDue(sql`value`, now)}))`,
    ),
  ])
  await wake(
    queue,
    due.map(({ chainId }) => chainId),
  )
}

/**
 * Fails the items of chains that are not configured any more. What a transaction carries may still
 * be delivered, so it waits for the chain to be configured again.
 */
export async function failRemovedChains(
  db: Database,
  settings: Settings,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const others = JSON.stringify(rangesBetween(configuredChainIds(settings)))
  const { reasonCode, reason } = explain('network_not_configured')
  // A batch, because errors of single statements have the bound values in their text.
  const [failed] = await db.batch([
    raw<{ id: number }>(
      db,
      sql`UPDATE deliveries SET state = 'failed', requestedAction = 'deliver', dueAt = NULL, version = version + 1,
          reasonCode = ${reasonCode}, reason = ${reason}, updatedAt = ${at}
        WHERE state = 'queued' AND id IN (SELECT d.id FROM json_each(${others}) JOIN deliveries d
          ON d.chainId > value ->> 0 AND d.chainId < value ->> 1 AND d.dueAt <= ${at})
        RETURNING id`,
    ),
  ])
  for (const { id } of failed) log.error('delivery_failed', { itemId: id, reasonCode, reason })
}

/** Ranges that contain all other ids. With them an index finds the items of other chains. */
function rangesBetween(ids: readonly number[]): [after: number, before: number][] {
  const bounds = [0, ...ids.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER]
  return bounds.slice(1).map((before, i) => [bounds[i] ?? 0, before])
}
