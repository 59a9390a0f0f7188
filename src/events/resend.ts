/** Sends a test, a message again, or all events since a time again. */

import { isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { batch, type Guard } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { takeQuotas } from '../db/quota.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { quotaOf } from '../http/guard.ts'
import { webhookLimits } from '../limits.ts'
import { recordChange, refuseIf, refuseUnknownEndpoint } from './access.ts'
import { eventIdAt, nextEventId } from './append.ts'
import { findMessage, selectMessage } from './messages.ts'
import { endpointColumns, toWebhook } from './read.ts'
import type { Webhook, WebhookMessage } from './schema.ts'
import { randomHex } from './secret.ts'
import { countPending } from './sending/batch.ts'
import type { DueEndpoint } from './wake.ts'

/** `role` says which queue wakes the consumer. */
type Again = { message: WebhookMessage; role: DueEndpoint['role'] }

/** Takes the quotas that each test of an endpoint uses up. */
export const takeTest = ({ db, now }: Ctx, endpointId: string) =>
  takeQuotas(db, now, [
    quotaOf(webhookLimits.testsPerDay, endpointId),
    quotaOf(webhookLimits.testsPerMinute, endpointId),
  ])

/**
 * The statements that send a test to an endpoint, if `when` holds. Tests that wait for another attempt
 * are given up, so that a receiver gets no more than its owner asks for.
 */
export function appendTest(
  db: Database,
  endpointId: string,
  { now, when = sql`TRUE` }: { now: Date; when?: SQL },
) {
  const at = now.toISOString()
  const data = JSON.stringify({
    message: 'This is a test. Answer with the challenge as the body.',
    challenge: randomHex(),
  })
  return [
    raw<never>(db)`UPDATE webhookMessages SET state = 'failed', dueAt = NULL
      WHERE endpointId = ${endpointId} AND ${when} AND eventId IN (
        SELECT m.eventId FROM webhookMessages m JOIN events v ON v.id = m.eventId
        WHERE m.endpointId = ${endpointId} AND m.dueAt IS NOT NULL AND v.type = 'webhook.test')`,
    raw<never>(db)`INSERT INTO events (id, type, at, endpointId, data)
      SELECT ${nextEventId(at)}, 'webhook.test', ${at}, ${endpointId}, ${data} WHERE ${when}`,
    raw<never>(db)`INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
      SELECT (SELECT max(id) FROM events), ${endpointId}, 'pending', 0, ${at} WHERE ${when}`,
    raw<never>(db)`UPDATE webhookEndpoints SET dueAt = ${at} WHERE id = ${endpointId} AND ${when}`,
  ]
}

/** Appends an event `webhook.test` for the endpoint, and returns its message. */
export async function sendTest(ctx: Ctx, endpointId: string): Promise<Again> {
  const { db, caller, now } = ctx
  const quotas = takeTest(ctx, endpointId)
  const guards = [...refuseDisabled(ctx, endpointId), ...quotas.guards]
  const found = await writeAs(db, caller, guards, {
    uses: quotas.uses,
    test: appendTest(db, endpointId, { now }),
    ...selectMessage(db, endpointId, sql`(SELECT max(id) FROM events)`),
  })
  return findMessage(found) ?? rejectMessage()
}

/**
 * Sends a message again, even if it was delivered. One that waits in the log stays as it is: its turn
 * comes anyway.
 */
export async function resendMessage(
  ctx: Ctx,
  { endpointId, id }: { endpointId: string; id: number },
): Promise<Again> {
  const { db, caller } = ctx
  const known = findMessage(await batch(db, selectMessage(db, endpointId, id)))
  const guards = [
    ...refuseDisabled(ctx, endpointId),
    refuseUnverified(ctx, endpointId),
    refuseIf(ctx, endpointId, hasManyPending(endpointId), 'too many messages wait to be sent'),
  ]
  const found = await writeAs(db, caller, guards, {
    due: known ? makeMessageDue(ctx, { endpointId, id }) : undefined,
    ...selectMessage(db, endpointId, id),
  })
  return findMessage(found) ?? rejectMessage()
}

const hasManyPending = (endpointId: string) =>
  sql`${countPending(endpointId)} >= ${webhookLimits.pending.max}`

/**
 * An event after the position is still to be sent from the log, and would be sent twice. An endpoint
 * that pauses is due when its pause ends.
 */
function makeMessageDue({ db, now }: Ctx, { endpointId, id }: { endpointId: string; id: number }) {
  const at = now.toISOString()
  return [
    raw<never>(db)`INSERT INTO webhookMessages (eventId, endpointId, state, tries, dueAt)
      SELECT v.id, e.id, 'pending', 0, ${at} FROM events v JOIN webhookEndpoints e
      WHERE v.id = ${id} AND e.id = ${endpointId}
        AND (v.id <= e.position OR v.endpointId IS NOT NULL)
      ON CONFLICT DO UPDATE SET state = 'pending', tries = 0, dueAt = excluded.dueAt`,
    raw<never>(db)`UPDATE webhookEndpoints
      SET dueAt = min(coalesce(dueAt, '9999'), max(${at}, coalesce(pausedUntil, '')))
      WHERE id = ${endpointId}`,
  ]
}

/** Moves an endpoint back, so that it gets the events since a time (ISO 8601) again. */
export async function replayEvents(
  ctx: Ctx,
  { endpointId, since }: { endpointId: string; since: string },
): Promise<Webhook> {
  const quota = takeQuotas(ctx.db, ctx.now, [quotaOf(webhookLimits.replays, endpointId)])
  if (since > ctx.now.toISOString()) throw invalidField('since', 'must not be in the future')
  const position = eventIdAt(new Date(since)) - 1
  const guards = [
    ...refuseDisabled(ctx, endpointId),
    refuseUnverified(ctx, endpointId),
    ...quota.guards,
  ]
  const { rows } = await writeAs(ctx.db, ctx.caller, guards, {
    rows: ctx.db
      .update(webhookEndpoints)
      .set({
        position: sql`min(position, ${position})`,
        logFrom: sql`min(logFrom, ${position})`,
        dueAt: ctx.now.toISOString(),
      })
      .where(sql`id = ${endpointId}`)
      .returning(endpointColumns),
    record: recordChange(ctx, {
      action: 'webhook.replay',
      subject: endpointId,
      details: { since },
    }),
    uses: quota.uses,
  })
  const [row] = rows
  if (!row) throw new Error('the UPDATE returned no row')
  return toWebhook(row)
}

function rejectMessage(): never {
  throw new ApiError('not_found', 'there is no such message')
}

/** Rejects a caller who may not see the endpoint, and an endpoint that is disabled. */
const refuseDisabled = (ctx: Ctx, id: string): Guard[] => [
  refuseUnknownEndpoint(ctx, id),
  refuseIf(
    ctx,
    id,
    isNotNull(webhookEndpoints.disabledAt),
    'the webhook is disabled: enable it first',
  ),
]

const refuseUnverified = (ctx: Ctx, id: string): Guard =>
  refuseIf(
    ctx,
    id,
    isNull(webhookEndpoints.verifiedAt),
    'the webhook is not verified: send a test, and answer its challenge',
  )
