/** What an endpoint gets next: messages that are due, and events of the log. */
import { and, asc, gt, inArray, lte, notExists, sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import { type Database, raw } from '../../db/client.ts'
import { events } from '../../db/schema/webhooks.ts'
import { type EventRow, selectEvents, toBody } from '../body.ts'
import { isPossible, takes } from '../filter.ts'
import { WINDOW } from '../id.ts'
import { countPending, MAX_PENDING } from '../pending.ts'
import type { Leased } from './lease.ts'
import { type Batch, type Message, positionAfter } from './message.ts'

/** Messages that are due, and events of the log, of one batch. */
const BATCH = 100

/**
 * Reads the next batch of an endpoint. What became due last comes first: a test, or what the owner
 * sends again. An endpoint that is not verified or pauses gets only tests, and one that fails gets
 * one message.
 */
export async function readBatch(db: Database, endpoint: Leased, now: Date): Promise<Batch> {
  const { id, position, verifiedAt, pausedUntil, failures } = endpoint
  const at = now.toISOString()
  const getsOnlyTests = verifiedAt === null || (pausedUntil !== null && pausedUntil > at)
  const dueIds = sql`(SELECT m.eventId FROM webhookMessages m JOIN events v ON v.id = m.eventId
    WHERE m.endpointId = ${id} AND m.dueAt <= ${at}
      AND (v.type = 'webhook.test' OR NOT ${+getsOnlyTests})
    ORDER BY m.dueAt DESC LIMIT ${BATCH})`
  const windowEnd = sql`(SELECT max(id) FROM (
    SELECT id FROM events WHERE id > ${position} ORDER BY id LIMIT ${WINDOW}))`
  const read = await batch(db, {
    due: raw<Pick<Message, 'tries' | 'dueAt'> & { eventId: number }>(
      db,
      sql`SELECT eventId, tries, dueAt FROM webhookMessages
        WHERE endpointId = ${id} AND eventId IN ${dueIds} ORDER BY dueAt DESC`,
    ),
    dueEvents: selectEvents(db).where(inArray(events.id, dueIds)),
    log: getsOnlyTests
      ? undefined
      : selectEvents(db)
          .where(
            and(
              gt(events.id, position),
              lte(events.id, windowEnd),
              isPossible(endpoint),
              notExists(selectPending(id)),
            ),
          )
          .orderBy(asc(events.id))
          .limit(BATCH),
    limits: raw<{ windowEnd: number | null; pending: number }>(
      db,
      sql`SELECT ${windowEnd} AS windowEnd, ${countPending(id)} AS pending`,
    ),
  })
  const dueEvents = new Map(read.dueEvents.map((event) => [event.id, event]))
  const due = read.due.flatMap(({ eventId, ...sent }) => {
    const event = dueEvents.get(eventId)
    return event ? [toMessage(event, sent)] : []
  })
  const taken = read.log.filter((event) => takes(endpoint, event))
  const [{ windowEnd: scannedTo, pending } = { windowEnd: null, pending: 0 }] = read.limits
  const room = Math.min(BATCH, MAX_PENDING - pending)
  const all = [...due, ...taken.slice(0, room).map((event) => toMessage(event, fresh))]
  const messages = failures > 0 ? all.slice(0, 1) : all
  if (messages.length < due.length + taken.length)
    return { messages, end: positionAfter(position, messages) }
  if (getsOnlyTests) return { messages, end: position }
  // The read ends at the last event, or at the end of the window.
  const last = read.log.length === BATCH ? read.log.at(-1)?.id : scannedTo
  return { messages, end: last ?? position }
}

/** What waits for another attempt is sent on its own, and not from the log as well. */
const selectPending = (endpointId: string) => sql`(SELECT 1 FROM webhookMessages m
  WHERE m.eventId = ${events.id} AND m.endpointId = ${endpointId} AND m.dueAt IS NOT NULL)`

/** A message of the log. */
const fresh = { tries: 0, dueAt: null }

const toMessage = (event: EventRow, sent: Pick<Message, 'tries' | 'dueAt'>): Message => ({
  id: event.id,
  type: event.type,
  body: JSON.stringify(toBody(event)),
  ...sent,
})
