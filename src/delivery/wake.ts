import { sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { DeliveryState } from '../db/schema/delivery.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { firstDue, isCompareDue } from './queue.ts'
import { explain, rules } from './reasons.ts'

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

/** Items that a statement changes at most. The next cron run continues. */
const MAX_CHANGED = 5000

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
  // A batch, because errors of single statements have the bound values in their text.
  const [, changed] = await db.batch([
    queueConfigured(db, settings, now),
    putOff(db, configuredChainIds(settings), now),
  ])
  for (const { id, state } of changed)
    if (state === 'failed') log.error('delivery_failed', { itemId: id, reasonCode, reason })
}

const { reasonCode, reason } = explain('network_not_configured')
const isWaiting = sql`d.reasonCode = ${reasonCode} AND d.failingSince IS NOT NULL AND d.dueAt IS NOT NULL`

/** Queues what waited for a network. An item without a chain gets the one of its network. */
function queueConfigured(db: Database, { NETWORKS }: Pick<Settings, 'NETWORKS'>, now: Date) {
  const at = now.toISOString()
  const networks = Object.entries(NETWORKS).map(([name, { chainId }]) => ({ name, chainId }))
  return raw<never>(
    db,
    sql`UPDATE deliveries SET chainId = configured.chainId, dueAt = ${at}, failingSince = NULL,
        reasonCode = NULL, reason = NULL, version = version + 1, updatedAt = ${at}
      FROM (WITH networks AS (SELECT value ->> 'name' AS name, value ->> 'chainId' AS chainId
          FROM json_each(${JSON.stringify(networks)}))
        SELECT d.id, networks.chainId FROM networks JOIN deliveries d
          ON d.chainId = networks.chainId WHERE ${isWaiting}
        UNION ALL SELECT d.id, networks.chainId FROM deliveries d
          CROSS JOIN orderItems i ON i.id = d.id CROSS JOIN nfts n ON n.id = i.nftId
          JOIN networks ON networks.name = n.contractNetwork
          WHERE d.chainId IS NULL AND ${isWaiting}
        LIMIT ${MAX_CHANGED}) AS configured
      WHERE deliveries.id = configured.id`,
  )
}

/**
 * Delays due items as long as they have waited, from a minute to an hour. A cancelled item that is
 * cancelled again keeps its reason, which says that its pieces have returned to the stock.
 */
function putOff(db: Database, chainIds: readonly number[], now: Date) {
  const at = now.toISOString()
  const isAgain = sql`reasonCode IS 'cancelled'`
  const since = sql`iif(reasonCode = ${reasonCode} OR ${isAgain}, coalesce(failingSince, ${at}), ${at})`
  const hasFailed = sql`(NOT ${isAgain} AND ${since} <= ${new Date(now.getTime() - rules[reasonCode].waits).toISOString()})`
  const delay = sql`min(3600, max(60, unixepoch(${at}) - unixepoch(${since})))`
  return raw<{ id: number; state: DeliveryState }>(
    db,
    sql`UPDATE deliveries SET state = iif(${hasFailed}, 'failed', state),
        requestedAction = iif(${hasFailed}, 'deliver', requestedAction), failingSince = ${since},
        dueAt = iif(${hasFailed}, NULL, strftime('%Y-%m-%dT%H:%M:%fZ', ${at}, '+' || ${delay} || ' seconds')),
        reasonCode = iif(${isAgain}, reasonCode, ${reasonCode}),
        reason = iif(${isAgain}, reason, ${reason}), version = version + 1, updatedAt = ${at}
      WHERE state = 'queued' AND id IN (
        SELECT d.id FROM json_each(${JSON.stringify(rangesBetween(chainIds))}) JOIN deliveries d
          ON d.chainId > value ->> 0 AND d.chainId < value ->> 1 AND d.dueAt <= ${at}
        UNION ALL SELECT id FROM deliveries WHERE chainId IS NULL AND dueAt <= ${at}
        LIMIT ${MAX_CHANGED})
      RETURNING id, state`,
  )
}

/** Ranges that contain all other ids. With them an index finds the items of other chains. */
function rangesBetween(ids: readonly number[]): [after: number, before: number][] {
  const bounds = [0, ...ids.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER]
  return bounds.slice(1).map((before, i) => [bounds[i] ?? 0, before])
}
