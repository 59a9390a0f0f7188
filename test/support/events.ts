/** Events that were appended to the log. */

import { asc, desc, eq } from 'drizzle-orm'
import type { Database } from '../../src/db/client.ts'
import type { WebhookEvent } from '../../src/db/schema/webhooks.ts'
import { events } from '../../src/db/schema/webhooks.ts'
import { raw } from '../../src/db/statements.ts'
import { makeEndpointsDue, nextEventId } from '../../src/events/append.ts'
import { selectEvents, toBody } from '../../src/events/event.ts'

export type EventValues = {
  type?: WebhookEvent
  /** ISO 8601. */
  at?: string
  orderId?: number
  sellerId?: number
  buyerId?: number
  source?: string
  sequence?: number
  /** The endpoint that a test is for. */
  endpointId?: string
  data?: Record<string, unknown>
}

/** What an event of an order says that was placed. */
const placedData = {
  buyerId: null,
  claimUrl: null,
  status: null,
  txId: null,
  failReason: null,
  reasonCode: null,
}

/** The statements that append events, by default of orders. */
export function insertEvents(db: Database, values: EventValues, count = 1) {
  const { type = 'order.created', at = new Date().toISOString(), data = {} } = values
  const row = {
    ...values,
    type,
    at,
    data: type.startsWith('order.') ? { ...placedData, ...data } : data,
  }
  return [
    raw<never>(db)`INSERT INTO events
        (id, type, at, orderId, sellerId, buyerId, source, sequence, endpointId, data)
      SELECT ${nextEventId(at)} + key, ${type}, ${at}, ${row.orderId ?? null},
        ${row.sellerId ?? null}, ${row.buyerId ?? null}, ${row.source ?? null},
        ${row.sequence ?? null}, ${row.endpointId ?? null}, ${JSON.stringify(row.data)}
      FROM json_each(${JSON.stringify(Array(count).fill(0))})`,
    makeEndpointsDue(db, at),
  ] as const
}

/** An event of the log. `body` is the JSON of messages. */
export type LoggedEvent = { id: number; body: string }

/** Returns the newest event of the log. */
export async function newestEvent(db: Database): Promise<LoggedEvent> {
  const [row] = await selectEvents(db).orderBy(desc(events.id)).limit(1)
  if (!row) throw new Error('the log is empty')
  return { id: row.id, body: JSON.stringify(toBody(row)) }
}

/** Returns the bodies of the events of an order, oldest first. */
export async function bodiesOf(db: Database, orderId: number) {
  const rows = await selectEvents(db).where(eq(events.orderId, orderId)).orderBy(asc(events.id))
  return rows.map(toBody)
}
