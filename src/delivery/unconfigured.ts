/** Deliveries of networks that are not configured. */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { raw } from '../db/statements.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import { explain } from './reasons.ts'
import { type WaitingDelivery, waitOrFail } from './rules/delivery-changes.ts'
import { logFailedDeliveries } from './store/log-changes.ts'
import { assignChains, changeDeliveries, writeDeliveryChanges } from './transitions.ts'

type Networks = Settings['NETWORKS']

/** Deliveries that a cron run changes at most. The next one continues. */
const MAX_CHANGED = 5000

/**
 * Lets the deliveries of chains that are not configured wait, for a day at most: a rollback, or an old
 * version beside a new one, must not fail them. Queues those whose chain is configured again. What a
 * transaction carries is not changed.
 */
export async function putOffUnconfigured(
  db: Database,
  settings: { NETWORKS: Networks },
  now: Date,
): Promise<void> {
  const { due } = await batch(db, {
    ...queueConfigured(db, settings.NETWORKS, now),
    due: selectUnconfigured(db, configuredChainIds(settings), now),
  })
  const changes = due.map((delivery) =>
    waitOrFail(delivery, explain('network_not_configured'), false, now),
  )
  await batch(db, { written: writeDeliveryChanges(db, changes, false, now) })
  logFailedDeliveries(changes)
}

/** Queues what waited for a network. A delivery without a chain gets the one of its network. */
function queueConfigured(db: Database, networks: Networks, now: Date) {
  const chainIds = JSON.stringify(Object.values(networks).map(({ chainId }) => chainId))
  const names = JSON.stringify(Object.keys(networks))
  // In the spelling of the index `deliveries_delayed`, so that SQLite uses it.
  const isWaiting = sql`d.reasonCode = 'network_not_configured' AND d.waitingSince IS NOT NULL
    AND d.dueAt IS NOT NULL`
  return {
    assigned: assignChains(
      db,
      networks,
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

const selectUnconfigured = (db: Database, chainIds: readonly number[], now: Date) =>
  raw<WaitingDelivery>(db)`
    SELECT d.id, d.version, d.requestedAction, d.cancelRequestedAt, d.waitingSince,
      d.tries, d.withoutEffect, d.reasonCode, d.reasonDetail
    FROM (SELECT d.id FROM json_each(${JSON.stringify(rangesBetween(chainIds))}) JOIN deliveries d
        ON d.chainId > value ->> 0 AND d.chainId < value ->> 1 AND d.dueAt <= ${now.toISOString()}
      UNION ALL SELECT id FROM deliveries WHERE chainId IS NULL AND dueAt <= ${now.toISOString()}
      LIMIT ${MAX_CHANGED}) due CROSS JOIN deliveries d ON d.id = due.id
    WHERE d.state = 'queued'`

/** Ranges that contain all other ids. With them an index finds the deliveries of other chains. */
function rangesBetween(ids: readonly number[]): [after: number, before: number][] {
  const bounds = [0, ...ids.toSorted((a, b) => a - b), Number.MAX_SAFE_INTEGER]
  return bounds.slice(1).map((before, i) => [bounds[i] ?? 0, before])
}
