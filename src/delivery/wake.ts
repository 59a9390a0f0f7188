import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { type Database, raw } from '../db/client.ts'
import type { ReasonCode } from '../db/schema/delivery.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { logFailures } from './log-failures.ts'
import { explain } from './reasons.ts'
import { type WaitingItem, waitOrFail } from './rules/item-changes.ts'
import { firstDue, isCompareDue } from './store/lease.ts'
import { assignChains, changeDeliveries, writeItemChanges } from './transitions.ts'

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
  const [due] = await db.batch([
    raw<{ chainId: number; freeAt: string }>(
      db,
      sql`SELECT value AS chainId, coalesce(leaseUntil, ${at}) AS freeAt
        FROM json_each(${chains}) LEFT JOIN networks ON chainId = value
        WHERE lease IS NOT NULL OR coalesce(leaseUntil, '') <= ${at}
          AND (wakeAt <= ${at} OR ${firstDue(sql`value`)} <= ${at}
            OR (${isCompareDue(sql`value`, now)}))`,
    ),
  ])
  const delayOf = (freeAt: string) => Math.ceil((Date.parse(freeAt) - now.getTime()) / 1000)
  for (const { chainId, freeAt } of due)
    await wake(queue, [chainId], Math.min(Math.max(0, delayOf(freeAt)), MAX_DELAY))
}

/** Items that a cron run changes at most. The next one continues. */
const MAX_CHANGED = 5000

const NOT_CONFIGURED: ReasonCode = 'network_not_configured'

/**
 * Lets the items of chains that are not configured wait, for a day at most: a rollback, or an old
 * version beside a new one, must not fail them. Queues those whose chain is configured again. What a
 * transaction carries is not changed.
 */
export async function putOffUnconfigured(
  db: Database,
  settings: Pick<Settings, 'NETWORKS'>,
  now: Date,
): Promise<void> {
  const { due } = await batch(db, {
    ...queueConfigured(db, settings, now),
    due: selectUnconfigured(db, configuredChainIds(settings), now),
  })
  const changes = due.map((item) => waitOrFail(item, explain(NOT_CONFIGURED), false, now))
  await batch(db, { written: writeItemChanges(db, changes, now) })
  logFailures(changes)
}

/** Queues what waited for a network. An item without a chain gets the one of its network. */
function queueConfigured(db: Database, { NETWORKS }: Pick<Settings, 'NETWORKS'>, now: Date) {
  const chainIds = JSON.stringify(Object.values(NETWORKS).map(({ chainId }) => chainId))
  const names = JSON.stringify(Object.keys(NETWORKS))
  // In the spelling of the index `deliveries_delayed`, so that SQLite uses it.
  const isWaiting = sql`d.reasonCode = ${NOT_CONFIGURED} AND d.failingSince IS NOT NULL
    AND d.dueAt IS NOT NULL`
  return {
    assigned: assignChains(
      db,
      NETWORKS,
      sql`id IN (SELECT d.id FROM deliveries d JOIN orderItems i ON i.id = d.id
          JOIN nfts n ON n.id = i.nftId
        WHERE d.chainId IS NULL AND ${isWaiting}
          AND n.contractNetwork IN (SELECT value FROM json_each(${names}))
        ORDER BY d.id LIMIT ${MAX_CHANGED})`,
    ),
    configured: changeDeliveries(
      db,
      'configure_network',
      sql`deliveries.id IN (SELECT d.id FROM json_each(${chainIds}) JOIN deliveries d
        ON d.chainId = value WHERE ${isWaiting} ORDER BY d.id LIMIT ${MAX_CHANGED})`,
      now,
    ),
  }
}

/** Selects the due items of chains that are not configured. */
const selectUnconfigured = (db: Database, chainIds: readonly number[], now: Date) =>
  raw<WaitingItem>(
    db,
    sql`SELECT d.id, d.state, d.version, d.requestedAction, d.cancelRequestedAt, d.failingSince,
        d.tries, d.reasonCode, d.reasonDetail
      FROM (SELECT d.id FROM json_each(${JSON.stringify(rangesBetween(chainIds))}) JOIN deliveries d
          ON d.chainId > value ->> 0 AND d.chainId < value ->> 1 AND d.dueAt <= ${now.toISOString()}
        UNION ALL SELECT id FROM deliveries WHERE chainId IS NULL AND dueAt <= ${now.toISOString()}
        LIMIT ${MAX_CHANGED}) due CROSS JOIN deliveries d ON d.id = due.id
      WHERE d.state = 'queued'`,
  )

/** Ranges that contain all other ids. With them an index finds the items of other chains. */
function rangesBetween(ids: readonly number[]): [after: number, before: number][] {
  const bounds = [0, ...ids.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER]
  return bounds.slice(1).map((before, i) => [bounds[i] ?? 0, before])
}
