/** Sends a test, a message again, or all events since a time again. */

import { isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { batch, raw, type Statement } from '../db/batch.ts'
import type { Guard } from '../db/guard.ts'
import { countUse, type Quota, requireQuota } from '../db/quota.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, invalidField, rateLimited } from '../http/errors.ts'
import { perDay } from '../http/guard.ts'
import { recordChange, rejectIf, requireEndpoint } from './access.ts'
import type { WebhookMessage } from './answers.ts'
import { appendTest } from './append.ts'
import { eventIdAt } from './id.ts'
import { findMessage, selectMessage } from './messages.ts'
import { countPending, MAX_PENDING } from './pending.ts'
import { endpointColumns, toWebhook } from './read.ts'
import type { Webhook } from './schema.ts'
import type { DueEndpoint } from './wake.ts'

/** Tests of an endpoint in a minute and on a day (UTC), and replays on a day. */
export const MAX_TESTS = { minute: 10, day: 100 }
export const MAX_REPLAYS = 6

/** `role` says which queue wakes the consumer. */
type Again = { message: WebhookMessage; role: DueEndpoint['role'] }

/** The quotas that each test of an endpoint uses up. */
export const testQuotas = (endpointId: string): Quota[] =>
  (['day', 'minute'] as const).map((per) => ({
    name: `webhook_tests:${endpointId}`,
    per,
    limit: MAX_TESTS[per],
    error: (seconds) => rateLimited(`an endpoint gets ${MAX_TESTS[per]} tests a ${per}`, seconds),
  }))

/**
 * Appends an event `webhook.test` for the endpoint, and returns its message. Throws
 * `unauthenticated`, `not_found`, `rate_limited`, and `conflict` if the endpoint is disabled.
 */
export function sendTest(ctx: Ctx, endpointId: string): Promise<Again> {
  const { db, now } = ctx
  const quotas = testQuotas(endpointId)
  return sendOne(ctx, endpointId, {
    guards: quotas.map((quota) => requireQuota(quota, now)),
    statements: [
      ...quotas.map((quota) => countUse(db, quota, now)),
      ...appendTest(db, endpointId, { now }),
    ],
    eventId: sql`(SELECT max(id) FROM events)`,
  })
}

/**
 * Sends a message again, even if it was delivered. Throws `unauthenticated`, `not_found`, and
 * `conflict` if the endpoint is disabled or not verified, or 1,000 messages wait to be sent.
 */
export async function resendMessage(
  ctx: Ctx,
  { endpointId, id }: { endpointId: string; id: number },
): Promise<Again> {
  const known = findMessage(await batch(ctx.db, selectMessage(ctx.db, endpointId, id)))
  return sendOne(ctx, endpointId, {
    guards: [
      requireVerified(ctx, endpointId),
      rejectIf(ctx, endpointId, hasManyPending(endpointId), 'too many messages wait to be sent'),
    ],
    statements: known ? makeMessageDue(ctx, { endpointId, id }) : [],
    eventId: id,
  })
}

const hasManyPending = (endpointId: string) => sql`${countPending(endpointId)} >= ${MAX_PENDING}`

/** An endpoint that pauses is due when its pause ends. */
function makeMessageDue({ db, now }: Ctx, { endpointId, id }: { endpointId: string; id: number }) {
  const at = now.toISOString()
  return [
    raw<never>(
      db,
      sql`INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
        SELECT id, ${endpointId}, 'pending', 0, ${at} FROM events WHERE id = ${id}
        ON CONFLICT DO UPDATE SET state = 'pending', tries = 0, dueAt = excluded.dueAt`,
    ),
    raw<never>(
      db,
      sql`UPDATE webhookEndpoints
        SET dueAt = min(coalesce(dueAt, '9999'), max(${at}, coalesce(pausedUntil, '')))
        WHERE id = ${endpointId}`,
    ),
  ]
}

/**
 * Moves an endpoint back, so that it gets the events since a time (ISO 8601) again. Throws as
 * `resendMessage`, and `invalid_input`, `rate_limited`.
 */
export async function replayEvents(
  ctx: Ctx,
  { endpointId, since }: { endpointId: string; since: string },
): Promise<Webhook> {
  const message = `an endpoint may be replayed ${MAX_REPLAYS} times a day`
  const quota = perDay(`webhook_replays:${endpointId}`, MAX_REPLAYS, message)
  if (since > ctx.now.toISOString()) throw invalidField('since', 'must not be in the future')
  const position = eventIdAt(new Date(since)) - 1
  const replay = ctx.db
    .update(webhookEndpoints)
    .set({
      position: sql`min(position, ${position})`,
      logFrom: sql`min(logFrom, ${position})`,
      dueAt: ctx.now.toISOString(),
    })
    .where(sql`id = ${endpointId}`)
    .returning(endpointColumns)
  const [[row]] = await writeAs(
    ctx.db,
    ctx.caller,
    [
      ...requireEnabled(ctx, endpointId),
      requireVerified(ctx, endpointId),
      requireQuota(quota, ctx.now),
    ],
    [
      replay,
      recordChange(ctx, { action: 'webhook.replay', subject: endpointId, details: { since } }),
      countUse(ctx.db, quota, ctx.now),
    ],
  )
  if (!row) throw new Error('the UPDATE returned no row')
  return toWebhook(row)
}

type One = { guards: readonly Guard[]; statements: Statement[]; eventId: SQL | number }

/** Runs the statements that make a message due, and returns the message. */
async function sendOne(
  ctx: Ctx,
  endpointId: string,
  { guards, statements, eventId }: One,
): Promise<Again> {
  const { db, caller } = ctx
  const found = await writeAs(db, caller, [...requireEnabled(ctx, endpointId), ...guards], {
    statements,
    ...selectMessage(db, endpointId, eventId),
  })
  const again = findMessage(found)
  if (!again) throw new ApiError('not_found', 'there is no such message')
  return again
}

/** Rejects a caller who may not see the endpoint, and an endpoint that is disabled. */
const requireEnabled = (ctx: Ctx, id: string): Guard[] => [
  requireEndpoint(ctx, id),
  rejectIf(
    ctx,
    id,
    isNotNull(webhookEndpoints.disabledAt),
    'the webhook is disabled: enable it first',
  ),
]

const requireVerified = (ctx: Ctx, id: string): Guard =>
  rejectIf(
    ctx,
    id,
    isNull(webhookEndpoints.verifiedAt),
    'the webhook is not verified: send a test, and answer its challenge',
  )
