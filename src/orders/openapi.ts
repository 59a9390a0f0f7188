import * as z from 'zod'
import { count, orNull, text } from '../http/fields.ts'
import type { EndpointInfos } from '../http/openapi.ts'
import { OrderPage, Orders, PlacedOrders } from './answer.ts'
import { ARCHIVED_AT_ONCE } from './archive.ts'
import { MAX_ORDERS } from './input.ts'

const tag = 'Orders'

const Archived = z
  .object({
    archived: count('Number of orders that were archived.'),
    nextCursor: orNull(text('The `cursor` of the next call; null after the last.')),
  })
  .meta({ id: 'ArchivedOrders', description: 'What a call has archived.' })

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
  'POST /api/admin/archive': {
    tag: 'Retention',
    operationId: 'archiveOrders',
    summary: 'Archive finished orders',
    description:
      'Moves items, deliveries and transactions of finished orders from the database to the object ' +
      'store: orders that were placed before a day, and whose item was transferred or cancelled at ' +
      'least 30 days ago. They are read and listed as before. Looks at ' +
      `${ARCHIVED_AT_ONCE} orders: repeat the call with \`nextCursor\` until that is null.`,
    answer: Archived,
  },
} satisfies EndpointInfos
