/** Wakes the consumer that sends webhooks. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { log } from '../log.ts'

/** Says that an endpoint has messages to send. The database tells which. */
export type WebhookWakeUp = { endpointId: string }

/** Messages of one `sendBatch`. */
const BATCH = 100

/**
 * Wakes the consumer for each endpoint that has due messages. If that fails, the cron run does it
 * within a minute, so the failure is only logged.
 */
export async function wakeWebhooks(
  queue: Queue<WebhookWakeUp>,
  db: Database,
  now: Date,
): Promise<void> {
  try {
    const [due] = await db.batch([
      raw<WebhookWakeUp>(
        db,
        sql`SELECT DISTINCT endpointId FROM webhookMessages INDEXED BY webhookMessages_due WHERE dueAt <= ${now.toISOString()}
          LIMIT ${BATCH}`,
      ),
    ])
    if (due.length > 0) await queue.sendBatch(due.map((body) => ({ body })))
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}
