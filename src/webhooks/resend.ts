/** Makes messages due: a test, one of the log again, or all since a time. */
import { and, eq, exists, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { type Database, raw, type Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { webhookEndpoints, webhookMessages } from '../db/schema/webhooks.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { recordChange, requireEndpoint, selectEndpoint } from './access.ts'
import type { WebhookMessage } from './answer.ts'
import { selectMessage, toMessage } from './read.ts'

/**
 * Adds a message with the event `webhook.test`, and returns it. Throws `unauthenticated`,
 * `not_found`, `conflict` if the endpoint is disabled, and the errors of `guards`.
 */
export async function sendTest(
  db: Database,
  caller: Caller,
  endpointId: string,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<WebhookMessage> {
  const at = now.toISOString()
  const id = `msg_${crypto.randomUUID().replaceAll('-', '')}`
  const type = 'webhook.test'
  const payload = { type, timestamp: at, data: { message: 'This is a test.' } }
  const insert = db.insert(webhookMessages).values({
    id,
    endpointId,
    type,
    payload: JSON.stringify(payload),
    ...dueAt(now),
    createdAt: at,
  })
  return makeOneDue(db, caller, { endpointId, id }, insert, guards)
}

/** Sends a message again, also one that was delivered. Throws as `sendTest` does. */
export const resendMessage = (
  db: Database,
  caller: Caller,
  message: MessageKey,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<WebhookMessage> =>
  makeOneDue(
    db,
    caller,
    message,
    makeDue(db, message.endpointId, eq(webhookMessages.id, message.id), now),
    guards,
  )

/**
 * Sends the messages again that were created at `since` (ISO 8601) or later, also those that were
 * delivered. Returns how many. Throws as `sendTest` does.
 */
export async function replayMessages(
  db: Database,
  caller: Caller,
  endpointId: string,
  since: string,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<number> {
  const change = { action: 'webhook.replay', subject: endpointId, details: { since } }
  const [, [counted]] = await writeAs(
    db,
    caller,
    [...guards, ...requireEnabled(db, caller, endpointId)],
    [
      makeDue(db, endpointId, gte(webhookMessages.createdAt, since), now),
      raw<{ replayed: number }>(db, sql`SELECT changes() AS replayed`),
      recordChange(db, caller, change, now),
    ],
  )
  return counted?.replayed ?? 0
}

type MessageKey = { endpointId: string; id: string }

/** Runs the statement that makes a message due, and returns the message. */
async function makeOneDue(
  db: Database,
  caller: Caller,
  { endpointId, id }: MessageKey,
  statement: Statement,
  guards: readonly Guard[],
): Promise<WebhookMessage> {
  const [, [row]] = await writeAs(
    db,
    caller,
    [...guards, ...requireEnabled(db, caller, endpointId)],
    [statement, selectMessage(db, endpointId, id)],
  )
  if (!row) throw new ApiError('not_found', 'there is no such message')
  return toMessage(row)
}

const dueAt = (now: Date) => {
  const at = now.toISOString()
  return { state: 'pending', attempts: 0, dueAt: at, updatedAt: at } as const
}

const makeDue = (db: Database, endpointId: string, which: SQL, now: Date) =>
  db
    .update(webhookMessages)
    .set(dueAt(now))
    .where(and(eq(webhookMessages.endpointId, endpointId), which))

/** Rejects a caller who may not see the endpoint, and an endpoint that is disabled. */
const requireEnabled = (db: Database, caller: Caller, id: string): Guard[] => [
  requireEndpoint(db, caller, id),
  {
    when: exists(selectEndpoint(db, caller, id, isNotNull(webhookEndpoints.disabledAt))),
    error: () => new ApiError('conflict', 'the webhook is disabled: enable it first'),
  },
]
