/** An event: its id, which is its place in the log, what it means, its body, and who gets it. */

import { and, eq, getTableColumns, isNull, or, type SQL } from 'drizzle-orm'
import * as z from 'zod'
import { nameOfSource, sourcesNamed } from '../auth/sources.ts'
import type { Database } from '../db/client.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import {
  type AlarmData,
  events,
  type OrderFacts,
  type TestData,
  type WebhookEndpoint,
  type WebhookEvent,
  webhookEvents,
  webhookMessages,
} from '../db/schema/webhooks.ts'
import type { OrderEventData } from './bodies.ts'

/** How an id of the log is shown, also as `webhook-id`: `evt_1772442120000000`. */
export const eventName = (id: number): string => `evt_${id}`

/** The id of an event, as its number in the log. */
export const EventName = z
  .string()
  .regex(/^evt_[1-8]?\d{1,15}$/, 'must be the id of an event')
  .transform((name) => Number(name.slice(4)))

/** The events that an endpoint may choose. `webhook.test` is always sent. */
export const ChosenEvent = z.enum(webhookEvents).exclude(['webhook.test'])
export const chosenEvents = ChosenEvent.options

/** Whether only endpoints of administrators get the event. */
export const isAlarm = (event: WebhookEvent): boolean => event.startsWith('alarm.')

/** An event, and what its body needs of the order. */
const eventColumns = {
  ...getTableColumns(events),
  providerId: orders.providerId,
  custom: orders.custom,
  nftId: orderItems.nftId,
  listingId: orderItems.listingId,
  quantity: orderItems.quantity,
}

/** Selects events with what their bodies need. Add a condition, an order and a limit. */
export const selectEvents = (db: Database) =>
  db
    .select(eventColumns)
    .from(events)
    .leftJoin(orderItems, eq(orderItems.id, events.itemId))
    .leftJoin(orders, eq(orders.id, events.orderId))

/** Selects events as `selectEvents` does, with the row of the message to an endpoint, if there is one. */
export const selectMessages = (db: Database, endpointId: string) =>
  db
    .select({
      ...eventColumns,
      state: webhookMessages.state,
      tries: webhookMessages.tries,
      attempts: webhookMessages.attempts,
      dueAt: webhookMessages.dueAt,
    })
    .from(events)
    .leftJoin(orderItems, eq(orderItems.id, events.itemId))
    .leftJoin(orders, eq(orders.id, events.orderId))
    .leftJoin(
      webhookMessages,
      and(eq(webhookMessages.eventId, events.id), eq(webhookMessages.endpointId, endpointId)),
    )

export type EventRow = Awaited<ReturnType<typeof selectEvents>>[number]

/** An event, and the row of the message to an endpoint. Its columns are null if there is none. */
export type MessageRow = Awaited<ReturnType<typeof selectMessages>>[number]

/** `timestamp`: ISO 8601. */
type Body<Type, Data> = { type: Type; timestamp: string; data: Data }

export type EventBody =
  | Body<Extract<WebhookEvent, `order.${string}`>, OrderEventData>
  | Body<Extract<WebhookEvent, `alarm.${string}`>, AlarmData>
  | Body<'webhook.test', TestData>

export function toBody(row: EventRow): EventBody {
  const { type, at, data } = row
  return { type, timestamp: at, data: isOfOrder(type) ? toOrderData(row) : data } as EventBody
}

const isOfOrder = (type: WebhookEvent) => type.startsWith('order.')

/**
 * What happened to an order. What never changes is read from the order, the rest is stored with the
 * event. The keys have this order in the JSON of messages.
 */
function toOrderData(row: EventRow): OrderEventData {
  const { buyerId, claimUrl, status, txId, failReason, reasonCode, hasContent } =
    row.data as OrderFacts
  return {
    orderId: row.orderId,
    orderItemId: row.itemId,
    /** Order number of the shop. */
    providerId: row.providerId,
    nftId: row.nftId,
    listingId: row.listingId,
    quantity: row.quantity,
    buyerId,
    sellerId: row.sellerId,
    /** Name of the token that placed the order. */
    source: row.source && nameOfSource(row.source),
    /** The shop's own texts; null also once the buyer was forgotten. */
    custom: row.custom,
    claimUrl,
    status,
    txId,
    failReason,
    reasonCode,
    hasContent: hasContent === true,
    sequence: row.sequence,
    // The columns of an event of an order are not null.
  } satisfies Record<keyof OrderEventData, unknown> as OrderEventData
}

type Endpoint = Pick<WebhookEndpoint, 'id' | 'userId' | 'role' | 'events' | 'sources'>
type Event = Pick<
  typeof events.$inferSelect,
  'type' | 'buyerId' | 'sellerId' | 'source' | 'endpointId'
>

/** Whether an endpoint gets an event. A test is for one endpoint, whatever that has chosen. */
export function takes(endpoint: Endpoint, event: Event): boolean {
  if (event.endpointId !== null) return event.endpointId === endpoint.id
  return isOfUser(endpoint, event) && isOfSources(endpoint, event) && isChosen(endpoint, event)
}

/** An endpoint of all orders has the events of every user. */
const isOfUser = ({ role, userId }: Endpoint, { buyerId, sellerId }: Event): boolean =>
  role === 'master' || userId === buyerId || userId === sellerId

/**
 * An alarm has no source, and goes to everyone. Endpoints of all orders name master tokens only: no
 * user can imitate one with a token of the same name.
 */
function isOfSources({ role, sources }: Endpoint, { source }: Event): boolean {
  if (sources === null || source === null) return true
  const named = sources.map(sourcesNamed)
  return named.some(([master, user]) => source === master || (role !== 'master' && source === user))
}

/** Who asks for failures is told of cancellations, too. */
const isChosen = ({ events }: Endpoint, { type }: Event): boolean =>
  events.includes(type) || (type === 'order.cancelled' && events.includes('order.failed'))

/**
 * The events that may be for an endpoint, without its tests: a condition that keeps a query from
 * reading the orders of others. `takes` decides.
 */
export const mayTakeSql = ({ role, userId }: Pick<Endpoint, 'role' | 'userId'>): SQL | undefined =>
  and(
    isNull(events.endpointId),
    role === 'master' ? undefined : or(eq(events.buyerId, userId), eq(events.sellerId, userId)),
  )
