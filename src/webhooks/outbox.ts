/**
 * The outbox: messages that wait to be sent. Triggers of the database write those of orders. A queue
 * message wakes the consumer for an endpoint; the database says what to send.
 */
import { sql } from 'drizzle-orm'
import { type Database, raw, type Statement } from '../db/client.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import type { WebhookEvent } from '../db/schema/webhooks.ts'
import { log } from '../log.ts'

export type Alarm = {
  type: Extract<WebhookEvent, `alarm.${string}`>
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
      SELECT 'msg_' || lower(hex(randomblob(16))), e.id, alarm.value ->> 'type',
        alarm.value ->> 'payload', iif(e.disabledAt IS NULL, 'pending', 'failed'),
        iif(e.disabledAt IS NULL, ${at}, NULL), ${at}, ${at}
      FROM json_each(${JSON.stringify(rows)}) AS alarm
        JOIN webhookEndpoints e ON e.role = 'master'
        JOIN users u ON u.id = e.userId AND u.roleId = ${ADMINISTRATOR} AND u.removedAt IS NULL
      WHERE alarm.value ->> 'type' IN (SELECT value FROM json_each(e.events))`,
  )
}

/** Milliseconds for which messages are kept, with their attempts. */
const RETENTION = 30 * 24 * 60 * 60 * 1000

/** Messages that one run deletes at most. */
const MAX_DELETED = 1000

/** Deletes old messages that are not to be sent. A trigger deletes their attempts. */
export const pruneMessages = (db: Database, now: Date): Statement =>
  raw(
    db,
    sql`DELETE FROM webhookMessages WHERE id IN (SELECT id FROM webhookMessages
      WHERE createdAt < ${new Date(now.getTime() - RETENTION).toISOString()} AND dueAt IS NULL
      ORDER BY createdAt LIMIT ${MAX_DELETED})`,
  )

/** Names an endpoint that has messages to send. */
export type WebhookWakeUp = { endpointId: string }

/** Messages of one `sendBatch`. */
const BATCH = 100

/**
 * Wakes the consumer for each endpoint. If that fails, the cron run does it within a minute, so the
 * failure is only logged.
 */
export async function wakeEndpoints(
  queue: Queue<WebhookWakeUp>,
  endpointIds: readonly string[],
  delaySeconds = 0,
): Promise<void> {
  try {
    for (let i = 0; i < endpointIds.length; i += BATCH) {
      const ids = endpointIds.slice(i, i + BATCH)
      await queue.sendBatch(ids.map((endpointId) => ({ body: { endpointId }, delaySeconds })))
    }
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}

/**
 * Wakes the consumer for each endpoint that has due messages, unless a run sends them. Failures are
 * only logged.
 */
export async function wakeWebhooks(
  queue: Queue<WebhookWakeUp>,
  db: Database,
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  try {
    const [due] = await db.batch([
      raw<WebhookWakeUp>(
        db,
        // Otherwise SQLite reads all that is pending, because that index is in the order of DISTINCT.
        sql`SELECT endpointId FROM (SELECT DISTINCT endpointId
            FROM webhookMessages INDEXED BY webhookMessages_due WHERE dueAt <= ${at})
          JOIN webhookEndpoints e ON e.id = endpointId WHERE coalesce(sendingUntil, '') <= ${at}`,
      ),
    ])
    await wakeEndpoints(
      queue,
      due.map(({ endpointId }) => endpointId),
    )
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}
