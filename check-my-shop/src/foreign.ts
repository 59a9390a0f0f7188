/** Orders of other shops that have the number of a sale: it is unique for the tokens of one name. */

import type { Message } from '../../client/src/cli/message.ts'
import type { Order as FullOrder, OrderSummary } from '../../client/src/index.ts'
import type { OrderEvent } from './feed.ts'
import type { Sale } from './sale.ts'

/** The name of the other shop's token: another one, or the same, as that of another user. */
export type Name = 'another name' | 'the same name'

/** How the orders of the other shop have ended. A later event of the sale's own order has a lower sequence. */
const states = {
  'order.delivered': { status: 'transferred', reasonCode: null, failReason: null },
  'order.failed': { status: 'failed', reasonCode: 'recipient_rejects', failReason: 'rejected' },
  'order.cancelled': { status: 'failed', reasonCode: 'cancelled', failReason: 'cancelled' },
} as const

export type Outcome = keyof typeof states

const SEQUENCE = 1000
const TX_ID = `0x${'f0'.repeat(32)}`

export type ForeignOrder = {
  outcome: Outcome
  summary: OrderSummary
  order: FullOrder
  /** Whether the shop has asked to cancel it. */
  isCancelled: boolean
}

let last = 900_000_000

/** Makes an order of another shop with the number of a sale, which looks like a real order. */
export function foreignOrder(
  { number }: Sale,
  { outcome, name }: { outcome: Outcome; name: Name },
  real: { summary: OrderSummary; order: FullOrder },
): ForeignOrder {
  last++
  const { status, reasonCode, failReason } = states[outcome]
  const common = { id: last, buyerId: last, providerId: number, failReason }
  const delivery = { status, txId: TX_ID }
  return {
    outcome,
    summary: {
      ...real.summary,
      ...common,
      ...delivery,
      orderItemId: last,
      source: name === 'the same name' ? real.summary.source : 'Another shop',
      reasonCode,
      sequence: SEQUENCE,
    },
    order: {
      ...real.order,
      ...common,
      orderItems: real.order.orderItems.map((item) => ({
        ...item,
        ...delivery,
        id: last,
        orderId: last,
      })),
    },
    isCancelled: false,
  }
}

/** The message about such an order. */
export function foreignMessage({ outcome, summary }: ForeignOrder): Message {
  const data: OrderEvent['data'] = {
    orderId: summary.id,
    orderItemId: summary.orderItemId,
    providerId: summary.providerId,
    nftId: summary.nftId,
    listingId: summary.listingId,
    quantity: summary.quantity,
    buyerId: summary.buyerId,
    sellerId: summary.sellerId,
    source: summary.source,
    custom: summary.custom,
    claimUrl: summary.claimUrl,
    status: summary.status,
    txId: summary.txId,
    failReason: summary.failReason,
    reasonCode: summary.reasonCode,
    hasContent: false,
    sequence: summary.sequence,
  }
  const timestamp = new Date().toISOString()
  return {
    id: `evt_${Date.now()}${summary.id}`,
    body: JSON.stringify({ type: outcome, timestamp, data }),
  }
}

type Reply = { body: object; headers: Record<string, string> }

/** Returns the answer to a call about one order of another shop; undefined if it is about others. */
export function answerForeign(
  orders: readonly ForeignOrder[],
  method: string,
  path: string,
): Reply | undefined {
  const [, id, cancel] = /^\/api\/externalOrders\/(\d+)(\/cancel)?(?:\?.*)?$/.exec(path) ?? []
  const found = orders.find(({ summary }) => summary.id === Number(id))
  if (!found) return undefined
  if (method === 'POST' && cancel) found.isCancelled = true
  const { sequence, source } = found.summary
  return {
    body: { orders: [cancel ? found.summary : found.order], error: null },
    headers: {
      'x-order-sequence': String(sequence),
      'x-order-source': encodeURIComponent(source),
    },
  }
}

/** Adds the orders of another shop to the first page of a list. */
export function withForeign(
  orders: readonly ForeignOrder[],
  path: string,
  body: Buffer<ArrayBuffer>,
): Buffer<ArrayBuffer> {
  const { pathname, searchParams: query } = new URL(path, 'http://shop')
  if (pathname !== '/api/externalOrders' || query.has('cursor')) return body
  const isListed = (name: 'providerId' | 'source', value: string | null) =>
    !query.has(name) || query.get(name) === value
  const found = orders.filter(
    ({ summary: { providerId, source } }) =>
      isListed('providerId', providerId) && isListed('source', source),
  )
  if (found.length === 0) return body
  const isSummary = query.get('fields') === 'summary'
  const page = JSON.parse(String(body))
  // The newest is first.
  const added = found.map(({ summary, order }) => (isSummary ? summary : order))
  return Buffer.from(JSON.stringify({ ...page, orders: [...added, ...page.orders] }))
}
