/** Messages that wait to be sent. Triggers of the database write those of orders. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import type { WebhookEvent } from '../db/schema/webhooks.ts'

export type Alarm = {
  type: Extract<WebhookEvent, 'alarm.raised' | 'alarm.cleared'>
  /** JSON object. */
  data: Record<string, unknown>
}

/** The statement that adds alarms to the outbox, for each endpoint of an administrator that subscribes. */
export const addAlarms = (db: Database, alarms: readonly Alarm[], now: Date) => {
  const at = now.toISOString()
  const rows = alarms.map(({ type, data }) => ({
    type,
    payload: JSON.stringify({ type, timestamp: at, data }),
  }))
  return raw<never>(
    db,
    sql`INSERT INTO webhookMessages
        (id, endpointId, type, payload, state, dueAt, createdAt, updatedAt)
      SELECT 'msg_' || lower(hex(randomblob(16))), e.id, alarm.value ->> 'type', alarm.value ->> 'payload',
        iif(e.disabledAt IS NULL, 'pending', 'failed'), iif(e.disabledAt IS NULL, ${at}, NULL),
        ${at}, ${at}
      FROM json_each(${JSON.stringify(rows)}) AS alarm
        JOIN webhookEndpoints e ON e.role = 'master'
        JOIN users u ON u.id = e.userId AND u.roleId = ${ADMINISTRATOR} AND u.removedAt IS NULL
      WHERE alarm.value ->> 'type' IN (SELECT value FROM json_each(e.events))`,
  )
}
