/** Creates, changes and deletes endpoints. A session must be of a recent sign-in. */
import { and, count, eq, exists, gt, gte, not, sql } from 'drizzle-orm'
import type { SQLiteUpdateSetSource } from 'drizzle-orm/sqlite-core'
import { writeAs } from '../auth/access.ts'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { webhookEndpoints } from '../db/schema/webhooks.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { parseDestination } from '../http/destination.ts'
import { ApiError, invalidField } from '../http/errors.ts'
import { isMasterEndpoint, recordChange, requireEndpoint, requireRecentSession } from './access.ts'
import type { Webhook } from './answer.ts'
import { type ChosenEvent, isAlarm, type WebhookChanges } from './input.ts'
import { endpointColumns, toWebhook } from './read.ts'
import { newSecretId, secretOf } from './secret.ts'

/** Milliseconds for which the old secret signs as well after a rotation. */
const ROTATION_GRACE = 24 * 60 * 60 * 1000

/** Endpoints that a user may have. */
export const MAX_WEBHOOKS = 10

type ManageSettings = Pick<Settings, 'DELIVERY_KEY_SECRET' | 'LOOPBACK_HOSTS'>
type NewEndpoint = { url: string; events: ChosenEvent[]; role: Caller['role'] }
/** `secret` is `whsec_…`. */
type WithSecret = { webhook: Webhook; secret: string }

const normalized = (url: string, { LOOPBACK_HOSTS: loopbackHosts }: ManageSettings): string =>
  parseDestination(url, { field: 'url', loopbackHosts, isHttpsOnly: true }).href

const alarmsNotAllowed = () =>
  invalidField('events', 'must not have alarms: only endpoints with the role master get them')

/**
 * Creates an endpoint of the caller. Throws `unauthenticated`, `invalid_input`, `conflict` if the
 * user has too many, `reauthentication_required`, and the errors of `guards`.
 */
export async function createWebhook(
  db: Database,
  settings: ManageSettings,
  caller: Caller,
  { url, events, role }: NewEndpoint,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<WithSecret> {
  if (role === 'user' && events.some(isAlarm)) throw alarmsNotAllowed()
  const { userId } = caller
  const [id, secretId] = [crypto.randomUUID(), newSecretId()]
  const at = now.toISOString()
  const values = { id, userId, role, url: normalized(url, settings), events, secretId }
  const insert = db
    .insert(webhookEndpoints)
    .values({ ...values, createdAt: at, updatedAt: at })
    .returning(endpointColumns)
  const { host } = new URL(values.url)
  const action = { action: 'webhook.create', subject: id, details: { events, host } }
  const record = recordChange(db, caller, action, now)
  const conditions = [...guards, requireRecentSession(db, caller, now), limitWebhooks(db, userId)]
  const [[row]] = await writeAs(db, caller, conditions, [insert, record])
  if (!row) throw new Error('the INSERT returned no row')
  return { webhook: toWebhook(row), secret: await secretOf(settings, secretId) }
}

/**
 * Changes the given fields. Throws `unauthenticated`, `not_found`, `invalid_input`,
 * `reauthentication_required`, and the errors of `guards`.
 */
export async function updateWebhook(
  db: Database,
  settings: ManageSettings,
  caller: Caller,
  id: string,
  { url, events, enabled }: WebhookChanges,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<Webhook> {
  const { disabledAt, disabledReason, failingSince, warnedAt } = webhookEndpoints
  const newUrl = url === undefined ? sql`${webhookEndpoints.url}` : normalized(url, settings)
  /** Failures of another URL, or from before it was disabled, do not count. */
  const startsAnew = sql`(${webhookEndpoints.url} <> ${newUrl}
    OR (${Number(enabled === true)} AND ${disabledAt} IS NOT NULL))`
  const values = {
    url: newUrl,
    failingSince: sql`iif(${startsAnew}, NULL, ${failingSince})`,
    warnedAt: sql`iif(${startsAnew}, NULL, ${warnedAt})`,
    ...(events && { events }),
    ...(enabled === false && {
      disabledAt: sql`coalesce(${disabledAt}, ${now.toISOString()})`,
      disabledReason: sql`coalesce(${disabledReason}, 'owner')`,
    }),
    ...(enabled && { disabledAt: null, disabledReason: null }),
  }
  return change(db, caller, id, now, {
    action: 'webhook.change',
    details: {
      events,
      enabled,
      ...(typeof newUrl === 'string' && { host: new URL(newUrl).host }),
    },
    values,
    guards,
    rules: events?.some(isAlarm) ? [requireMasterEndpoint(db, id)] : [],
  })
}

/**
 * Gives an endpoint a new secret. The old one signs as well for 24 hours. Throws
 * `unauthenticated`, `not_found`, `reauthentication_required`, `conflict` while an older one still
 * signs, and the errors of `guards`.
 */
export async function rotateSecret(
  db: Database,
  settings: ManageSettings,
  caller: Caller,
  id: string,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<WithSecret> {
  const secretId = newSecretId()
  const values = {
    previousSecretId: sql`${webhookEndpoints.secretId}`,
    previousSecretUntil: new Date(now.getTime() + ROTATION_GRACE).toISOString(),
    secretId,
  }
  const rules = [requireOneSecret(db, id, now)]
  const rotation = { action: 'webhook.rotate', values, guards, rules }
  const webhook = await change(db, caller, id, now, rotation)
  return { webhook, secret: await secretOf(settings, secretId) }
}

/**
 * Deletes an endpoint and its log, and returns what it was. Nothing is sent to it any more. Throws
 * `unauthenticated`, `not_found`, `reauthentication_required`, and the errors of `guards`.
 */
export const deleteWebhook = (
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
  guards: readonly Guard[] = [],
): Promise<Webhook> =>
  change(db, caller, id, now, {
    action: 'webhook.delete',
    values: {},
    guards,
    statements: [db.delete(webhookEndpoints).where(eq(webhookEndpoints.id, id))],
  })

type Change = {
  action: string
  details?: Record<string, unknown>
  values: SQLiteUpdateSetSource<typeof webhookEndpoints>
  /** Checked before it is known whether the caller may see the endpoint. */
  guards: readonly Guard[]
  /** Checked after that. */
  rules?: readonly Guard[]
  /** Run after the change is recorded. */
  statements?: readonly Statement[]
}

/** Changes an endpoint that the caller may see, and records it, in one transaction. */
async function change(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
  { action, details, values, guards, rules = [], statements = [] }: Change,
): Promise<Webhook> {
  const update = db
    .update(webhookEndpoints)
    .set({ ...values, updatedAt: now.toISOString() })
    .where(eq(webhookEndpoints.id, id))
    .returning(endpointColumns)
  const [[row]] = await writeAs(
    db,
    caller,
    [...guards, requireEndpoint(db, caller, id), requireRecentSession(db, caller, now), ...rules],
    [
      update,
      recordChange(db, caller, { action, subject: id, ...(details && { details }) }, now),
      ...statements,
    ],
  )
  if (!row) throw new Error('the UPDATE returned no row')
  return toWebhook(row)
}

const requireMasterEndpoint = (db: Database, id: string): Guard => ({
  when: not(isMasterEndpoint(db, id)),
  error: alarmsNotAllowed,
})

/** Rejects a rotation that would end a secret before its 24 hours. */
const requireOneSecret = (db: Database, id: string, now: Date): Guard => ({
  when: exists(
    db
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(
        and(
          eq(webhookEndpoints.id, id),
          gt(webhookEndpoints.previousSecretUntil, now.toISOString()),
        ),
      ),
  ),
  error: () =>
    new ApiError(
      'conflict',
      'the secret was rotated less than 24 hours ago, and the one before still signs; if one has leaked, make another webhook',
    ),
})

/** Rejects one more endpoint of a user who has as many as allowed. */
const limitWebhooks = (db: Database, userId: number): Guard => ({
  when: gte(
    sql`${db
      .select({ webhooks: count() })
      .from(webhookEndpoints)
      .where(eq(webhookEndpoints.userId, userId))}`,
    MAX_WEBHOOKS,
  ),
  error: () =>
    new ApiError('conflict', `you have ${MAX_WEBHOOKS} webhooks: delete one that you do not need`),
})
