/** The lease of an endpoint: one run at a time takes it, commits what it has sent, and returns it. */

import { and, eq, sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import { type WebhookEndpoint, webhookEndpoints } from '../../db/schema/webhooks.ts'
import { raw } from '../../db/statements.ts'
import { webhookLimits } from '../../limits.ts'
import { type DueEndpoint, isDueSql } from '../wake.ts'
import { countPending } from './batch.ts'
import type { Judgement } from './judge.ts'

/** Milliseconds. A run that does not commit for so long counts as dead. */
const LEASE = 60_000
/** Milliseconds ahead for which a queue message is planned. The cron run wakes what is due later. */
const PLANNED_AHEAD = 60_000
/** Attempts of a message that are kept. */
const MAX_ATTEMPTS = 20

/** Returns the end of a lease that is taken or renewed now. */
const leaseFrom = (now: Date): string => new Date(now.getTime() + LEASE).toISOString()

/** Matches the endpoint while the run has its lease. */
const isLeasedSql = ({ id, leaseUntil }: WebhookEndpoint) =>
  sql`id = ${id} AND leaseUntil = ${leaseUntil}`

/** Whether a run may begin to send to an endpoint. `ending`: an endpoint whose run ends before. */
const isClaimableSql = (at: string, ending = '') =>
  sql`${isDueSql(at)} AND (SELECT count(*) FROM webhookEndpoints o
    WHERE o.userId = webhookEndpoints.userId AND o.leaseUntil > ${at} AND o.id <> ${ending})
    < ${webhookLimits.atOnce.max}`

/**
 * Takes the lease of an endpoint. Returns undefined if it is not due, another run has the lease, or
 * runs send to as many endpoints of its user as may be.
 */
export async function takeLease(db: Database, endpointId: string, now: Date) {
  const { leased } = await batch(db, {
    leased: db
      .update(webhookEndpoints)
      .set({ leaseUntil: leaseFrom(now) })
      .where(and(eq(webhookEndpoints.id, endpointId), isClaimableSql(now.toISOString())))
      .returning(),
  })
  return leased[0]
}

/** Whether another endpoint of the same role waits, and a run may send to it once this one ends. */
export async function isAnotherWaiting(db: Database, { id, role }: WebhookEndpoint, now: Date) {
  const { others } = await batch(db, {
    others: raw(db)`SELECT id FROM webhookEndpoints
      WHERE role = ${role} AND id <> ${id} AND ${isClaimableSql(now.toISOString(), id)} LIMIT 1`,
  })
  return others.length > 0
}

/**
 * Stores what follows from a batch, and renews the lease. What was changed meanwhile stays as it is: a
 * message that was sent again, a position that a replay or another choice of events has set, and an
 * endpoint that its owner has changed. Returns the endpoint as it is now; undefined if the lease was
 * lost. After a crash, the next run sends the same batch again.
 */
export async function commitBatch(
  db: Database,
  endpoint: WebhookEndpoint,
  { judgement, now }: { judgement: Judgement; now: Date },
): Promise<WebhookEndpoint | undefined> {
  const { position, health, records } = judgement
  const { events, sources } = endpoint
  const sourcesJson = sources && JSON.stringify(sources)
  const { leased } = await batch(db, {
    messages: records.length > 0 ? storeMessages(db, endpoint, JSON.stringify(records)) : undefined,
    health: health ? storeHealth(db, endpoint, { health, now }) : undefined,
    leased: db
      .update(webhookEndpoints)
      .set({
        position: sql`iif(position = ${endpoint.position} AND events = ${JSON.stringify(events)}
          AND sources IS ${sourcesJson}, ${position}, position)`,
        leaseUntil: leaseFrom(now),
      })
      .where(isLeasedSql(endpoint))
      .returning(),
  })
  return leased[0]
}

/**
 * The statements that store attempts. There is no row for a message that is accepted at the first
 * attempt. Once the lease is lost, no row is added: another run may have delivered the message.
 */
const storeMessages = (db: Database, endpoint: WebhookEndpoint, records: string) => [
  // The events may have been removed meanwhile.
  raw<never>(db)`INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
    SELECT v.id, ${endpoint.id}, value ->> 'state', value ->> 'tries', value ->> 'dueAt'
    FROM json_each(${records}) JOIN events v ON v.id = value ->> 'id'
    WHERE value ->> 'state' <> 'delivered' AND EXISTS (SELECT 1 FROM webhookEndpoints
      WHERE ${isLeasedSql(endpoint)} AND deletedAt IS NULL)
    ON CONFLICT DO NOTHING`,
  raw<never>(db)`UPDATE webhookMessages SET state = value ->> 'state', tries = value ->> 'tries',
      dueAt = value ->> 'dueAt'
    FROM json_each(${records})
    WHERE eventId = value ->> 'id' AND endpointId = ${endpoint.id}
      AND (dueAt IS value ->> 'claimedDueAt'
        OR (dueAt IS NULL AND value ->> 'state' = 'delivered'))`,
  raw<never>(db)`UPDATE webhookMessages SET attempts = json_insert(
      iif(json_array_length(attempts) < ${MAX_ATTEMPTS}, attempts, json_remove(attempts, '$[0]')),
      '$[#]', value -> 'attempt')
    FROM json_each(${records}) WHERE eventId = value ->> 'id' AND endpointId = ${endpoint.id}`,
]

/**
 * The statement that stores how an endpoint stands, unless its owner has changed it meanwhile: the
 * attempts tell nothing about another URL, nor about an endpoint that was enabled since.
 */
function storeHealth(
  db: Database,
  endpoint: WebhookEndpoint,
  { health: { isGone, ...health }, now }: { health: NonNullable<Judgement['health']>; now: Date },
) {
  const { updatedAt, url, penalty } = endpoint
  return db
    .update(webhookEndpoints)
    .set({
      ...health,
      ...(health.failingSince === null && { warnedAt: null }),
      ...(isGone && {
        disabledAt: sql`coalesce(disabledAt, ${now.toISOString()})`,
        disabledReason: sql`coalesce(disabledReason, 'gone')`,
      }),
    })
    .where(
      sql`${isLeasedSql(endpoint)} AND (updatedAt, url, penalty) = (${updatedAt}, ${url}, ${penalty})`,
    )
}

/**
 * Returns the lease, and stores when the endpoint is due again: at once if the log has more for its
 * user, else with the next message that waits for another attempt, and never while it pauses. It
 * looks at the log in the same statement, so that no event that came since the last read is missed.
 * Returns undefined if another run has taken the lease; otherwise when a message of the queue is to wake
 * the endpoint (`wakeAt`: null if it is disabled, or due much later), and an endpoint of the same user
 * that waits for its turn (`next`).
 */
export async function releaseLease(db: Database, endpoint: WebhookEndpoint, now: Date) {
  const { id, userId } = endpoint
  const at = now.toISOString()
  const lastWakeUp = new Date(now.getTime() + PLANNED_AHEAD).toISOString()
  const { released, next } = await batch(db, {
    released: raw<{ wakeAt: string | null }>(db)`
      WITH endpoint AS MATERIALIZED (SELECT * FROM webhookEndpoints WHERE id = ${id}),
        -- The part of the log that a batch looks at. Beyond it, what is for this user is not looked for.
        nextEvents AS (SELECT * FROM events WHERE id > (SELECT position FROM endpoint)
          ORDER BY id LIMIT ${webhookLimits.window.max}),
        more (isInWindow, isBeyond) AS (SELECT
          EXISTS (SELECT 1 FROM nextEvents, endpoint WHERE endpointId IS NULL
            AND (role = 'master' OR endpoint.userId IN (buyerId, sellerId))),
          EXISTS (SELECT 1 FROM events WHERE id > (SELECT position FROM endpoint)
            LIMIT 1 OFFSET ${webhookLimits.window.max})),
        -- An endpoint that is not verified gets nothing but tests.
        attempt (at) AS (SELECT min(m.dueAt) FROM endpoint
          JOIN webhookMessages m ON m.endpointId = endpoint.id AND m.dueAt IS NOT NULL
          JOIN events v ON v.id = m.eventId
          WHERE endpoint.verifiedAt IS NOT NULL OR v.type = 'webhook.test'),
        turn (at) AS (SELECT iif(
            verifiedAt IS NOT NULL AND (isInWindow OR isBeyond)
              AND ${countPending(id)} < ${webhookLimits.pending.max},
            ${at}, (SELECT at FROM attempt))
          FROM endpoint, more),
        due (at) AS (SELECT max(coalesce(pausedUntil, ''), turn.at) FROM endpoint, turn)
      UPDATE webhookEndpoints SET leaseUntil = NULL, dueAt = due.at,
        wakeAt = iif(disabledAt IS NULL AND due.at <= ${lastWakeUp}, due.at, NULL)
      FROM due WHERE ${isLeasedSql(endpoint)}
      RETURNING wakeAt`,
    next: raw<DueEndpoint>(db)`SELECT id, role FROM webhookEndpoints
      WHERE userId = ${userId} AND id <> ${id} AND ${isDueSql(at)} ORDER BY dueAt LIMIT 1`,
  })
  const [row] = released
  return row && { wakeAt: row.wakeAt, next: next[0] }
}
