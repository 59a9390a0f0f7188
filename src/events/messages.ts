/** Reads the messages of endpoints. */

import { desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import type * as z from 'zod'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { events, type WebhookEndpoint, webhookEndpoints } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'
import { webhookLimits } from '../limits.ts'
import { type EndpointReadCtx, endpointNotFound, isEndpointSql } from './access.ts'
import { eventName, type MessageRow, selectMessages, takes, toBody } from './event.ts'
import { selectWebhooks, toWebhook } from './read.ts'
import type { MessageState, MessagesQuery, WebhookMessage } from './schema.ts'

/** Builds a message. Only the receiver of a test learns its challenge. */
function toMessage(endpoint: WebhookEndpoint, row: MessageRow): WebhookMessage {
  const { type, timestamp, data } = toBody(row)
  const { challenge: _, ...shown }: Record<string, unknown> = data
  return {
    id: eventName(row.id),
    type,
    orderId: row.orderId,
    state: stateOf(endpoint, row),
    dueAt: endpoint.disabledAt === null ? row.dueAt : null,
    createdAt: timestamp,
    attempts: JSON.parse(row.attempts ?? '[]'),
    payload: { type, timestamp, data: shown },
  }
}

/** An event after the position waits, unless it is sent again on its own. Tests are not in the log. */
function stateOf({ position }: WebhookEndpoint, row: MessageRow): MessageState {
  if (row.state === 'pending') return 'pending'
  if (row.endpointId === null && row.id > position) return 'waiting'
  return row.state ?? 'delivered'
}

/** Whether an event is a message of an endpoint: it was tried, or the endpoint takes it. */
const isMessageOf = (endpoint: WebhookEndpoint, row: MessageRow): boolean =>
  row.state !== null || takes(endpoint, row)

/** The statements that select the message of an event, for `findMessage`. */
export const selectMessage = (db: Database, endpointId: string, id: SQL | number) => ({
  endpoints: selectEndpoint(db, eq(webhookEndpoints.id, endpointId)),
  rows: selectMessages(db, endpointId).where(sql`${events.id} = ${id}`),
})

const selectEndpoint = (db: Database, condition: SQL | undefined) =>
  db.select().from(webhookEndpoints).where(condition)

/** Returns the message, with the role of its endpoint; undefined if there is none. */
export function findMessage(found: { endpoints: WebhookEndpoint[]; rows: MessageRow[] }) {
  const [endpoint] = found.endpoints
  const [row] = found.rows
  if (!endpoint || !row || !isMessageOf(endpoint, row)) return undefined
  return { message: toMessage(endpoint, row), role: endpoint.role }
}

/** Events that a page looks at, at most: those that may be for the endpoint. */
const MOST = 200

type MessagesPage = z.infer<typeof MessagesQuery> & { id: string }

/** Selects the ids of the messages in a state that is stored, newest first. */
const selectTriedIds = ({ id, cursor, limit, state }: MessagesPage): SQL => sql`(
  SELECT eventId FROM webhookMessages
  WHERE endpointId = ${id} AND state = ${state} AND eventId < ${cursor ?? Number.MAX_SAFE_INTEGER}
  ORDER BY eventId DESC LIMIT ${limit + 1})`

/** Selects the first of the events that a page looks at; nothing if the log has fewer. */
const selectWindowStart = (cursor = Number.MAX_SAFE_INTEGER): SQL => sql`(
  SELECT id FROM events WHERE id < ${cursor} ORDER BY id DESC LIMIT 1 OFFSET ${webhookLimits.window.max - 1})`

/** Selects the ids of events of the log that may be messages of an endpoint, newest first. */
const selectLogIds = ({ id, cursor }: MessagesPage): SQL => sql`(
  SELECT v.id FROM webhookEndpoints e CROSS JOIN events v
    ON v.id < ${cursor ?? Number.MAX_SAFE_INTEGER} AND v.id >= coalesce(${selectWindowStart(cursor)}, 0)
  WHERE e.id = ${id} AND (
    EXISTS (SELECT 1 FROM webhookMessages WHERE eventId = v.id AND endpointId = e.id)
    OR (v.id > e.logFrom AND v.endpointId IS NULL
      AND (e.role = 'master' OR e.userId IN (v.buyerId, v.sellerId))))
  ORDER BY v.id DESC LIMIT ${MOST})`

const isStored = ({ state }: MessagesPage) => state === 'pending' || state === 'failed'

/** The statements of a page, for `toPage`. `ends`: until where the log was looked at, if it was. */
function selectPage(ctx: EndpointReadCtx, page: MessagesPage) {
  const { db } = ctx
  const ids = isStored(page) ? selectTriedIds(page) : selectLogIds(page)
  return {
    endpoints: selectEndpoint(db, isEndpointSql(ctx, page.id)),
    rows: selectMessages(db, page.id).where(inArray(events.id, ids)).orderBy(desc(events.id)),
    ends: raw<{ id: number | null }>(db)`
      SELECT iif(${+isStored(page)}, NULL, ${selectWindowStart(page.cursor)}) AS id`,
  }
}

type Found = { endpoints: WebhookEndpoint[]; rows: MessageRow[]; ends: { id: number | null }[] }

/** Returns the messages, and where the next page begins; null on the last page. */
function toPage({ endpoints, rows, ends }: Found, { state, limit }: MessagesPage) {
  const [endpoint] = endpoints
  if (!endpoint) throw endpointNotFound()
  const found = rows
    .filter((row) => isMessageOf(endpoint, row))
    .map((row) => toMessage(endpoint, row))
    .filter((message) => !state || message.state === state)
  const messages = found.slice(0, limit)
  if (found.length > limit) return { messages, nextCursor: messages.at(-1)?.id ?? null }
  const last = rows.length === MOST ? rows.at(-1)?.id : ends[0]?.id
  return { messages, nextCursor: last ? eventName(last) : null }
}

/**
 * Returns a page of the messages of an endpoint, newest first: since its events or sources were
 * set. A page may have fewer messages than `limit` before the last one.
 */
export async function readMessages(ctx: EndpointReadCtx, page: MessagesPage) {
  return toPage(await readAs(ctx.db, ctx.caller, selectPage(ctx, page)), page)
}

/**
 * Returns the signed-in user, an endpoint with its `secretId`, when it is sent to next, why the last
 * attempt failed of what is sent again next, and a page of its messages.
 */
export async function readWebhookPage(ctx: EndpointReadCtx, page: MessagesPage) {
  const { account, webhooks, problems, ...found } = await readAsUser(ctx, {
    webhooks: selectWebhooks(ctx.db).where(isEndpointSql(ctx, page.id)),
    problems: raw<{ error: string | null }>(ctx.db)`
      SELECT attempts ->> '$[#-1].error' AS error FROM webhookMessages
      WHERE endpointId = ${page.id} AND dueAt IS NOT NULL ORDER BY dueAt LIMIT 1`,
    ...selectPage(ctx, page),
  })
  const [webhook] = webhooks
  const [endpoint] = found.endpoints
  if (!webhook || !endpoint) throw endpointNotFound()
  return {
    account,
    webhook: toWebhook(webhook),
    secretId: endpoint.secretId,
    nextAt: endpoint.dueAt,
    problem: problems[0]?.error ?? null,
    log: toPage(found, page),
  }
}
