/**
 * The lease of a chain: one run at a time takes it, writes under it what each phase of a step has decided, in
 * one transaction, and releases it.
 */

import { type SQL, sql } from 'drizzle-orm'
import { type Guard, guarded } from '../../db/batch.ts'
import { type Database, toJsonSlices } from '../../db/client.ts'
import { raw } from '../../db/statements.ts'
import type { Network } from '../../env.ts'
import { MINUTE, SECOND } from '../../time.ts'
import type { NetworkRow } from '../model.ts'
import { COMPARE_INTERVAL, firstDue, hasWaiting, hasWorkSql } from '../wake.ts'
import { type Changes, hasChanges, NO_CHANGES, writeChanges } from './changes.ts'
import { logChanges } from './log-changes.ts'

/** Milliseconds after which a run that has not written anything may be taken for dead. */
export const LEASE = MINUTE
/** Milliseconds until a comparison is tried again that was not possible. */
const COMPARE_DELAY = MINUTE
/** After every time. */
const NEVER = '9999'

/** Returns when a lease taken now ends. */
const leaseEnd = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

/** Whether a run has the lease. */
export const hasLeaseSql = (chainId: number, lease: string): SQL =>
  sql`EXISTS (SELECT 1 FROM networks WHERE chainId = ${chainId} AND lease = ${lease})`

/**
 * The statement that takes the lease, or renews it. It returns no row if another run has it, or nothing is to
 * be done. A lease that another run has left is a failure of that run.
 */
export function takeChainLease(db: Database, chainId: number, lease: string, now: Date) {
  const at = now.toISOString()
  return raw<Omit<NetworkRow, 'contracts'> & { contracts: string }>(db)`
    INSERT INTO networks (chainId, lease, leaseUntil)
    VALUES (${chainId}, ${lease}, ${leaseEnd(now)})
    ON CONFLICT (chainId) DO UPDATE SET lease = excluded.lease, leaseUntil = excluded.leaseUntil,
      problem = iif(lease <> excluded.lease AND failedSince IS NULL, NULL, problem),
      failedSince = iif(lease <> excluded.lease, coalesce(failedSince, ${at}), failedSince)
    WHERE lease = excluded.lease OR (leaseUntil <= ${at} AND (lease IS NOT NULL
      OR ${hasWorkSql(chainId, now)}))
    RETURNING chainId, wakeAt, settledBlock, settledHash, comparedId, comparedAt, contracts,
      unconfirmedSince, minedByOne, contradictedSince`
}

/** Another run has the lease, or somebody changed a delivery since it was loaded. Nothing is written. */
export class Outdated extends Error {}

/** The lease that a step has of its network. Only under it may a step write. */
export type HeldLease = ReturnType<typeof holdLease>

export function holdLease(
  db: Database,
  { chainId }: Pick<Network, 'chainId'>,
  id: string,
  clock: () => Date,
) {
  let renewedAt = clock().getTime()
  /** Writes changes, and renews the lease once part of it has passed. Throws `Outdated`. */
  const write = async (changes: Changes) => {
    const now = clock()
    if (!hasChanges(changes) && now.getTime() - renewedAt < LEASE / 4) return
    const statements = writeChanges(db, chainId, changes, { now, leaseUntil: leaseEnd(now) })
    await guarded(db, guardsOf(chainId, id, changes), statements)
    renewedAt = clock().getTime()
    logChanges(chainId, changes)
  }
  return { write, renew: () => write(NO_CHANGES) }
}

/** What must still be so: the run has the lease, and the deliveries are as they were loaded. */
function guardsOf(chainId: number, lease: string, { deliveries }: Changes): Guard[] {
  const error = () => new Outdated('the run is outdated')
  const expected = toJsonSlices(deliveries.map(({ id, version }) => ({ id, version })))
  const isChanged = (rows: string) => sql`EXISTS (SELECT 1 FROM json_each(${rows})
    LEFT JOIN deliveries d ON d.id = value ->> 'id' AND d.version = value ->> 'version'
    WHERE d.id IS NULL)`
  return [
    { when: sql`NOT ${hasLeaseSql(chainId, lease)}`, error },
    ...expected.map((rows) => ({ when: isChanged(rows), error })),
  ]
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

/** What a step leads to. */
export type StepOutcome = {
  /** When the network has to be looked at again for its transactions; null if it has none. */
  lookAt: Date | null
  /** Whether more deliveries could be sent before that. */
  takesDeliveries: boolean
  /** Why nothing could be sent; null if nothing stopped it. */
  problem: string | null
}

/**
 * Releases the lease, unless deliveries are due that can be sent (`isHeld`). `wakeAt`: when the next run is
 * needed. If a message is planned for an earlier time, that one (`planned`).
 */
export async function releaseChainLease(
  db: Database,
  { chainId, wakeAt }: Pick<NetworkRow, 'chainId' | 'wakeAt'>,
  lease: string,
  { lookAt, takesDeliveries, problem }: StepOutcome,
  now: Date,
) {
  const at = now.toISOString()
  const planned = wakeAt && wakeAt > at ? wakeAt : null
  const compareAt = new Date(now.getTime() + COMPARE_DELAY).toISOString()
  const nextDue = takesDeliveries ? firstDue(chainId) : sql`NULL`
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
