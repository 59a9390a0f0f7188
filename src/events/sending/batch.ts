/** What an endpoint gets next: messages that are due, and events of the log. */

import { and, asc, desc, gt, inArray, isNull, lte, type SQL, sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import {
  events,
  type WebhookEndpoint,
  type WebhookEvent,
  webhookMessages,
} from '../../db/schema/webhooks.ts'
import { raw } from '../../db/statements.ts'
import { webhookLimits } from '../../limits.ts'
import { type MessageRow, mayTakeSql, selectMessages, takes, toBody } from '../event.ts'

/** Messages that are due, and events of the log, of one batch. */
const MAX_BATCH_MESSAGES = 100
/** The `penalty` of an endpoint from which it pauses, and gets one message at a time. */
export const PAUSING_PENALTY = 5

/** A message as a run sends it. */
export type OutgoingMessage = {
  id: number
  type: WebhookEvent
  /** JSON. */
  body: string
  /** Attempts before this one. */
  tries: number
  /** Null if it is sent from the log. */
  dueAt: string | null
}

/** `end`: the position of the endpoint once all messages were sent. */
export type EventBatch = { messages: OutgoingMessage[]; end: number }

/**
 * Reads the next batch of an endpoint. What became due last comes first: a test, or what the owner
 * sends again. An endpoint that is not verified or pauses gets only tests. What waits for another
 * attempt is sent on its own, and not from the log as well.
 */
export async function readBatch(db: Database, endpoint: WebhookEndpoint, now: Date) {
  const { id, position, verifiedAt, pausedUntil, penalty } = endpoint
  const at = now.toISOString()
  const getsOnlyTests = verifiedAt === null || (pausedUntil !== null && pausedUntil > at)
  const dueIds = sql`(SELECT m.eventId FROM webhookMessages m JOIN events v ON v.id = m.eventId
    WHERE m.endpointId = ${id} AND m.dueAt <= ${at}
      AND (v.type = 'webhook.test' OR NOT ${+getsOnlyTests})
    ORDER BY m.dueAt DESC LIMIT ${MAX_BATCH_MESSAGES})`
  const windowEnd = sql`(SELECT max(id) FROM (
    SELECT id FROM events WHERE id > ${position} ORDER BY id LIMIT ${webhookLimits.window.max}))`
  const read = await batch(db, {
    due: selectMessages(db, id)
      .where(inArray(events.id, dueIds))
      .orderBy(desc(webhookMessages.dueAt)),
    log: getsOnlyTests
      ? undefined
      : selectMessages(db, id)
          .where(
            and(
              gt(events.id, position),
              lte(events.id, windowEnd),
              mayTakeSql(endpoint),
              isNull(webhookMessages.dueAt),
            ),
          )
          .orderBy(asc(events.id))
          .limit(MAX_BATCH_MESSAGES),
    limits: raw<{ windowEnd: number | null; pending: number }>(db)`
      SELECT ${windowEnd} AS windowEnd, ${countPending(id)} AS pending`,
  })
  const due = read.due.map((row) => toMessage(row, row))
  const taken = read.log.filter((row) => takes(endpoint, row))
  const [{ windowEnd: scannedTo, pending } = { windowEnd: null, pending: 0 }] = read.limits
  const room = Math.min(MAX_BATCH_MESSAGES, webhookLimits.pending.max - pending)
  const fresh = taken.slice(0, room).map((row) => toMessage(row, { tries: 0, dueAt: null }))
  const all = [...due, ...fresh]
  const messages = penalty < PAUSING_PENALTY ? all : all.slice(0, 1)
  if (messages.length < due.length + taken.length)
    return { messages, end: positionAfter(position, messages) }
  if (getsOnlyTests) return { messages, end: position }
  // The read ends at the last event, or at the end of the window.
  const last = read.log.length === MAX_BATCH_MESSAGES ? read.log.at(-1)?.id : scannedTo
  return { messages, end: last ?? position }
}

const toMessage = (
  row: MessageRow,
  { tries, dueAt }: Pick<MessageRow, 'tries' | 'dueAt'>,
): OutgoingMessage => ({
  id: row.id,
  type: row.type,
  body: JSON.stringify(toBody(row)),
  tries: tries ?? 0,
  dueAt,
})

/** Returns the position of an endpoint after these messages, of which some may not be of the log. */
export const positionAfter = (position: number, messages: readonly OutgoingMessage[]): number =>
  Math.max(position, ...messages.map(({ id, dueAt }) => (dueAt === null ? id : 0)))

/** SQL of how many messages of an endpoint wait for another attempt; it counts to their limit. */
export const countPending = (endpointId: string): SQL<number> =>
  sql`(SELECT count(*) FROM (SELECT 1 FROM webhookMessages
    WHERE endpointId = ${endpointId} AND dueAt IS NOT NULL LIMIT ${webhookLimits.pending.max}))`
