/**
 * Appends events to the log. The statements belong into the transaction of what they tell, so that
 * each change has its event and no event tells a change that did not happen.
 */

import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { AlarmData, WebhookEvent } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'

/** The first id that an event of this time may have: microseconds since 1970. */
export const eventIdAt = (at: Date): number => at.getTime() * 1000

/**
 * SQL of the id of the next event, which happens at a time (ISO 8601). A statement that inserts
 * several rows adds `row_number() OVER (ORDER BY …) - 1`.
 */
export const nextEventId = (at: string): SQL<number> =>
  sql`max((SELECT coalesce(max(id), 0) + 1 FROM events), ${eventIdAt(new Date(at))})`

/** The id of the last event about which a mail was sent, if one was due. */
export const mailPosition = sql`(SELECT mailPosition FROM instance)`

/** Whether an item has an event of this type after a position in the log. */
export const hasEventAfterSql = (position: SQL, itemId: SQL, type: WebhookEvent): SQL =>
  sql`EXISTS (SELECT 1 FROM events WHERE id > ${position} AND itemId = ${itemId} AND type = ${type})`

/**
 * The statement that makes endpoints due for events that were appended at a time (ISO 8601). Run it
 * after their INSERT, in the same transaction: it finds the endpoints of their buyers and sellers,
 * and those of all orders, that had nothing to get, or only later. The former begin at these events.
 * Whether they take them is found out by the run that sends.
 */
export function makeEndpointsDue(db: Database, at: string) {
  const firstId = eventIdAt(new Date(at))
  return raw<never>(db)`UPDATE webhookEndpoints SET dueAt = max(${at}, coalesce(pausedUntil, '')),
      position = iif(dueAt IS NULL,
        max(position, (SELECT min(id) FROM events WHERE id >= ${firstId}) - 1), position)
    WHERE coalesce(dueAt, '9999') > max(${at}, coalesce(pausedUntil, ''))
      AND verifiedAt IS NOT NULL AND disabledAt IS NULL AND deletedAt IS NULL
      AND id IN (
        SELECT e.id FROM events v CROSS JOIN webhookEndpoints e
          ON e.userId IN (v.buyerId, v.sellerId) AND e.role = 'user' WHERE v.id >= ${firstId}
        UNION ALL SELECT id FROM webhookEndpoints WHERE role = 'master'
          AND EXISTS (SELECT 1 FROM events WHERE id >= ${firstId} AND endpointId IS NULL))`
}

type Alarm = { type: Extract<WebhookEvent, `alarm.${string}`>; data: AlarmData }

/** The statements that append alarms. */
export function appendAlarms(db: Database, alarms: readonly Alarm[], now: Date) {
  const at = now.toISOString()
  return [
    raw<never>(db)`INSERT INTO events (id, type, at, data)
      SELECT ${nextEventId(at)} + row_number() OVER (ORDER BY key) - 1, value ->> 'type', ${at},
        value -> 'data'
      FROM json_each(${JSON.stringify(alarms)})`,
    makeEndpointsDue(db, at),
  ]
}
