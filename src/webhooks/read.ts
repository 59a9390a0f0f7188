/** Reads endpoints and their logs. */
import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { type Database, raw } from '../db/client.ts'
import { shownColumns } from '../db/columns.ts'
import { webhookEndpoints, type webhookStates } from '../db/schema/webhooks.ts'
import {
  endpointNotFound,
  isAccessible,
  isEndpoint,
  type ReadCtx,
  selectEndpoint,
} from './access.ts'
import { Webhook, type WebhookMessage } from './schema.ts'

export const endpointColumns = shownColumns(webhookEndpoints, Webhook.omit({ enabled: true }))

/** Converts a row with `endpointColumns`. */
export const toWebhook = (row: Omit<Webhook, 'enabled'>): Webhook => ({
  ...row,
  enabled: row.disabledAt === null,
})

type Page = { cursor?: string | undefined; limit: number }

/** Returns a page of the endpoints that the caller may see, by id. Throws `unauthenticated`. */
export async function listWebhooks(ctx: ReadCtx, { cursor = '', limit }: Page) {
  const [rows] = await readAs(ctx.db, ctx.caller, [
    ctx.db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(and(gt(webhookEndpoints.id, cursor), isAccessible(ctx)))
      .orderBy(asc(webhookEndpoints.id))
      .limit(limit + 1),
  ])
  const page = rows.slice(0, limit).map(toWebhook)
  return { webhooks: page, nextCursor: rows.length > limit ? (page.at(-1)?.id ?? null) : null }
}

/** Returns an endpoint. Throws `unauthenticated`, `not_found`. */
export async function readWebhook(ctx: ReadCtx, id: string): Promise<Webhook> {
  const [[row]] = await readAs(ctx.db, ctx.caller, [
    ctx.db.select(endpointColumns).from(webhookEndpoints).where(isEndpoint(ctx, id)),
  ])
  if (!row) throw endpointNotFound()
  return toWebhook(row)
}

/** Returns the signed-in user and all own endpoints, oldest first. Throws as `readAsUser`. */
export async function readOwnWebhooks(ctx: ReadCtx) {
  const [account, rows] = await readAsUser(ctx, [
    ctx.db
      .select(endpointColumns)
      .from(webhookEndpoints)
      .where(and(eq(webhookEndpoints.userId, ctx.caller.userId), isAccessible(ctx)))
      .orderBy(asc(webhookEndpoints.createdAt), asc(webhookEndpoints.id)),
  ])
  return { account, webhooks: rows.map(toWebhook) }
}

type LogPage = Page & { id: string; state?: (typeof webhookStates)[number] | undefined }

/** Messages that one call looks at, if it selects by the state. */
export const MAX_CANDIDATES = 1000

type MessageRow = Omit<WebhookMessage, 'attempts' | 'payload'> & {
  /** JSON. */
  attempts: string
  /** JSON. */
  payload: string
}

const selectMessages = (from: SQL): SQL => sql`SELECT m.id, m.type, m.orderId, m.state, m.dueAt,
    m.createdAt, m.payload, (SELECT json_group_array(json_object('at', a.at, 'duration', a.duration,
      'status', a.status, 'error', a.error) ORDER BY a.id)
      FROM webhookAttempts a WHERE a.messageId = m.id) AS attempts
  FROM ${from} m`

/** Selects one message of an endpoint. */
export const selectMessage = (db: Database, endpointId: string, id: string) =>
  raw<MessageRow>(
    db,
    sql`${selectMessages(sql`webhookMessages`)} WHERE m.id = ${id} AND m.endpointId = ${endpointId}`,
  )

/** Converts a row of `selectMessage`. */
export const toMessage = ({ attempts, payload, ...row }: MessageRow): WebhookMessage => ({
  ...row,
  attempts: JSON.parse(attempts),
  payload: JSON.parse(payload),
})

/** The statements of a page of the log, for `toLog`. After a cursor that was deleted, there is none. */
function logStatements(ctx: ReadCtx, { id, cursor, limit, state }: LogPage) {
  const isAfter = cursor
    ? sql`AND (createdAt, id) < (SELECT createdAt, id FROM webhookMessages
        WHERE id = ${cursor} AND endpointId = ${id})`
    : sql``
  const messages = sql`FROM webhookMessages WHERE endpointId = ${selectEndpoint(ctx, id)} ${isAfter}
    ORDER BY createdAt DESC, id DESC`
  const candidates = state ? MAX_CANDIDATES : limit + 1
  const isSelected = state ? sql`WHERE m.state = ${state}` : sql``
  return [
    raw<MessageRow>(
      ctx.db,
      sql`${selectMessages(sql`(SELECT * ${messages} LIMIT ${candidates})`)} ${isSelected}
        ORDER BY m.createdAt DESC, m.id DESC LIMIT ${limit + 1}`,
    ),
    // Where the next page begins if this one has looked at as many messages as it may.
    raw<{ id: string }>(
      ctx.db,
      state
        ? sql`SELECT id ${messages} LIMIT 1 OFFSET ${MAX_CANDIDATES - 1}`
        : sql`SELECT 1 WHERE FALSE`,
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
export async function readLog(ctx: ReadCtx, page: LogPage) {
  const [endpoint, rows, last] = await readAs(ctx.db, ctx.caller, [
    selectEndpoint(ctx, page.id),
    ...logStatements(ctx, page),
  ])
  if (endpoint.length === 0) throw endpointNotFound()
  return toLog(rows, last, page.limit)
}

/**
 * Returns the signed-in user, an endpoint with its `secretId`, and a page of its log. Throws as
 * `readAsUser`, and `not_found`.
 */
export async function readWebhookPage(ctx: ReadCtx, page: LogPage) {
  const [account, [row], rows, last] = await readAsUser(ctx, [
    ctx.db
      .select({ ...endpointColumns, secretId: webhookEndpoints.secretId })
      .from(webhookEndpoints)
      .where(isEndpoint(ctx, page.id)),
    ...logStatements(ctx, page),
  ])
  if (!row) throw endpointNotFound()
  const { secretId, ...webhook } = row
  return { account, webhook: toWebhook(webhook), secretId, log: toLog(rows, last, page.limit) }
}
