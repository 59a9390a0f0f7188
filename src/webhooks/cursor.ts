/**
 * The cursor of an endpoint in the log, and the lease that lets one run at a time move it. A run
 * reads a batch, sends it, and commits it (`commit.ts`) with the read of the next one: a trip for
 * each batch.
 */

import { type SQL, sql } from 'drizzle-orm'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { WebhookEvent, webhookEndpoints } from '../db/schema/webhooks.ts'
import { WINDOW } from './log.ts'
import { type DueEndpoint, isClaimable } from './wake.ts'

/** Milliseconds. A run that does not commit for so long counts as dead. */
const LEASE = 60_000

/** Events of the log, and messages that are due, of one batch. */
const BATCH = 100

/** Messages that may wait for another attempt. With more, an endpoint gets no event of the log. */
const MAX_PENDING = 1000

/**
 * An endpoint that messages are sent to. `previousSecretId`: null unless the secret was rotated in
 * the last 24 hours. `dueAt`: null also if it is disabled. `filter`: JSON of its events and sources.
 */
export type Cursor = DueEndpoint &
  Pick<typeof webhookEndpoints.$inferSelect, 'userId' | 'url' | 'secretId' | 'previousSecretId'> &
  Pick<typeof webhookEndpoints.$inferSelect, 'verifiedAt' | 'failures' | 'dueAt' | 'wakeAt'> &
  Pick<typeof webhookEndpoints.$inferSelect, 'leaseUntil' | 'position' | 'updatedAt'> & {
    filter: string
  }

/** `room`: events that were read at most. `scannedTo`: the last id that was looked at for them. */
export type CursorRow = Cursor & { room: number; scannedTo: number }

/** `tries`: attempts before this one. `dueAt`: null if it is sent from the log. */
export type Message = {
  id: number
  type: WebhookEvent
  body: string
  tries: number
  dueAt: string | null
}

/** `end`: the position of the cursor once all messages were sent. */
export type Batch = { cursor: Cursor; messages: Message[]; end: number }

/** The last id that one statement looks at after a position. */
const windowEnd = (position: SQL) => sql`coalesce(
  (SELECT id FROM events WHERE id > ${position} ORDER BY id LIMIT 1 OFFSET ${WINDOW - 1}),
  (SELECT max(id) FROM events), 0)`

/**
 * Selects the events of an endpoint after a position, as far as one statement looks. What waits for
 * another attempt is sent on its own.
 */
export const selectEvents = (endpointId: string, position: SQL) =>
  sql`SELECT v.id, v.type, v.body, 0 AS tries, NULL AS dueAt FROM endpointEvents v
    WHERE v.endpointId = ${endpointId} AND v.id > ${position} AND v.id <= ${windowEnd(position)}
      AND NOT EXISTS (SELECT 1 FROM webhookMessages m
        WHERE m.eventId = v.id AND m.endpointId = ${endpointId} AND m.dueAt IS NOT NULL)`

/** How many events of the log an endpoint may get at once. */
export const selectRoom = (endpointId: string) =>
  sql`(SELECT min(${BATCH}, ${MAX_PENDING} - count(*)) FROM (SELECT 1 FROM webhookMessages
    WHERE endpointId = ${endpointId} AND dueAt IS NOT NULL LIMIT ${MAX_PENDING}))`

export const cursorColumns = (
  endpointId: string,
  at: string,
) => sql`id, role, userId, url, secretId,
  iif(previousSecretUntil > ${at}, previousSecretId, NULL) AS previousSecretId, verifiedAt,
  failures, iif(disabledAt IS NULL, dueAt, NULL) AS dueAt, wakeAt, leaseUntil, position, updatedAt,
  json_array(events, sources) AS filter, ${selectRoom(endpointId)} AS room,
  iif(hasEvents AND verifiedAt IS NOT NULL, ${windowEnd(sql`position`)}, position) AS scannedTo`

/**
 * Reads the next batch of the run that has the lease: what is due, and the log. What became due last
 * comes first: a test, or what the owner sends again.
 */
export function batchStatements(db: Database, endpointId: string, { lease, at }: Lease) {
  const position = sql`(SELECT position FROM webhookEndpoints WHERE id = ${endpointId})`
  const isLeased = sql`e.id = ${endpointId} AND e.leaseUntil = ${lease}`
  return [
    raw<Message>(
      db,
      sql`SELECT v.id, v.type, v.body, m.tries, m.dueAt
        FROM webhookEndpoints e CROSS JOIN webhookMessages m ON m.endpointId = ${endpointId}
          CROSS JOIN events v ON v.id = m.eventId
        WHERE ${isLeased} AND m.dueAt <= ${at}
          AND (e.verifiedAt IS NOT NULL OR v.type = 'webhook.test')
        ORDER BY m.dueAt DESC LIMIT ${BATCH}`,
    ),
    raw<Message>(
      db,
      sql`${selectEvents(endpointId, position)} AND EXISTS (SELECT 1 FROM webhookEndpoints e
          WHERE ${isLeased} AND e.verifiedAt IS NOT NULL AND e.hasEvents)
        ORDER BY v.id LIMIT ${selectRoom(endpointId)}`,
    ),
  ] as const
}

/** An endpoint that fails gets one message. The cursor ends where the log was read completely. */
export function toBatch(
  { room, scannedTo, ...cursor }: CursorRow,
  due: Message[],
  events: Message[],
): Batch {
  const messages = [...due, ...events].slice(0, cursor.failures > 0 ? 1 : undefined)
  const isComplete = messages.length === due.length + events.length && events.length < room
  return { cursor, messages, end: isComplete ? scannedTo : positionAfter(cursor, messages) }
}

/** The position of an endpoint after these messages. */
export const positionAfter = ({ position }: Cursor, messages: readonly Message[]) =>
  Math.max(position, ...messages.map(({ id, dueAt }) => (dueAt === null ? id : 0)))

type Lease = { lease: string; at: string }

export const leaseFrom = (now: Date): Lease => ({
  lease: new Date(now.getTime() + LEASE).toISOString(),
  at: now.toISOString(),
})

/**
 * Takes the lease of an endpoint and reads its first batch. Returns undefined if nothing is due,
 * another run has the lease, or runs send to as many endpoints of its user as may be.
 */
export async function claimEndpoint(
  db: Database,
  endpointId: string,
  now: Date,
): Promise<Batch | undefined> {
  const { lease, at } = leaseFrom(now)
  const [[cursor], due, events] = await db.batch([
    raw<CursorRow>(
      db,
      sql`UPDATE webhookEndpoints SET leaseUntil = ${lease} WHERE id = ${endpointId} AND ${isClaimable(at)}
        RETURNING ${cursorColumns(endpointId, at)}`,
    ),
    ...batchStatements(db, endpointId, { lease, at }),
  ])
  return cursor && toBatch(cursor, due, events)
}
