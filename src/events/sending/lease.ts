/** The lease of an endpoint lets one run at a time send to it. */

import { and, eq, sql } from 'drizzle-orm'
import { batch, raw } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { webhookEndpoints } from '../../db/schema/webhooks.ts'
import { WINDOW } from '../id.ts'
import { countPending, MAX_PENDING } from '../pending.ts'
import { type DueEndpoint, isClaimable, isDue } from '../wake.ts'

/** Milliseconds. A run that does not commit for so long counts as dead. */
const LEASE = 60_000

/** Returns the end of a lease that is taken or renewed now. */
export const leaseFrom = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

/** An endpoint to which a run sends, as it was when the lease was taken or renewed. */
export const leasedColumns = {
  id: webhookEndpoints.id,
  userId: webhookEndpoints.userId,
  role: webhookEndpoints.role,
  url: webhookEndpoints.url,
  events: webhookEndpoints.events,
  sources: webhookEndpoints.sources,
  secretId: webhookEndpoints.secretId,
  previousSecretId: webhookEndpoints.previousSecretId,
  previousSecretUntil: webhookEndpoints.previousSecretUntil,
  verifiedAt: webhookEndpoints.verifiedAt,
  position: webhookEndpoints.position,
  failures: webhookEndpoints.failures,
  pausedUntil: webhookEndpoints.pausedUntil,
  failingSince: webhookEndpoints.failingSince,
  disabledAt: webhookEndpoints.disabledAt,
  disabledReason: webhookEndpoints.disabledReason,
  updatedAt: webhookEndpoints.updatedAt,
  wakeAt: webhookEndpoints.wakeAt,
  leaseUntil: webhookEndpoints.leaseUntil,
}
export type Leased = Pick<typeof webhookEndpoints.$inferSelect, keyof typeof leasedColumns>

/** Matches the endpoint while the run has its lease. */
export const isLeased = ({ id, leaseUntil }: Leased) =>
  and(eq(webhookEndpoints.id, id), sql`${webhookEndpoints.leaseUntil} = ${leaseUntil}`)

/**
 * Takes the lease of an endpoint. Returns undefined if it is not due, another run has the lease, or
 * runs send to as many endpoints of its user as may be.
 */
export async function takeLease(
  db: Database,
  endpointId: string,
  now: Date,
): Promise<Leased | undefined> {
  const { leased } = await batch(db, {
    leased: db
      .update(webhookEndpoints)
      .set({ leaseUntil: leaseFrom(now) })
      .where(and(eq(webhookEndpoints.id, endpointId), isClaimable(now.toISOString())))
      .returning(leasedColumns),
  })
  return leased[0]
}

/** Whether another endpoint of the same role waits, and a run may send to it. */
export async function isAnotherWaiting(
  db: Database,
  { id, role }: Leased,
  now: Date,
): Promise<boolean> {
  const { others } = await batch(db, {
    others: db
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.role, role), sql`id <> ${id}`, isClaimable(now.toISOString())))
      .limit(1),
  })
  return others.length > 0
}

/** Milliseconds. The cron run wakes what is due later. */
const MAX_DELAY = 60_000

type Released = {
  /** When a message of the queue is to wake the endpoint; null if it is disabled, or due much later. */
  wakeAt: string | null
  /** An endpoint of the same user that waits for its turn. */
  next: DueEndpoint | undefined
}

/**
 * Returns the lease, and stores when the endpoint is due again: at once if the log has more for its
 * user, else with the next message that waits for another attempt, and never while it pauses. It
 * looks at the log in the same statement, so that no event that came since the last read is missed.
 * Returns undefined if another run has taken the lease.
 */
export async function releaseLease(
  db: Database,
  endpoint: Leased,
  now: Date,
): Promise<Released | undefined> {
  const { id, userId, leaseUntil } = endpoint
  const at = now.toISOString()
  const lastWakeUp = new Date(now.getTime() + MAX_DELAY).toISOString()
  const { released, next } = await batch(db, {
    released: raw<{ wakeAt: string | null }>(
      db,
      sql`UPDATE webhookEndpoints SET leaseUntil = NULL, dueAt = next.at,
          wakeAt = iif(disabledAt IS NULL AND next.at <= ${lastWakeUp}, next.at, NULL)
        FROM (
          SELECT max(coalesce(e.pausedUntil, ''), iif(
            e.verifiedAt IS NOT NULL AND ${countPending(id)} < ${MAX_PENDING} AND (
              EXISTS (SELECT 1 FROM (
                  SELECT * FROM events WHERE id > e.position ORDER BY id LIMIT ${WINDOW}
                ) AS nextEvents
                WHERE endpointId IS NULL AND (e.role = 'master' OR e.userId IN (buyerId, sellerId)))
              OR EXISTS (SELECT 1 FROM events WHERE id > e.position LIMIT 1 OFFSET ${WINDOW})),
            ${at},
            (SELECT min(m.dueAt) FROM webhookMessages m JOIN events v ON v.id = m.eventId
              WHERE m.endpointId = e.id AND m.dueAt IS NOT NULL
                AND (e.verifiedAt IS NOT NULL OR v.type = 'webhook.test')))) AS at
          FROM webhookEndpoints e WHERE e.id = ${id}) AS next
        WHERE id = ${id} AND leaseUntil = ${leaseUntil}
        RETURNING wakeAt`,
    ),
    next: raw<DueEndpoint>(
      db,
      sql`SELECT id, role FROM webhookEndpoints
        WHERE userId = ${userId} AND id <> ${id} AND ${isDue(at)} ORDER BY dueAt LIMIT 1`,
    ),
  })
  const [row] = released
  return row && { wakeAt: row.wakeAt, next: next[0] }
}
