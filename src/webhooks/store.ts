import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { log } from '../log.ts'
import type { ClaimedEndpoint, Message } from './claim.ts'
import { type FailingEndpoint, failingEndpoint } from './failing.ts'
import { retryAt } from './retry.ts'
import type { Outcome } from './send.ts'

export type Attempt = Outcome & { message: Message }

type Released = {
  /** When the endpoint has something to be sent next; null if it has nothing. */
  dueAt: string | null
  /** The endpoint, if this disabled it. */
  disabled: FailingEndpoint | undefined
}

/** 410 Gone: the receiver wants no more messages. */
const GONE = 410

/**
 * Records the attempts and releases the endpoint's lease. A message that was sent again,
 * replayed or deleted meanwhile stays as it is. What was sent before a crash is sent again.
 */
export async function release(
  db: Database,
  endpoint: ClaimedEndpoint,
  attempts: readonly Attempt[],
  now: Date,
): Promise<Released> {
  const at = now.toISOString()
  const rows = JSON.stringify(attempts.map(toRow))
  const hasSuccess = +attempts.some(({ error }) => error === null)
  const isGone = +attempts.some(({ status }) => status === GONE)
  const [, , [disabled], [next]] = await db.batch([
    raw<never>(
      db,
      sql`INSERT INTO webhookAttempts (messageId, at, duration, status, error)
        SELECT m.id, value ->> 'at', value ->> 'duration', value ->> 'status', value ->> 'error'
        FROM json_each(${rows}) JOIN webhookMessages m ON m.id = value ->> 'messageId'`,
    ),
    raw<never>(
      db,
      sql`UPDATE webhookMessages SET state = value ->> 'state', dueAt = value ->> 'nextDueAt',
          attempts = attempts + 1, updatedAt = ${at}
        FROM json_each(${rows})
        WHERE webhookMessages.id = value ->> 'messageId' AND dueAt = value ->> 'dueAt'`,
    ),
    raw<FailingEndpoint & { isDisabled: 0 | 1 }>(
      db,
      sql`UPDATE webhookEndpoints SET sendingUntil = NULL,
          failingSince = iif(${hasSuccess}, NULL, coalesce(failingSince, ${at})),
          warnedAt = iif(${hasSuccess}, NULL, warnedAt),
          disabledReason = iif(${isGone} AND url = ${endpoint.url}, coalesce(disabledReason, 'gone'), disabledReason),
          disabledAt = iif(${isGone} AND url = ${endpoint.url}, coalesce(disabledAt, ${at}), disabledAt)
        WHERE id = ${endpoint.id} AND sendingUntil = ${endpoint.sendingUntil}
        RETURNING ${failingEndpoint}, disabledReason = 'gone' AND disabledAt = ${at} AS isDisabled`,
    ),
    raw<{ dueAt: string | null }>(
      db,
      sql`SELECT min(dueAt) AS dueAt FROM webhookMessages WHERE endpointId = ${endpoint.id}
        AND dueAt IS NOT NULL`,
    ),
  ])
  for (const { message, status, error } of attempts)
    if (error !== null)
      log.info('webhook_failed', {
        endpointId: endpoint.id,
        messageId: message.id,
        attempt: message.attempts + 1,
        status,
        reason: error,
      })
  return { dueAt: next?.dueAt ?? null, disabled: disabled?.isDisabled ? disabled : undefined }
}

function toRow({ message, at, duration, status, error, retryAfter }: Attempt) {
  const failedAt = new Date(at.getTime() + duration)
  const nextDueAt = error === null ? null : retryAt(message.attempts + 1, retryAfter, failedAt)
  const state = nextDueAt ? 'pending' : error === null ? 'delivered' : 'failed'
  const { id: messageId, dueAt } = message
  return { messageId, dueAt, state, nextDueAt, at, duration, status, error }
}
