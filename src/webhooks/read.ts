/** Reads endpoints and their logs. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { type Database, raw } from '../db/client.ts'
import { columnsOf } from '../db/columns.ts'
import { webhookEndpoints, type webhookStates } from '../db/schema/webhooks.ts'
import type { Caller } from '../http/context.ts'
import { endpointNotFound, isAccessible, isEndpoint } from './access.ts'
import type { Webhook, WebhookMessage } from './answer.ts'

/** What the caller may see. Secrets are computed from `secretId`. */
export const endpointColumns = columnsOf(webhookEndpoints, [
  'id',
  'userId',
  'role',
  'url',
  'events',
  'failingSince',
  'disabledAt',
  'disabledReason',
  'previousSecretUntil',
  'createdAt',
  'updatedAt',
])

export const toWebhook = (row: Omit<Webhook, 'enabled'>): Webhook => ({
  ...row,
  enabled: row.disabledAt === null,
})

type Page = { cursor?: string | undefined; limit: number }

/** Returns a page of the endpoints that the caller may see, by id. Throws `unauthenticated`. */
export async function listWebhooks(db: Database, caller: Caller, { cursor = '', limit }: Page) {
  const [rows] = await readAs(db, caller, [
    db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(and(gt(webhookEndpoints.id, cursor), isAccessible(db, caller)))
      .orderBy(asc(webhookEndpoints.id))
      .limit(limit + 1),
  ])
  const page = rows.slice(0, limit).map(toWebhook)
  return { webhooks: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

/** Returns an endpoint. Throws `unauthenticated`, `not_found`. */
export async function readWebhook(db: Database, caller: Caller, id: string): Promise<Webhook> {
  const [[row]] = await readAs(db, caller, [
    db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(isEndpoint(db, caller, id)),
  ])
  if (!row) throw endpointNotFound()
  return toWebhook(row)
}

/** Returns the signed-in user and all own endpoints, oldest first. Throws as `readAsUser`. */
export async function readOwnWebhooks(db: Database, caller: Caller) {
  const [account, rows] = await readAsUser({ db, caller }, [
    db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.userId, caller.userId), isAccessible(db, caller)))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)),
  ])
  return { account, webhooks: rows.map(toWebhook) }
}

export type LogPage = Page & { state?: (typeof webhookStates)[number] | undefined }

/** Messages that one call looks at, if it selects by the state. */
export const MAX_CANDIDATES = 1000

type MessageRow = Omit<WebhookMessage, 'attempts' | 'payload'> & {
  /** JSON. */
  attempts: string
  /** JSON. */
  payload: string
}

const selectMessages = (of: SQL): SQL => sql`SELECT m.id, m.type, m.orderId, m.state, m.dueAt,
    m.createdAt, m.payload, (SELECT json_group_array(json_object('at', a.at, 'duration', a.duration,
      'status', a.status, 'error', a.error) ORDER BY a.id)
      FROM webhookAttempts a WHERE a.messageId = m.id) AS attempts
  FROM ${of} m`

/** Selects one message of an endpoint. */
export const selectMessage = (db: Database, endpointId: string, id: string) =>
  raw<MessageRow>(
    db,
    sql`${selectMessages(sql`webhookMessages`)} WHERE m.id = ${id} AND m.endpointId = ${endpointId}`,
  )

export const toMessage = ({ attempts, payload, ...row }: MessageRow): WebhookMessage => ({
  ...row,
  attempts: JSON.parse(attempts),
  payload: JSON.parse(payload),
})

/** The messages of an endpoint after a cursor, newest first. A cursor that was deleted is the end. */
function messagesOf(db: Database, caller: Caller, endpointId: string, cursor: string | undefined) {
  const endpoint = db
    .select({ id: webhookEndpoints.id })
    .from(webhookEndpoints)
    .where(isEndpoint(db, caller, endpointId))
  const isAfter = cursor
    ? sql`AND (createdAt, id) < (SELECT createdAt, id FROM webhookMessages
        WHERE id = ${cursor} AND endpointId = ${endpointId})`
    : sql``
  return sql`FROM webhookMessages WHERE endpointId = ${endpoint} ${isAfter}
    ORDER BY createdAt DESC, id DESC`
}

/** The statements of a page of the log, for `toLog`. */
function logStatements(db: Database, caller: Caller, id: string, page: LogPage) {
  const { cursor, limit, state } = page
  const of = messagesOf(db, caller, id, cursor)
  const count = state ? MAX_CANDIDATES : limit + 1
  const isSelected = state ? sql`WHERE m.state = ${state}` : sql``
  return [
    raw<MessageRow>(
      db,
      sql`${selectMessages(sql`(SELECT * ${of} LIMIT ${count})`)} ${isSelected}
        ORDER BY m.createdAt DESC, m.id DESC LIMIT ${limit + 1}`,
    ),
    // Where the next page begins if this one has looked at as many messages as it may.
    raw<{ id: string }>(
      db,
      state ? sql`SELECT id ${of} LIMIT 1 OFFSET ${MAX_CANDIDATES - 1}` : sql`SELECT 1 WHERE FALSE`,
    ),
  ] as const
}

/** Returns the messages, and where the next page begins; null on the last page. */
function toLog(rows: MessageRow[], last: { id: string }[], limit: number) {
  const messages = rows.slice(0, limit).map(toMessage)
  const next = rows.length > limit ? messages.at(-1) : last[0]
  return { messages, nextCursor: next?.id ?? null }
}

/**
 * Returns a page of the log of an endpoint, newest first. With a state, a page may have fewer
 * messages than `limit` before the last one. Throws `unauthenticated`, `not_found`.
 */
export async function readLog(db: Database, caller: Caller, id: string, page: LogPage) {
  const [endpoint, rows, last] = await readAs(db, caller, [
    db
      .select({ id: webhookEndpoints.id })
      .from(webhookEndpoints)
      .where(isEndpoint(db, caller, id)),
    ...logStatements(db, caller, id, page),
  ])
  if (endpoint.length === 0) throw endpointNotFound()
  return toLog(rows, last, page.limit)
}

/**
 * Returns the signed-in user, an endpoint with its `secretId`, and a page of its log. Throws as
 * `readAsUser`, and `not_found`.
 */
export async function readWebhookPage(db: Database, caller: Caller, id: string, page: LogPage) {
  const [account, [row], rows, last] = await readAsUser({ db, caller }, [
    db
      .select({ ...endpointColumns, secretId: webhookEndpoints.secretId })
      .from(webhookEndpoints)
      .where(isEndpoint(db, caller, id)),
    ...logStatements(db, caller, id, page),
  ])
  if (!row) throw endpointNotFound()
  const { secretId, ...webhook } = row
  return { account, webhook: toWebhook(webhook), secretId, log: toLog(rows, last, page.limit) }
}
