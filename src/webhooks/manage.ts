/** Creates, changes and deletes endpoints. A session needs a recent sign-in. */
import { eq, exists, gt, not, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import type * as z from 'zod'
import { administratorGuard, writeAs } from '../auth/access.ts'
import type { Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Settings } from '../env.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { parseDestination } from '../http/destination.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import {
  isMasterEndpoint,
  recordChange,
  requireEndpoint,
  requireRecentSession,
  selectEndpoint,
} from './access.ts'
import { endpointColumns, toWebhook } from './read.ts'
import { isAlarm, type NewWebhook, type Webhook, type WebhookChanges } from './schema.ts'
import { newSecretId, webhookSecret } from './signature.ts'

/** Milliseconds for which the old secret signs as well after a rotation. */
const ROTATION_GRACE = 24 * 60 * 60 * 1000

/** Endpoints that a user may have. */
export const MAX_WEBHOOKS = 10

type ManageCtx = Ctx & { settings: Pick<Settings, 'DELIVERY_KEY_SECRET' | 'LOOPBACK_HOSTS'> }
/** `secret` is `whsec_…`. */
type WithSecret = { webhook: Webhook; secret: string }

const normalizedUrl = ({ settings }: ManageCtx, url: string): string =>
  parseDestination(url, {
    field: 'url',
    loopbackHosts: settings.LOOPBACK_HOSTS,
    isHttpsOnly: true,
  }).href

const alarmsNotAllowed = () =>
  invalidField('events', 'must not have alarms: only endpoints with the role master get them')

/**
 * Creates an endpoint of the caller. A session needs an administrator for the role `master`. Throws
 * `unauthenticated`, `forbidden`, `invalid_input`, `conflict` if the user has too many, and
 * `reauthentication_required`.
 *
 * @example await createWebhook(ctx, { url, events: ['order.delivered'], role: 'user' })
 */
export async function createWebhook(
  ctx: ManageCtx,
  { url, events, role }: z.infer<typeof NewWebhook> & { role: Caller['role'] },
): Promise<WithSecret> {
  if (role === 'user' && events.some(isAlarm)) throw alarmsNotAllowed()
  const { db, settings, caller, now } = ctx
  const [id, secretId] = [crypto.randomUUID(), newSecretId()]
  const at = now.toISOString()
  const values = {
    id,
    userId: caller.userId,
    role,
    url: normalizedUrl(ctx, url),
    events,
    secretId,
  }
  const insert = db
    .insert(webhookEndpoints)
    .values({ ...values, createdAt: at, updatedAt: at })
    .returning(endpointColumns)
  const { host } = new URL(values.url)
  const record = recordChange(ctx, {
    action: 'webhook.create',
    subject: id,
    details: { events, host },
  })
  const guards = [requireRecentSession(ctx), limitWebhooks(caller)]
  if (role === 'master' && caller.role !== 'master') guards.unshift(administratorGuard(caller))
  const [[row]] = await writeAs(db, caller, guards, [insert, record])
  if (!row) throw new Error('the INSERT returned no row')
  return { webhook: toWebhook(row), secret: await webhookSecret(settings, secretId) }
}

/**
 * Changes the given fields. Throws `unauthenticated`, `not_found`, `invalid_input`,
 * `reauthentication_required`.
 */
export async function updateWebhook(
  ctx: ManageCtx,
  { id, url, events, enabled }: z.infer<typeof WebhookChanges> & { id: string },
): Promise<Webhook> {
  const { disabledAt, disabledReason, failingSince, warnedAt } = webhookEndpoints
  const newUrl = url === undefined ? sql`${webhookEndpoints.url}` : normalizedUrl(ctx, url)
  /** Failures of another URL, or from before it was disabled, do not count. */
  const startsAnew = sql`(${webhookEndpoints.url} <> ${newUrl}
    OR (${Number(enabled === true)} AND ${disabledAt} IS NOT NULL))`
  const values = {
    url: newUrl,
    failingSince: sql`iif(${startsAnew}, NULL, ${failingSince})`,
    warnedAt: sql`iif(${startsAnew}, NULL, ${warnedAt})`,
    ...(events && { events }),
    ...(enabled === false && {
      disabledAt: sql`coalesce(${disabledAt}, ${ctx.now.toISOString()})`,
      disabledReason: sql`coalesce(${disabledReason}, 'owner')`,
    }),
    ...(enabled && { disabledAt: null, disabledReason: null }),
  }
  const host = typeof newUrl === 'string' ? new URL(newUrl).host : undefined
  return changeEndpoint(ctx, {
    id,
    action: 'webhook.change',
    details: { events, enabled, host },
    values,
    guards: events?.some(isAlarm) ? [requireMasterEndpoint(ctx, id)] : [],
  })
}

/**
 * Gives an endpoint a new secret. The old one signs as well for 24 hours. Throws
 * `unauthenticated`, `not_found`, `reauthentication_required`, and `conflict` while an older one
 * still signs.
 */
export async function rotateSecret(ctx: ManageCtx, id: string): Promise<WithSecret> {
  const secretId = newSecretId()
  const webhook = await changeEndpoint(ctx, {
    id,
    action: 'webhook.rotate',
    values: {
      previousSecretId: sql`${webhookEndpoints.secretId}`,
      previousSecretUntil: new Date(ctx.now.getTime() + ROTATION_GRACE).toISOString(),
      secretId,
    },
    guards: [requireOneSecret(ctx, id)],
  })
  return { webhook, secret: await webhookSecret(ctx.settings, secretId) }
}

/**
 * Deletes an endpoint and its log, and returns what it was. Nothing is sent to it any more. Throws
 * `unauthenticated`, `not_found`, `reauthentication_required`.
 */
export const deleteWebhook = (ctx: Ctx, id: string): Promise<Webhook> =>
  changeEndpoint(ctx, {
    id,
    action: 'webhook.delete',
    statements: [ctx.db.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id))],
  })

type Change = {
  id: string
  action: string
  details?: Record<string, unknown>
  values?: SQLiteUpdateSetSource<typeof webhookEndpoints>
  /** Checked after it is known that the caller may change the endpoint. */
  guards?: readonly Guard[]
  /** Run after the change is recorded. */
  statements?: readonly Statement[]
}

/** Changes an endpoint that the caller may see, and records it, in one transaction. */
async function changeEndpoint(
  ctx: Ctx,
  { id, action, details, values, guards = [], statements = [] }: Change,
): Promise<Webhook> {
  const { db, caller, now } = ctx
  const update = db
    .update(webhookEndpoints)
    .set({ ...values, updatedAt: now.toISOString() })
    .where(eq(webhookEndpoints.id, id))
    .returning(endpointColumns)
  const record = recordChange(ctx, { action, subject: id, ...(details && { details }) })
  const [[row]] = await writeAs(
    db,
    caller,
    [requireEndpoint(ctx, id), requireRecentSession(ctx), ...guards],
    [update, record, ...statements],
  )
  if (!row) throw new Error('the UPDATE returned no row')
  return toWebhook(row)
}

const requireMasterEndpoint = (ctx: Ctx, id: string): Guard => ({
  when: not(isMasterEndpoint(ctx, id)),
  error: alarmsNotAllowed,
})

/** Rejects a rotation that would end a secret before its 24 hours. */
const requireOneSecret = (ctx: Ctx, id: string): Guard => ({
  when: exists(
    selectEndpoint(ctx, id, gt(webhookEndpoints.previousSecretUntil, ctx.now.toISOString())),
  ),
  error: () =>
    new ApiError(
      'conflict',
      'the secret was rotated less than 24 hours ago, and the one before still signs; if one has leaked, make another webhook',
    ),
})

/** Rejects one more endpoint of a user who has as many as allowed. */
const limitWebhooks = ({ userId }: Caller): Guard => ({
  when: sql`(SELECT count(*) FROM webhookEndpoints WHERE userId = ${userId}) >= ${MAX_WEBHOOKS}`,
  error: () =>
    new ApiError('conflict', `you have ${MAX_WEBHOOKS} webhooks: delete one that you do not need`),
})
