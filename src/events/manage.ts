/** Creates, changes and deletes endpoints. A session needs a recent sign-in. */

import { and, eq, exists, gt, isNotNull, isNull, ne, not, type SQL, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import type * as z from 'zod'
import { namespaceOf, refuseNonAdministrator, writeAs } from '../auth/access.ts'
import type { Guard } from '../db/batch.ts'
import { takeQuotas } from '../db/quota.ts'
import type { AuditAction } from '../db/schema/operations.ts'
import { ADMINISTRATOR } from '../db/schema/users.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Statement } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { invalidField } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { webhookLimits } from '../limits.ts'
import {
  isMasterEndpointSql,
  recordChange,
  refuseIf,
  refuseOldSession,
  refuseUnknownEndpoint,
} from './access.ts'
import { isAlarm } from './event.ts'
import { endpointColumns, toWebhook } from './read.ts'
import { appendTest, takeTest } from './resend.ts'
import type { NewWebhook, Webhook, WebhookChanges } from './schema.ts'
import { randomHex, webhookSecret } from './secret.ts'
import { parseWebhookUrl } from './sending/send.ts'

/** Milliseconds for which the old secret signs as well after a rotation. */
const ROTATION_GRACE = 24 * 60 * 60 * 1000

/** The last event of the log. */
const head = sql<number>`coalesce((SELECT max(id) FROM events), 0)`

type ManageCtx = Ctx & { settings: Pick<Settings, 'DELIVERY_KEY_SECRET' | 'LOOPBACK_HOSTS'> }
/** `secret` is `whsec_…`. */
type WithSecret = { webhook: Webhook; secret: string }

const alarmsNotAllowed = () =>
  invalidField('events', 'must not have alarms: only endpoints of administrators get them')

const otherSources = () =>
  invalidField('sources', 'must be the name of the token alone: it is for the orders of one shop')

/**
 * Creates an endpoint of the caller, and sends it a test, because it has to be verified. A session
 * needs an administrator for the role `master`.
 *
 * @example await createWebhook(ctx, { url, events: ['order.delivered'], role: 'user' })
 */
export async function createWebhook(
  ctx: ManageCtx,
  { url, events, sources, role }: z.infer<typeof NewWebhook> & { role: Caller['role'] },
): Promise<WithSecret> {
  const { db, settings, caller, now } = ctx
  const isOfShop = caller.scope === 'orders'
  if ((role === 'user' || isOfShop) && events.some(isAlarm)) throw alarmsNotAllowed()
  const { href, host } = parseWebhookUrl(settings, url)
  const id = crypto.randomUUID()
  const secretId = randomHex()
  const at = now.toISOString()
  const values = {
    id,
    userId: caller.userId,
    role,
    url: href,
    events,
    sources: isOfShop ? ownSources(caller) : sources,
    namespace: isOfShop ? namespaceOf(caller.tokenId) : null,
    secretId,
    position: head,
    logFrom: head,
    createdAt: at,
    updatedAt: at,
  }
  const quota = takeQuotas(db, now, [
    {
      ...quotaOf(webhookLimits.newWebhooks, caller.userId),
      ...(isOfShop && { name: sql<string>`'webhooks:' || ${namespaceOf(caller.tokenId)}` }),
    },
  ])
  const guards = [refuseOldSession(ctx), refuseTooManyWebhooks(caller), ...quota.guards]
  if (isOfShop && sources)
    guards.push({
      when: sql`${JSON.stringify(sources)} <> ${ownSources(caller)}`,
      error: otherSources,
    })
  if (role === 'master' && caller.role !== 'master') guards.unshift(refuseNonAdministrator(caller))
  const { rows } = await writeAs(db, caller, guards, {
    rows: db.insert(webhookEndpoints).values(values).returning(endpointColumns),
    record: recordChange(ctx, { action: 'webhook.create', subject: id, details: { events, host } }),
    uses: quota.uses,
    test: appendTest(db, id, { now }),
  })
  const [row] = rows
  if (!row) throw new Error('the INSERT returned no row')
  return { webhook: toWebhook(row), secret: await webhookSecret(settings, secretId) }
}

/** SQL of the JSON of `sources` with the name of the token alone. */
const ownSources = ({ tokenId }: Caller): SQL<string[]> =>
  sql`(SELECT json_array(name) FROM tokens WHERE id = ${tokenId})`

/**
 * Changes the given fields. Another URL gets a test, because it has to be verified. An endpoint that
 * is enabled goes on where it stopped.
 */
export async function updateWebhook(
  ctx: ManageCtx,
  { id, url, events, sources, enabled }: z.infer<typeof WebhookChanges> & { id: string },
): Promise<Webhook> {
  const { settings, now } = ctx
  const newUrl = url === undefined ? undefined : parseWebhookUrl(settings, url)
  const test = newUrl && takeTest(ctx, id)
  return changeEndpoint(ctx, {
    id,
    action: 'webhook.change',
    details: { events, sources, enabled, host: newUrl?.host },
    values: {
      ...(newUrl && { url: newUrl.href }),
      ...(events && { events }),
      ...(sources !== undefined && { sources }),
      logFrom: logFromAfter({ events, sources }),
      ...(enabled === false && disabledByOwner(now)),
    },
    guards: [
      ...(events?.some(isAlarm) ? [refuseAlarms(ctx, id)] : []),
      ...(sources === undefined ? [] : [refuseOtherSources(ctx, id, sources)]),
      ...(enabled ? [refuseIf(ctx, id, isOrphaned, 'its user is no administrator any more')] : []),
      ...(test?.guards ?? []),
    ],
    before: [
      ...(newUrl ? startAtUrl(ctx, id, newUrl.href) : []),
      ...(enabled ? [enable(ctx, id)] : []),
      ...(test?.uses ?? []),
    ],
  })
}

/**
 * SQL of where the messages of an endpoint begin. With another choice they begin at its position:
 * what waits is sent as the new choice says, and what was sent before is not known any more.
 */
function logFromAfter({
  events,
  sources,
}: Pick<z.infer<typeof WebhookChanges>, 'events' | 'sources'>) {
  const isSameEvents = events ? sql`events = ${JSON.stringify(events)}` : sql`TRUE`
  const isSameSources =
    sources === undefined ? sql`TRUE` : sql`sources IS ${sources && JSON.stringify(sources)}`
  return sql`iif(${isSameEvents} AND ${isSameSources}, logFrom, position)`
}

/** Failures of another URL do not count, nor those from before an endpoint was disabled. */
const noFailures = { penalty: 0, pausedUntil: null, failingSince: null, warnedAt: null }

/** The statements that send a test to another URL than the present one. It has to be verified. */
function startAtUrl({ db, now }: Ctx, id: string, url: string): Statement[] {
  const isOther = and(eq(webhookEndpoints.id, id), ne(webhookEndpoints.url, url))
  return [
    ...appendTest(db, id, {
      now,
      when: exists(db.select({ id: webhookEndpoints.id }).from(webhookEndpoints).where(isOther)),
    }),
    db
      .update(webhookEndpoints)
      .set({ verifiedAt: null, ...noFailures })
      .where(isOther),
  ]
}

/** The statement that enables an endpoint that is disabled. It goes on where it stopped. */
const enable = ({ db, now }: Ctx, id: string): Statement =>
  db
    .update(webhookEndpoints)
    .set({ disabledAt: null, disabledReason: null, dueAt: now.toISOString(), ...noFailures })
    .where(and(eq(webhookEndpoints.id, id), isNotNull(webhookEndpoints.disabledAt)))

/** An endpoint of all orders whose user is no administrator. */
const isOrphaned = sql`${webhookEndpoints.role} = 'master' AND NOT EXISTS (SELECT 1 FROM users
  WHERE users.id = ${webhookEndpoints.userId} AND roleId = ${ADMINISTRATOR})`

/** Gives an endpoint a new secret. The old one signs as well for 24 hours. */
export async function rotateSecret(ctx: ManageCtx, id: string): Promise<WithSecret> {
  const secretId = randomHex()
  const webhook = await changeEndpoint(ctx, {
    id,
    action: 'webhook.rotate',
    values: {
      previousSecretId: sql`${webhookEndpoints.secretId}`,
      previousSecretUntil: new Date(ctx.now.getTime() + ROTATION_GRACE).toISOString(),
      secretId,
    },
    guards: [refuseEarlyRotation(ctx, id)],
  })
  return { webhook, secret: await webhookSecret(ctx.settings, secretId) }
}

/**
 * Deletes an endpoint, and returns what it was. Nothing is sent to it any more, and the cron run
 * removes it with its messages.
 */
export const deleteWebhook = (ctx: Ctx, id: string): Promise<Webhook> =>
  changeEndpoint(ctx, {
    id,
    action: 'webhook.delete',
    after: [deleteEndpoints(ctx, eq(webhookEndpoints.id, id))],
  })

/** The statement that deletes the endpoints that match. */
export const deleteEndpoints = ({ db, now }: Pick<Ctx, 'db' | 'now'>, condition: SQL): Statement =>
  db
    .update(webhookEndpoints)
    .set({ deletedAt: now.toISOString(), url: '', dueAt: null, ...disabledByOwner(now) })
    .where(condition)

/** The values that disable an endpoint, unless it is disabled already. */
const disabledByOwner = (now: Date) => ({
  disabledAt: sql`coalesce(disabledAt, ${now.toISOString()})`,
  disabledReason: sql`coalesce(disabledReason, 'owner')`,
})

type Change = {
  id: string
  action: AuditAction
  details?: Record<string, unknown>
  values?: SQLiteUpdateSetSource<typeof webhookEndpoints>
  /** Checked after it is known that the caller may change the endpoint. */
  guards?: readonly Guard[]
  /** Statements that need the endpoint as it was, and such that need it as it is then. */
  before?: readonly Statement[]
  after?: readonly Statement[]
}

/** Changes an endpoint that the caller may see, and records it, in one transaction. */
async function changeEndpoint(
  ctx: Ctx,
  { id, action, details, values, guards = [], before = [], after = [] }: Change,
): Promise<Webhook> {
  const { db, caller, now } = ctx
  const { rows } = await writeAs(
    db,
    caller,
    [refuseUnknownEndpoint(ctx, id), refuseOldSession(ctx), ...guards],
    {
      before,
      rows: db
        .update(webhookEndpoints)
        .set({ ...values, updatedAt: now.toISOString() })
        .where(eq(webhookEndpoints.id, id))
        .returning(endpointColumns),
      record: recordChange(ctx, { action, subject: id, ...(details && { details }) }),
      after,
    },
  )
  const [row] = rows
  if (!row) throw new Error('the endpoint is gone')
  return toWebhook(row)
}

const refuseAlarms = (ctx: Ctx, id: string): Guard => ({
  when: not(isMasterEndpointSql(ctx, id, isNull(webhookEndpoints.namespace))),
  error: alarmsNotAllowed,
})

/** Rejects other sources of an endpoint than the name of the tokens that manage it. */
const refuseOtherSources = (ctx: Ctx, id: string, sources: readonly string[] | null): Guard => ({
  when: isMasterEndpointSql(
    ctx,
    id,
    sql`namespace IS NOT NULL AND sources IS NOT ${sources && JSON.stringify(sources)}`,
  ),
  error: otherSources,
})

/** Rejects a rotation that would end a secret before its 24 hours. */
const refuseEarlyRotation = (ctx: Ctx, id: string): Guard =>
  refuseIf(
    ctx,
    id,
    gt(webhookEndpoints.previousSecretUntil, ctx.now.toISOString()),
    'the secret was rotated less than 24 hours ago, and the one before still signs; if one has leaked, make another webhook',
  )

/** Rejects one more endpoint of a user, or of a shop, that has as many as allowed. */
const refuseTooManyWebhooks = ({ userId, scope, tokenId }: Caller): Guard =>
  guard(
    'conflict',
    `you have ${webhookLimits.webhooks.max} webhooks: delete one that you do not need`,
  )`
    (SELECT count(*) FROM webhookEndpoints WHERE deletedAt IS NULL
      AND ${scope === 'orders' ? sql`namespace = ${namespaceOf(tokenId)}` : sql`userId = ${userId} AND namespace IS NULL`}
      ) >= ${webhookLimits.webhooks.max}`
