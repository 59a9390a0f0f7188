/** Reads endpoints and their messages. */

import { and, asc, eq, gt, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { shownColumns } from '../db/columns.ts'
import { type WebhookEvent, webhookEndpoints } from '../db/schema/webhooks.ts'
import {
  endpointNotFound,
  isAccessible,
  isEndpoint,
  type ReadCtx,
  selectEndpoint,
} from './access.ts'
import { eventName, WINDOW } from './log.ts'
import { type MessageState, Webhook } from './schema.ts'

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

type MessagesPage = { cursor?: number | undefined; limit: number } & {
  id: string
  state?: MessageState | undefined
}

/** An event for an endpoint, with the last attempts to send it. */
export type WebhookMessage = {
  id: string
  type: WebhookEvent
  orderId: number | null
  state: MessageState
  dueAt: string | null
  createdAt: string
  attempts: { at: string; duration: number; status: number | null; error: string | null }[]
  payload: { type: WebhookEvent; timestamp: string; data: Record<string, unknown> }
}

type MessageRow = Pick<WebhookMessage, 'type' | 'orderId' | 'state' | 'dueAt'> & {
  id: number
  /** Of the endpoint. */
  role: Webhook['role']
  /** JSON. */
  attempts: string | null
  /** JSON. */
  payload: string
}

/** `e` is the endpoint, `v` an event, `m` the row of its message, if there is one. */
const stateOf = sql`CASE WHEN m.state = 'pending' THEN 'pending'
  WHEN v.endpointId IS NULL AND v.id > e.position THEN 'waiting'
  ELSE coalesce(m.state, 'delivered') END`

const selectMessages = (
  endpointId: SQL | string,
  from: SQL,
): SQL => sql`SELECT v.id, e.role, v.type,
    v.orderId, v.body AS payload, m.attempts,
    iif(e.disabledAt IS NULL, m.dueAt, NULL) AS dueAt, ${stateOf} AS state
  FROM webhookEndpoints e CROSS JOIN ${from} WHERE e.id = ${endpointId}`

/** Selects the message of an event, if there is a row for it. */
export const selectMessage = (db: Database, endpointId: string, id: SQL | number) =>
  raw<MessageRow>(
    db,
    selectMessages(
      endpointId,
      sql`webhookMessages m ON m.eventId = ${id} AND m.endpointId = e.id JOIN events v ON v.id = ${id}`,
    ),
  )

/** Converts a row of `selectMessages`. Only the receiver of a test learns its challenge. */
export function toMessage({ id, role: _, attempts, payload, ...row }: MessageRow): WebhookMessage {
  const body: WebhookMessage['payload'] = JSON.parse(payload)
  delete body.data.challenge
  const createdAt = body.timestamp
  return {
    id: eventName(id),
    ...row,
    createdAt,
    attempts: JSON.parse(attempts ?? '[]'),
    payload: body,
  }
}

/**
 * The statements of a page of messages, for `toPage`: rows of messages if the state has them, else
 * those that a window of the log has.
 */
function messageStatements(ctx: ReadCtx, { id, cursor, limit, state }: MessagesPage) {
  const before = sql`${cursor ?? Number.MAX_SAFE_INTEGER}`
  const hasRows = state === 'pending' || state === 'failed'
  const from = hasRows
    ? sql`webhookMessages m ON m.endpointId = e.id AND m.state = ${state} AND m.eventId < ${before}
        CROSS JOIN events v ON v.id = m.eventId`
    : sql`(SELECT * FROM events WHERE id < ${before} ORDER BY id DESC LIMIT ${WINDOW}) v
        LEFT JOIN webhookMessages m ON m.eventId = v.id AND m.endpointId = e.id`
  return [
    raw<MessageRow>(
      ctx.db,
      sql`${selectMessages(sql`(${selectEndpoint(ctx, id)})`, from)}
          AND (m.eventId IS NOT NULL OR v.id > e.logFrom AND EXISTS (SELECT 1 FROM endpointEvents
            WHERE endpointId = e.id AND id = v.id))
          AND ${state ? sql`${stateOf} = ${state}` : sql`TRUE`}
        ORDER BY ${hasRows ? sql`m.eventId` : sql`v.id`} DESC LIMIT ${limit + 1}`,
    ),
    // Where the next page begins if this one has looked at a whole window.
    raw<{ id: number }>(
      ctx.db,
      hasRows
        ? sql`SELECT 0 AS id WHERE FALSE`
        : sql`SELECT id FROM events WHERE id < ${before} ORDER BY id DESC LIMIT 1 OFFSET ${WINDOW - 1}`,
    ),
  ] as const
}

/** Returns the messages, and where the next page begins; null on the last page. */
function toPage(rows: MessageRow[], last: { id: number }[], limit: number) {
  const shown = rows.slice(0, limit)
  const next = rows.length > limit ? shown.at(-1) : last[0]
  return { messages: shown.map(toMessage), nextCursor: next ? eventName(next.id) : null }
}

/**
 * Returns a page of the messages of an endpoint, newest first: since its events or sources were
 * set. A page may have fewer messages than `limit` before the last one. Throws `unauthenticated`,
 * `not_found`.
 */
export async function readMessages(ctx: ReadCtx, page: MessagesPage) {
  const [endpoint, rows, last] = await readAs(ctx.db, ctx.caller, [
    selectEndpoint(ctx, page.id),
    ...messageStatements(ctx, page),
  ])
  if (endpoint.length === 0) throw endpointNotFound()
  return toPage(rows, last, page.limit)
}

/**
 * Returns the signed-in user, an endpoint with its `secretId`, when it is sent to next, why the last
 * attempt failed of what is sent again next, and a page of its messages. Throws as `readAsUser`, and
 * `not_found`.
 */
export async function readWebhookPage(ctx: ReadCtx, page: MessagesPage) {
  const [account, [row], rows, last] = await readAsUser(ctx, [
    ctx.db
      .select({
        ...endpointColumns,
        secretId: webhookEndpoints.secretId,
        nextAt: webhookEndpoints.dueAt,
        problem: sql<string | null>`(SELECT attempts ->> '$[#-1].error' FROM webhookMessages
          WHERE endpointId = ${webhookEndpoints.id} AND dueAt IS NOT NULL ORDER BY dueAt LIMIT 1)`,
      })
      .from(webhookEndpoints)
      .where(isEndpoint(ctx, page.id)),
    ...messageStatements(ctx, page),
  ])
  if (!row) throw endpointNotFound()
  const { secretId, nextAt, problem, ...webhook } = row
  const log = toPage(rows, last, page.limit)
  return { account, webhook: toWebhook(webhook), secretId, nextAt, problem, log }
}
