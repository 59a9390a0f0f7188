/**
 * The log of events. Triggers of the database append those of orders; the view `newEvents` appends
 * the others.
 */

import { sql } from 'drizzle-orm'
import * as z from 'zod'
import { readAs } from '../auth/access.ts'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { MAX_PRUNED, prune } from '../db/prune.ts'
import { events, type WebhookEvent } from '../db/schema/webhooks.ts'
import { rejected } from '../http/errors.ts'
import type { ReadCtx } from './access.ts'

/** How an id of the log is shown, also as `webhook-id`: `evt_1772442120000000`. */
export const eventName = (id: number): string => `evt_${id}`

/** The id of an event, as its number in the log. */
export const EventName = z
  .string()
  .regex(/^evt_[1-8]?\d{1,15}$/, 'must be the id of an event')
  .transform((name) => Number(name.slice(4)))

/** The first id that an event of this time may have. */
export const eventIdAt = (at: Date): number => at.getTime() * 1000

/** Events that a statement looks at, at most, for the few that a caller or an endpoint gets. */
export const WINDOW = 1000

export type Alarm = {
  type: Extract<WebhookEvent, `alarm.${string}`>
  /** JSON object. */
  data: Record<string, unknown>
}

/** The statement that appends alarms. */
export const addAlarms = (db: Database, alarms: readonly Alarm[], now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO newEvents (type, at, data)
      SELECT value ->> 'type', ${now.toISOString()}, value -> 'data'
      FROM json_each(${JSON.stringify(alarms)})`,
  )

type EventsFilter = { since?: string | undefined; source?: string | undefined }
type EventsPage = EventsFilter & { after?: number | undefined; limit: number }
type EventRow = { id: number; body: string | null }

/**
 * Returns the events that the caller may see, oldest first, after an event or since a time. Throws
 * `unauthenticated`, and `events_removed` if events after `after` may be missing.
 */
export async function readEvents(ctx: ReadCtx, { after, since, source, limit }: EventsPage) {
  const { db, caller } = ctx
  const isMaster = caller.role === 'master'
  // One more than is shown, and the event `after` itself, which proves that none is missing.
  const scanned = (isMaster && !source ? limit + 1 : WINDOW) + 1
  const isOwn = isMaster ? sql`1` : sql`${caller.userId} IN (sellerId, buyerId)`
  const isOfSource = source ? sql`source IN (${`master:${source}`}, ${`user:${source}`})` : sql`1`
  const isShown = sql`endpointId IS NULL AND ${isOwn} AND ${isOfSource}`
  const from = after ?? (since ? eventIdAt(new Date(since)) : 0)
  const [rows, [newest]] = await readAs(db, caller, [
    raw<EventRow>(
      db,
      sql`SELECT id, iif(${isShown}, body, NULL) AS body FROM events
        WHERE id >= ${from} ORDER BY id LIMIT ${scanned}`,
    ),
    // Where to go on if there is nothing yet.
    raw<{ id: number | null }>(
      db,
      after === undefined ? sql`SELECT max(id) AS id FROM events` : sql`SELECT ${after} AS id`,
    ),
  ])
  const [first] = rows
  // A replica that lags may not have it yet, nor any that followed.
  if (after !== undefined && first && first.id !== after)
    throw rejected([
      {
        path: 'after',
        code: 'events_removed',
        message:
          'it is not in the log, so events that followed it may be missing; read the orders, then go on with `since`',
      },
    ])
  const found = rows.filter(({ id, body }) => body !== null && id !== after)
  const hasMore = found.length > limit || rows.length === scanned
  const last = (found.length > limit ? found[limit - 1] : rows.at(-1)) ?? newest
  return {
    events: found.slice(0, limit).map(toEvent),
    nextAfter: last?.id ? eventName(last.id) : null,
    hasMore,
  }
}

const toEvent = ({ id, body }: EventRow) => ({ id: eventName(id), ...JSON.parse(body ?? '{}') })

/** Milliseconds for which events are kept, with the messages about them. */
export const RETENTION = 30 * 24 * 60 * 60 * 1000

/**
 * The statements that delete old events, and endpoints that their owners have deleted. A trigger
 * deletes the messages of an event. The newest old event stays, so that readers see that none after
 * it is missing.
 */
export function pruneEvents(db: Database, now: Date) {
  const before = sql`(SELECT max(id) FROM events
    WHERE id < ${eventIdAt(new Date(now.getTime() - RETENTION))})`
  return [
    prune(db, events, sql`id < ${before}`),
    raw<never>(
      db,
      sql`DELETE FROM webhookMessages WHERE rowid IN (SELECT m.rowid FROM webhookEndpoints e
        JOIN webhookMessages m ON m.endpointId = e.id WHERE e.deletedAt IS NOT NULL
        LIMIT ${MAX_PRUNED})`,
    ),
    raw<never>(
      db,
      sql`DELETE FROM webhookEndpoints WHERE deletedAt IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM webhookMessages m WHERE m.endpointId = webhookEndpoints.id)`,
    ),
  ]
}
