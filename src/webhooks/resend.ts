/** Makes messages due: a test, one of the log again, or all since a time. */
import { and, eq, exists, gte, isNotNull, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { raw, type Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { webhookEndpoints, webhookMessages } from '../db/schema/webhooks.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { recordChange, requireEndpoint, selectEndpoint } from './access.ts'
import { selectMessage, toMessage } from './read.ts'
import type { WebhookMessage } from './schema.ts'

type MessageKey = { endpointId: string; id: string }

/**
 * Adds a message with the event `webhook.test`, and returns it. Throws `unauthenticated`,
 * `not_found`, and `conflict` if the endpoint is disabled.
 */
export function sendTest(ctx: Ctx, endpointId: string): Promise<WebhookMessage> {
  const at = ctx.now.toISOString()
  const id = `msg_${crypto.randomUUID().replaceAll('-', '')}`
  const type = 'webhook.test'
  const payload = JSON.stringify({ type, timestamp: at, data: { message: 'This is a test.' } })
  const insert = ctx.db
    .insert(webhookMessages)
    .values({ id, endpointId, type, payload, ...dueNow(ctx), createdAt: at })
  return makeOneDue(ctx, { endpointId, id }, insert)
}

/** Sends a message again, even if it was delivered. Throws as `sendTest` does. */
export const resendMessage = (ctx: Ctx, message: MessageKey): Promise<WebhookMessage> =>
  makeOneDue(ctx, message, makeDue(ctx, message.endpointId, eq(webhookMessages.id, message.id)))

/**
 * Sends the messages again that were created at `since` (ISO 8601) or later, including delivered
 * ones. Returns how many. Throws as `sendTest` does.
 */
export async function replayMessages(
  ctx: Ctx,
  { endpointId, since }: { endpointId: string; since: string },
): Promise<number> {
  const change = { action: 'webhook.replay', subject: endpointId, details: { since } }
  const [, [counted]] = await writeAs(ctx.db, ctx.caller, requireEnabled(ctx, endpointId), [
    makeDue(ctx, endpointId, gte(webhookMessages.createdAt, since)),
    raw<{ replayed: number }>(ctx.db, sql`SELECT changes() AS replayed`),
    recordChange(ctx, change),
  ])
  return counted?.replayed ?? 0
}

/** Runs the statement that makes a message due, and returns the message. */
async function makeOneDue(
  ctx: Ctx,
  { endpointId, id }: MessageKey,
  statement: Statement,
): Promise<WebhookMessage> {
  const [, [row]] = await writeAs(ctx.db, ctx.caller, requireEnabled(ctx, endpointId), [
    statement,
    selectMessage(ctx.db, endpointId, id),
  ])
  if (!row) throw new ApiError('not_found', 'there is no such message')
  return toMessage(row)
}

const dueNow = ({ now }: Ctx) => {
  const at = now.toISOString()
  return { state: 'pending', attempts: 0, dueAt: at, updatedAt: at } as const
}

const makeDue = (ctx: Ctx, endpointId: string, condition: SQL) =>
  ctx.db
    .update(webhookMessages)
    .set(dueNow(ctx))
    .where(and(eq(webhookMessages.endpointId, endpointId), condition))

/** Rejects a caller who may not see the endpoint, and an endpoint that is disabled. */
const requireEnabled = (ctx: Ctx, id: string): Guard[] => [
  requireEndpoint(ctx, id),
  {
    when: exists(selectEndpoint(ctx, id, isNotNull(webhookEndpoints.disabledAt))),
    error: () => new ApiError('conflict', 'the webhook is disabled: enable it first'),
  },
]
