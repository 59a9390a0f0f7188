import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { firstDue, isCompareDueSql } from './store/lease.ts'

/** Says that a chain has something to do. The database says what. */
export type WakeUp = { chainId: number }

/** Seconds. The cron run takes care of what is needed later. */
export const MAX_WAKE_DELAY = 60

/**
 * Wakes the consumer for each chain. Null, of an item whose network is not configured, is left out. If
 * sending fails, the cron run wakes the chain within a minute, so the failure is only logged.
 */
export async function wake(
  queue: Queue<WakeUp>,
  chainIds: Iterable<number | null>,
  delaySeconds = 0,
): Promise<void> {
  const messages = [...new Set(chainIds)].flatMap((chainId) =>
    chainId === null ? [] : { body: { chainId }, delaySeconds },
  )
  if (messages.length === 0) return
  await queue.sendBatch(messages).catch((error) =>
    log.error('wake_up_failed', {
      chainIds: messages.map(({ body }) => body.chainId),
      error,
    }),
  )
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
    WHERE lease IS NOT NULL OR coalesce(leaseUntil, '') <= ${at}
      AND (wakeAt <= ${at} OR ${firstDue(sql`value`)} <= ${at}
        OR (${isCompareDueSql(sql`value`, now)}))`)
  const delayOf = (freeAt: string) => Math.ceil((Date.parse(freeAt) - now.getTime()) / 1000)
  for (const { chainId, freeAt } of due)
    await wake(queue, [chainId], Math.min(Math.max(0, delayOf(freeAt)), MAX_WAKE_DELAY))
}
