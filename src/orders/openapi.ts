import type { EndpointInfos } from '../http/openapi.ts'
import { OrderPage, Orders, PlacedOrders } from './answer.ts'
import { MAX_ORDERS } from './input.ts'

const tag = 'Orders'

/** As `setErrorFields` does. */
const errorFields = { orders: null }

export const orderEndpoints = {
  'GET /api/externalOrders': {
    tag,
    operationId: 'listOrders',
    summary: 'List orders',
    description:
      'Returns orders in pages, newest first. A user token lists the orders in which its user is ' +
      'the buyer or a seller. A page may have fewer orders than `limit`, or none, before the ' +
      'last one: go on until `nextCursor` is null.',
    answer: OrderPage,
    errorFields,
  },
  'GET /api/externalOrders/:order_ids': {
    tag,
    operationId: 'getOrders',
    summary: 'Get orders',
    description:
      `Returns 1 to ${MAX_ORDERS} orders in the order of the path, each once. A user token can ` +
      'read the orders in which its user is the buyer or a seller.',
    answer: Orders,
    errors: ['order_not_found'],
    errorFields,
  },
  'POST /api/externalOrders': {
    tag,
    operationId: 'placeOrders',
    summary: 'Place paid orders',
    description:
      `Places 1 to ${MAX_ORDERS} orders, all of them or none. Each order starts the transfer of ` +
      'its NFT to the buyer. A user token can place orders for the listings of its user. With an ' +
      '`Idempotency-Key` the call is safe to repeat for 24 hours.',
    answer: PlacedOrders,
    headers: { 'Idempotent-Replayed': '`true` if this is the response of an earlier call.' },
    errors: [
      'listing_not_found',
      'listing_inactive',
      'listing_ended',
      'listing_mismatch',
      'nft_not_found',
      'nft_not_released',
      'buyer_not_found',
      'no_billing_address',
      'sold_out',
      'quantity_too_large',
      'forbidden',
      'not_your_listing',
      'provider_id_used',
      'too_many_open_orders',
      'request_in_progress',
      'idempotency_key_reused',
    ],
    errorFields,
  },
} satisfies EndpointInfos
