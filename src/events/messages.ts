/** Reads the messages of endpoints. */

import { and, desc, eq, inArray, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { readAsUser } from '../auth/session.ts'
import { raw } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import {
  events,
  type WebhookEvent,
  webhookEndpoints,
  webhookMessages,
} from '../db/schema/webhooks.ts'
import { endpointNotFound, isEndpoint, type ReadCtx } from './access.ts'
import { type EventRow, eventName, selectEvents, toBody, WINDOW } from './event.ts'
import { takes } from './filter.ts'
import { endpointColumns, toWebhook } from './read.ts'
import type { MessageState } from './schema.ts'

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

/** What decides which messages an endpoint has, and their states. */
const receiverColumns = {
  id: webhookEndpoints.id,
  userId: webhookEndpoints.userId,
  role: webhookEndpoints.role,
  events: webhookEndpoints.events,
  sources: webhookEndpoints.sources,
  position: webhookEndpoints.position,
  disabledAt: webhookEndpoints.disabledAt,
}
type Receiver = Pick<typeof webhookEndpoints.$inferSelect, keyof typeof receiverColumns>

/** A message that was not accepted at the first attempt, is sent again, or is a test. */
type Tried = typeof webhookMessages.$inferSelect

/** Builds a message. Only the receiver of a test learns its challenge. */
function toMessage(receiver: Receiver, event: EventRow, tried: Tried | undefined): WebhookMessage {
  const { type, timestamp, data } = toBody(event)
  const { challenge: _, ...shown }: Record<string, unknown> = data
  return {
    id: eventName(event.id),
    type,
    orderId: event.orderId,
    state: stateOf(receiver, event, tried),
    dueAt: (receiver.disabledAt === null && tried?.dueAt) || null,
    createdAt: timestamp,
    attempts: JSON.parse(tried?.attempts ?? '[]'),
    payload: { type, timestamp, data: shown },
  }
}

/** An event after the position waits, unless it is sent again on its own. Tests are not in the log. */
function stateOf(
  { position }: Receiver,
  { id, endpointId }: EventRow,
  tried: Tried | undefined,
): MessageState {
  if (tried?.state === 'pending') return 'pending'
  if (endpointId === null && id > position) return 'waiting'
  return tried?.state ?? 'delivered'
}

/** The statements that select the message of an event, for `findMessage`. */
export const selectMessage = (db: Database, endpointId: string, id: SQL | number) => ({
  receivers: db
    .select(receiverColumns)
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, endpointId)),
  events: selectEvents(db).where(sql`${events.id} = ${id}`),
  tried: db
    .select()
    .from(webhookMessages)
    .where(and(sql`eventId = ${id}`, eq(webhookMessages.endpointId, endpointId))),
})

type FoundMessage = { receivers: Receiver[]; events: EventRow[]; tried: Tried[] }

/** Returns the message, with the role of its endpoint; undefined if there is none. */
export function findMessage(found: FoundMessage) {
  const [receiver] = found.receivers
  const [event] = found.events
  const [tried] = found.tried
  if (!receiver || !event || !(tried || takes(receiver, event))) return undefined
  return { message: toMessage(receiver, event, tried), role: receiver.role }
}

/** Events that a page looks at, at most: those that may be for the endpoint. */
const MOST = 200

type MessagesPage = {
  id: string
  cursor?: number | undefined
  limit: number
  state?: MessageState | undefined
}

/** Selects the ids of the messages in a state that is stored, newest first. */
const selectTriedIds = ({ id, cursor, limit, state }: MessagesPage): SQL => sql`(
  SELECT eventId FROM webhookMessages
  WHERE endpointId = ${id} AND state = ${state} AND eventId < ${cursor ?? Number.MAX_SAFE_INTEGER}
  ORDER BY eventId DESC LIMIT ${limit + 1})`

/** Selects the first of the events that a page looks at; nothing if the log has fewer. */
const selectWindowStart = (cursor = Number.MAX_SAFE_INTEGER): SQL => sql`(
  SELECT id FROM events WHERE id < ${cursor} ORDER BY id DESC LIMIT 1 OFFSET ${WINDOW - 1})`

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

/** The statements of a page, for `toPage`. The last one says where the log was looked at until, if it was. */
function selectPage(ctx: ReadCtx, page: MessagesPage) {
  const { db } = ctx
  const ids = isStored(page) ? selectTriedIds(page) : selectLogIds(page)
  return [
    db.select(receiverColumns).from(webhookEndpoints).where(isEndpoint(ctx, page.id)),
    selectEvents(db).where(inArray(events.id, ids)).orderBy(desc(events.id)),
    db
      .select()
      .from(webhookMessages)
      .where(and(eq(webhookMessages.endpointId, page.id), inArray(webhookMessages.eventId, ids))),
    raw<{ id: number | null }>(
      db,
      sql`SELECT iif(${+isStored(page)}, NULL, ${selectWindowStart(page.cursor)}) AS id`,
    ),
  ] as const
}

type Page = {
  receiver: Receiver | undefined
  rows: EventRow[]
  tried: Tried[]
  end?: { id: number | null } | undefined
}

/** Returns the messages, and where the next page begins; null on the last page. */
function toPage({ receiver, rows, tried, end }: Page, page: MessagesPage) {
  if (!receiver) throw endpointNotFound()
  const triedById = new Map(tried.map((row) => [row.eventId, row]))
  const found = rows
    .filter((event) => triedById.has(event.id) || takes(receiver, event))
    .map((event) => toMessage(receiver, event, triedById.get(event.id)))
    .filter(({ state }) => !page.state || state === page.state)
  const messages = found.slice(0, page.limit)
  if (found.length > page.limit) return { messages, nextCursor: messages.at(-1)?.id ?? null }
  const last = rows.length === MOST ? rows.at(-1)?.id : end?.id
  return { messages, nextCursor: last ? eventName(last) : null }
}

/**
 * Returns a page of the messages of an endpoint, newest first: since its events or sources were
 * set. A page may have fewer messages than `limit` before the last one. Throws `unauthenticated`,
 * `not_found`.
 */
export async function readMessages(ctx: ReadCtx, page: MessagesPage) {
  const [[receiver], rows, tried, [end]] = await readAs(ctx.db, ctx.caller, selectPage(ctx, page))
  return toPage({ receiver, rows, tried, end }, page)
}

/**
 * Returns the signed-in user, an endpoint with its `secretId`, when it is sent to next, why the last
 * attempt failed of what is sent again next, and a page of its messages. Throws as `readAsUser`, and
 * `not_found`.
 */
export async function readWebhookPage(ctx: ReadCtx, page: MessagesPage) {
  const [account, [row], [receiver], rows, tried, [end]] = await readAsUser(ctx, [
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
    ...selectPage(ctx, page),
  ])
  if (!row) throw endpointNotFound()
  const { secretId, nextAt, problem, ...webhook } = row
  const log = toPage({ receiver, rows, tried, end }, page)
  return { account, webhook: toWebhook(webhook), secretId, nextAt, problem, log }
}
