/**
 * The bodies of events, as messages, the log and mails have them. What an order says that never
 * changes is read from the order; the rest is stored with the event.
 */
import { eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import {
  type AlarmData,
  events,
  type OrderFacts,
  type TestData,
  type WebhookEvent,
} from '../db/schema/webhooks.ts'

/** What happened to an order. The keys have this order in the JSON of messages. */
type OrderData = {
  orderId: number | null
  orderItemId: number | null
  /** Order number of the shop. */
  providerId: string | null
  nftId: number | null
  listingId: number | null
  quantity: number | null
  buyerId: number
  sellerId: number | null
  /** Name of the token that placed the order. */
  source: string | null
  /** The shop's own texts; null also once the buyer was forgotten. */
  custom: Record<string, string> | null
  claimUrl: OrderFacts['claimUrl']
  status: OrderFacts['status']
  txId: OrderFacts['txId']
  failReason: OrderFacts['failReason']
  reasonCode: OrderFacts['reasonCode']
  sequence: number | null
}

/** `timestamp`: ISO 8601. */
type Body<Type, Data> = { type: Type; timestamp: string; data: Data }

/** The body of an event. */
export type EventBody =
  | Body<Extract<WebhookEvent, `order.${string}`>, OrderData>
  | Body<Extract<WebhookEvent, `alarm.${string}`>, AlarmData>
  | Body<'webhook.test', TestData>

/** Selects events with what their bodies need of the orders. Add a condition, an order and a limit. */
export const selectEvents = (db: Database) =>
  db
    .select({
      id: events.id,
      type: events.type,
      at: events.at,
      itemId: events.itemId,
      orderId: events.orderId,
      sellerId: events.sellerId,
      buyerId: events.buyerId,
      source: events.source,
      endpointId: events.endpointId,
      sequence: events.sequence,
      data: events.data,
      providerId: orders.providerId,
      custom: orders.custom,
      nftId: orderItems.nftId,
      listingId: orderItems.listingId,
      quantity: orderItems.quantity,
    })
    .from(events)
    .leftJoin(orderItems, eq(orderItems.id, events.itemId))
    .leftJoin(orders, eq(orders.id, events.orderId))

/** An event with what its body needs of the order. */
export type EventRow = Awaited<ReturnType<typeof selectEvents>>[number]

/** Builds the body of an event. */
export function toBody(row: EventRow): EventBody {
  const { type, at, data } = row
  return { type, timestamp: at, data: isOfOrder(type) ? toOrderData(row) : data } as EventBody
}

const isOfOrder = (type: WebhookEvent) => type.startsWith('order.')

function toOrderData(row: EventRow): OrderData {
  const { buyerId, claimUrl, status, txId, failReason, reasonCode } = row.data as OrderFacts
  return {
    orderId: row.orderId,
    orderItemId: row.itemId,
    providerId: row.providerId,
    nftId: row.nftId,
    listingId: row.listingId,
    quantity: row.quantity,
    buyerId,
    sellerId: row.sellerId,
    source: row.source?.slice(row.source.indexOf(':') + 1) ?? null,
    custom: row.custom,
    claimUrl,
    status,
    txId,
    failReason,
    reasonCode,
    sequence: row.sequence,
  }
}
