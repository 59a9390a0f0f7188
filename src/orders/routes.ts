import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { OrderPage, Orders, type PlacedOrder, PlacedOrders } from './answer.ts'
import { placeOrdersOnce } from './idempotency.ts'
import { IdempotencyHeader, MAX_ORDERS, OrderIds, OrderInputs, OrderQuery } from './input.ts'
import { listOrders } from './list.ts'
import { placeOrders } from './place.ts'
import { readOrders } from './read.ts'

const tag = 'Orders'

/** Error responses of the order endpoints have the key of a successful response as well. */
const errorFields = { orders: null }
export const setErrorFields = createMiddleware<App>(async (c, next) => {
  c.set('errorFields', errorFields)
  await next()
})

export const orderRoutes = new Hono<App>()
  .get(
    '/api/externalOrders',
    requireToken({
      tag,
      operationId: 'listOrders',
      summary: 'List orders',
      description:
        'Returns orders in pages, newest first. A user token lists the orders in which its user is ' +
        'the buyer or a seller. A page may have fewer orders than `limit`, or none, before the ' +
        'last one: go on until `nextCursor` is null.',
      answer: OrderPage,
      errorFields,
    }),
    validate('query', OrderQuery),
    async (c) => {
      const { limit, cursor, ...filter } = c.req.valid('query')
      const page = await listOrders(c.var.db, c.var.caller, filter, { limit, cursor })
      return c.json({ ...page, error: null })
    },
  )
  .get(
    '/api/externalOrders/:order_ids',
    requireToken({
      tag,
      operationId: 'getOrders',
      summary: 'Get orders',
      description:
        `Returns 1 to ${MAX_ORDERS} orders in the order of the path, each once. A user token can ` +
        'read the orders in which its user is the buyer or a seller.',
      answer: Orders,
      errors: ['order_not_found'],
      errorFields,
    }),
    validate('param', OrderIds),
    async (c) => {
      const { db, caller } = c.var
      const orders = await readOrders(db, caller, c.req.valid('param').order_ids)
      return c.json({ orders, error: null })
    },
  )
  .post(
    '/api/externalOrders',
    requireToken({
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
    }),
    validate('header', IdempotencyHeader),
    validate('json', OrderInputs, 'orders'),
    async (c) => {
      const { db, caller, settings, now } = c.var
      const inputs = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      const { orders, isReplay } = key
        ? await placeOrdersOnce(db, caller, inputs, settings, key, now)
        : { orders: await placeOrders(db, caller, inputs, settings, now), isReplay: false }
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      else c.executionCtx.waitUntil(startDelivery(c.env.DELIVERIES, settings, orders))
      return c.json({ orders, error: null })
    },
  )

/** Wakes the chains of items whose buyers have a wallet. */
function startDelivery(
  queue: Env['DELIVERIES'],
  { NETWORKS }: Settings,
  orders: readonly PlacedOrder[],
): Promise<void> {
  const queued = orders.flatMap(({ orderItems }) =>
    orderItems.filter(({ status }) => status === null),
  )
  return wake(
    queue,
    queued.flatMap(({ nft }) => NETWORKS[nft.contractNetwork]?.chainId ?? []),
  )
}
