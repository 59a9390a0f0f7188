/** Wakes the consumer for endpoints. The database says what to send. */

import { sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { log } from '../log.ts'

/** Names an endpoint that has something to send. */
export type WebhookWakeUp = { endpointId: string }

export type DueEndpoint = { id: string; role: 'user' | 'master' }

/** Endpoints of administrators have a queue of their own, which no receiver of a user delays. */
export type WebhookQueues = Pick<Env, 'WEBHOOKS' | 'MASTER_WEBHOOKS'>

/** Messages of one `sendBatch`. */
const MAX_QUEUE_MESSAGES = 100

/**
 * Wakes the consumer for each endpoint. If that fails, the cron run does it within a minute, so the
 * failure is only logged.
 */
export async function wakeEndpoints(
  { WEBHOOKS, MASTER_WEBHOOKS }: WebhookQueues,
  endpoints: readonly DueEndpoint[],
  delaySeconds = 0,
): Promise<void> {
  const queues = { user: WEBHOOKS, master: MASTER_WEBHOOKS }
  try {
    for (const [role, endpointsOfRole] of Map.groupBy(endpoints, ({ role }) => role))
      for (let i = 0; i < endpointsOfRole.length; i += MAX_QUEUE_MESSAGES) {
        const ids = endpointsOfRole.slice(i, i + MAX_QUEUE_MESSAGES).map(({ id }) => id)
        await queues[role].sendBatch(
          ids.map((endpointId) => ({ body: { endpointId }, delaySeconds })),
        )
      }
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}

/** Whether an endpoint is due at this time (ISO 8601), and no run sends to it. */
export const isDueSql = (at: string) =>
  sql`dueAt <= ${at} AND disabledAt IS NULL AND coalesce(leaseUntil, '') <= ${at}`

/** Wakes the consumer for each endpoint that is due. Failures are only logged. */
export async function wakeWebhooks(env: WebhookQueues, db: Database, now: Date): Promise<void> {
  try {
    const isDue = isDueSql(now.toISOString())
    await wakeEndpoints(
      env,
      await db.all(sql`SELECT id, role FROM webhookEndpoints WHERE ${isDue}`),
    )
  } catch (error) {
    log.error('webhook_wake_up_failed', { error })
  }
}
