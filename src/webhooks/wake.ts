/** Wakes the consumer that sends webhooks. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { log } from '../log.ts'

/** Says that an endpoint has messages to send. The database tells which. */
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
    const endpointIds = due.map(({ endpointId }) => endpointId)
    await wakeEndpoints(queue, endpointIds)
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}
