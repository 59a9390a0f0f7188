import * as z from 'zod'
import { saleObstacles } from '../../../src/db/schema/catalogue.ts'
import { orNull, text } from '../../../src/http/fields.ts'
import { MAX_ORDERS } from '../../../src/orders/new-order.ts'
import { CheckedOrder, Order, PlacedOrder } from '../../../src/orders/schema.ts'
import type { Operations } from '../operation.ts'
import { DeliveryProof } from '../proofs.ts'
import { OrderSummary } from '../summary.ts'

const withOrders = <T extends z.ZodType>(order: T, description: string) =>
  z.object({
    orders: z.array(order).describe(description),
    error: z.null().describe('Always null.'),
  })
const ofRequest = 'The orders, in the order of the request.'
const nextCursor = orNull(text('The next `cursor`; null on the last page.'))

const CheckedOrders = withOrders(CheckedOrder, ofRequest).meta({
  id: 'CheckedOrders',
  description: 'The orders that could be placed.',
})
const PlacedOrders = withOrders(PlacedOrder, ofRequest).meta({
  id: 'PlacedOrders',
  description: 'The new orders.',
})
const Orders = withOrders(Order, ofRequest).meta({
  id: 'Orders',
  description: 'The orders and their deliveries.',
})
const OrderPage = withOrders(Order, 'The orders, newest first.')
  .extend({ nextCursor })
  .meta({ id: 'OrderPage', description: 'A page of orders.' })
const OrderSummaries = withOrders(OrderSummary, 'The orders.').meta({
  id: 'OrderSummaries',
  description: 'Summaries of orders.',
})
const OrderSummaryPage = withOrders(OrderSummary, 'The orders.')
  .extend({ nextCursor })
  .meta({ id: 'OrderSummaryPage', description: 'A page of summaries of orders.' })

/** Error responses of the order endpoints have the key of a successful response as well. */
const errorFields = { orders: null }

/** Why pieces cannot be sold or reserved. */
export const saleErrors = [
  'listing_not_found',
  'listing_inactive',
  'listing_ended',
  'listing_is_auction',
  'nft_not_found',
  'nft_not_released',
  'sold_out',
  'quantity_too_large',
  'quantity_above_limit',
  'not_your_listing',
  'price_changed',
  'too_many_open_orders',
  'request_in_progress',
  ...saleObstacles,
] as const

/** Of an order that cannot be placed. */
const placingErrors = [
  ...saleErrors,
  'listing_mismatch',
  'buyer_not_found',
  'no_billing_address',
  'reservation_not_found',
  'reservation_mismatch',
] as const

/** What an answer with one order tells besides its body. */
const orderHeaders = {
  'x-order-sequence':
    'For one order: at least the `sequence` of every event that led to what was read, and ' +
    'lower than that of every later one.',
  'x-order-source':
    'For one order: the name of the token that placed it, as `source` in events and summaries, ' +
    'percent-encoded in UTF-8 (`decodeURIComponent`).',
}

export const orderOperations: Operations = {
  listOrders: {
    summary: 'List orders',
    description:
      'Returns orders in pages, newest first. A user token lists the orders in which its user is ' +
      'the buyer or a seller. Other shops may use the same `providerId`: an order is yours if it ' +
      'and `source` are. Filters can be combined. A page may have fewer orders than `limit`, ' +
      'or none, before the last one: go on until `nextCursor` is null. With `updatedFrom`, and ' +
      'without `providerId`, the oldest change comes first, and an order that changes while you ' +
      'read comes again at the end. To go on later, begin a minute before the last `updatedAt`: ' +
      'changes become visible a moment after their time. What `sequence` repeats you have.',
    answer: z.union([OrderPage, OrderSummaryPage]).describe('A page of orders.'),
    errorFields,
  },
  getOrders: {
    summary: 'Get orders',
    description:
      `Returns 1 to ${MAX_ORDERS} orders in the order of the path, each once. A user token can ` +
      'read the orders in which its user is the buyer or a seller.',
    answer: Orders,
    headers: orderHeaders,
    errors: ['order_not_found'],
    errorFields,
  },
  cancelOrder: {
    summary: 'Cancel an order',
    description:
      'Uses up the delivery key of the order on the chain, for a token with the name of the one ' +
      'that placed it, or a master token. Refund the order once its status is `failed` with the ' +
      '`reasonCode` `cancelled`: the event `order.cancelled` says so. Until then it may still ' +
      'become `transferred`. Safe to repeat.',
    answer: OrderSummaries,
    errors: ['order_not_found', 'conflict'],
    errorFields,
  },
  getProof: {
    summary: 'Get the proof of a delivery',
    description:
      'Returns what was delivered to whom by which transaction, signed by the marketplace, for those ' +
      'who may read the order. Anybody can verify it: the guide “Proving a delivery” says how. The ' +
      'answer is the same each time, unless a reorganization of the chain has the NFT delivered ' +
      'again, or the marketplace signs with another key.',
    answer: DeliveryProof,
    errors: ['order_not_found', 'not_delivered', 'conflict'],
    errorFields,
  },
  placeOrders: {
    summary: 'Place paid orders',
    description:
      `Places 1 to ${MAX_ORDERS} orders, all of them or none. Each order starts the transfer of ` +
      'its NFT to the buyer. A user token can place orders for the listings of its user. With an ' +
      '`Idempotency-Key` the call is safe to repeat for 24 hours.',
    answer: PlacedOrders,
    headers: {
      'Idempotent-Replayed': '`true` if an earlier call has placed the orders.',
    },
    errors: [...placingErrors, 'provider_id_used', 'idempotency_key_reused'],
    errorFields,
  },
  putOrder: {
    summary: 'Place a paid order under your own number',
    description:
      'Places one order, or returns the one that has this order number under the name of the ' +
      'token, as it is now. So the call can be repeated at any time, also after days: there is one ' +
      'order. If the order is not the one that the body asks for, the status is 409 and an issue ' +
      'for each field has the stored value. Billing data is not compared.',
    answer: PlacedOrders,
    headers: orderHeaders,
    created: 'The order was placed by this call.',
    errors: [...placingErrors, 'order_differs'],
    errorFields,
  },
  checkOrders: {
    summary: 'Check orders without placing them',
    description:
      'Makes all checks of a call that places these orders, and writes nothing. Returns what ' +
      'they would cost, or the errors that placing them would have now.',
    answer: CheckedOrders,
    errors: [...placingErrors, 'provider_id_used'],
    errorFields,
  },
}
