/** The lease of an endpoint: at most one run at a time sends its messages. */
import { sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { log } from '../log.ts'
import { type MailedEndpoint, mailedColumns } from './failing.ts'
import { retryAt } from './retry.ts'
import type { Outcome } from './send.ts'

/** Messages of one run. */
const MESSAGES = 20

/** Milliseconds. A run that takes longer counts as dead: 20 messages, five at a time, take 60 s at most. */
const LEASE = 90_000

export type ClaimedEndpoint = {
  id: string
  url: string
  secretId: string
  /** Null unless the secret was rotated in the last 24 hours. */
  previousSecretId: string | null
  /** End of the lease, which identifies it: no two leases end at the same time. */
  sendingUntil: string
}

type Message = {
  id: string
  /** The body, as JSON. */
  payload: string
  /** Attempts before the next one. */
  attempts: number
  dueAt: string
}

type Claim = { endpoint: ClaimedEndpoint; messages: Message[] }

/**
 * Takes the lease of an endpoint and reads its oldest due messages. Returns null if nothing is due or
 * another run has the lease. Messages that may not be sent fail: the endpoint is disabled, or its
 * user was removed or is no administrator any more.
 */
export async function claimEndpoint(
  db: Database,
  endpointId: string,
  now: Date,
): Promise<Claim | null> {
  const at = now.toISOString()
  const sendingUntil = new Date(now.getTime() + LEASE).toISOString()
  const isDue = sql`endpointId = ${endpointId} AND dueAt <= ${at}`
  const [, [endpoint], messages] = await db.batch([
    raw<never>(
      db,
      sql`UPDATE webhookMessages SET state = 'failed', dueAt = NULL, updatedAt = ${at}
        WHERE ${isDue} AND NOT EXISTS (SELECT 1
          FROM webhookEndpoints e JOIN users u ON u.id = e.userId
          WHERE e.id = ${endpointId} AND e.disabledAt IS NULL AND u.removedAt IS NULL
            AND (e.role = 'user' OR u.roleId = ${ADMINISTRATOR}))`,
    ),
    raw<ClaimedEndpoint>(
      db,
      sql`UPDATE webhookEndpoints SET sendingUntil = ${sendingUntil}
        WHERE id = ${endpointId} AND coalesce(sendingUntil, '') <= ${at}
          AND EXISTS (SELECT 1 FROM webhookMessages WHERE ${isDue})
        RETURNING id, url, secretId, sendingUntil,
          iif(previousSecretUntil > ${at}, previousSecretId, NULL) AS previousSecretId`,
    ),
    raw<Message>(
      db,
      sql`SELECT id, payload, attempts, dueAt FROM webhookMessages WHERE ${isDue}
        ORDER BY dueAt LIMIT ${MESSAGES}`,
    ),
  ])
  return endpoint ? { endpoint, messages } : null
}

export type Attempt = Outcome & { message: Message }

type Released = {
  /** When the endpoint has something to be sent next; null if it has nothing. */
  dueAt: string | null
  /** The endpoint, if this disabled it. */
  disabled: MailedEndpoint | undefined
}

/** 410 Gone: the receiver wants no more messages. */
const GONE = 410

/**
 * Records the attempts and releases the endpoint's lease. A message that was sent again, replayed or
 * deleted meanwhile stays as it is. After a crash, the next run sends the same messages again.
 */
export async function releaseEndpoint(
  db: Database,
  endpoint: ClaimedEndpoint,
  { attempts, now }: { attempts: readonly Attempt[]; now: Date },
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
        FROM json_each(${rows}) JOIN webhookMessages m ON m.id = value ->> 'id'`,
    ),
    raw<never>(
      db,
      sql`UPDATE webhookMessages SET state = value ->> 'state', dueAt = value ->> 'dueAt',
          attempts = attempts + 1, updatedAt = ${at}
        FROM json_each(${rows})
        WHERE webhookMessages.id = value ->> 'id' AND dueAt = value ->> 'claimedDueAt'`,
    ),
    raw<MailedEndpoint & { isDisabled: 0 | 1 }>(
      db,
      sql`UPDATE webhookEndpoints SET sendingUntil = NULL,
          failingSince = iif(${hasSuccess}, NULL, coalesce(failingSince, ${at})),
          warnedAt = iif(${hasSuccess}, NULL, warnedAt),
          disabledReason = iif(${isGone} AND url = ${endpoint.url}, coalesce(disabledReason, 'gone'), disabledReason),
          disabledAt = iif(${isGone} AND url = ${endpoint.url}, coalesce(disabledAt, ${at}), disabledAt)
        WHERE id = ${endpoint.id} AND sendingUntil = ${endpoint.sendingUntil}
        RETURNING ${mailedColumns}, disabledReason = 'gone' AND disabledAt = ${at} AS isDisabled`,
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

/** Returns an attempt and the next state of its message, as SQL reads them. */
function toRow({ message, at, duration, status, error, retryAfter }: Attempt) {
  const failedAt = new Date(at.getTime() + duration)
  const dueAt = error === null ? null : retryAt(message.attempts + 1, retryAfter, failedAt)
  const state = dueAt ? 'pending' : error === null ? 'delivered' : 'failed'
  return { id: message.id, claimedDueAt: message.dueAt, state, dueAt, at, duration, status, error }
}
