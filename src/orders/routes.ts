import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, requireToken, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/ids.ts'
import { describeOperations } from '../http/openapi.ts'
import { wakeEndpoints } from '../webhooks/wake.ts'
import { putOrder } from './by-number.ts'
import { cancelOrder } from './cancel.ts'
import { listOrders, listSummaries, OrderQuery } from './list.ts'
import {
  IdempotencyHeader,
  MAX_ORDERS,
  NewOrders,
  NumberedOrder,
  ProviderId,
  saleErrors,
} from './new-order.ts'
import { checkOrders, type Placement, placeOrders } from './place.ts'
import { readOrders } from './read.ts'
import { CheckedOrders, OrderPage, Orders, type PlacedOrder, PlacedOrders } from './schema.ts'
import { OrderSummaries, OrderSummaryPage } from './summary.ts'

/** Error responses of the order endpoints have the key of a successful response as well. */
const errorFields = { orders: null }
/** Adds the field that error answers of this resource have besides `error`. */
export const setErrorFields = createMiddleware<App>(async (c, next) => {
  c.set('errorFields', errorFields)
  await next()
})

/** The path parameter `<order_ids>`, as digits: a number may be larger than any id. */
export const OrderIds = z.object({
  order_ids: z
    .string()
    .transform((text) => text.split(',').map((value) => value.trim()))
    .superRefine((values, context) => {
      for (const [i, value] of values.entries())
        if (!/^[1-9]\d*$/.test(value)) {
          const message = `"${value.slice(0, 80)}" is not a number, please check the URL`
          context.addIssue({ code: 'custom', path: [i], message })
        }
      if (new Set(values).size > MAX_ORDERS)
        context.addIssue(`at most ${MAX_ORDERS} orders can be read at once`)
    })
    .meta({
      description: docs(`1 to ${MAX_ORDERS} order ids. An id that is given twice counts once.`),
      param: { style: 'simple', explode: false },
    }),
})

const OrderId = z.object({ order_id: idText.describe(docs('The id of the order.')) })

const OrderNumber = z.object({ providerId: ProviderId.describe(docs('Order number of the shop.')) })

/** Of an order that cannot be placed. */
const placingErrors = [
  ...saleErrors,
  'listing_mismatch',
  'buyer_not_found',
  'no_billing_address',
  'reservation_not_found',
  'reservation_mismatch',
] as const

export const orderRoutes = new Hono<App>()
  .get(
    '/api/externalOrders',
    requireToken('listOrders'),
    validate('query', OrderQuery),
    async (c) => {
      const { fields, ...request } = c.req.valid('query')
      const list = fields === 'summary' ? listSummaries : listOrders
      return c.json({ ...(await list(c.var, request)), error: null })
    },
  )
  .get(
    '/api/externalOrders/:order_ids',
    requireToken('getOrders'),
    validate('param', OrderIds),
    async (c) => {
      const { orders, sequence } = await readOrders(c.var, c.req.valid('param').order_ids)
      if (sequence !== null) c.header('x-order-sequence', String(sequence))
      return c.json({ orders, error: null })
    },
  )
  .post(
    '/api/externalOrders/:order_id/cancel',
    requireToken('cancelOrder'),
    validate('param', OrderId),
    async (c) => {
      const { order_id: orderId } = c.req.valid('param')
      const { order, chainIds } = await cancelOrder(c.var, { orderId })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      return c.json({ orders: [order], error: null })
    },
  )
  .post(
    '/api/externalOrders',
    requireToken('placeOrders'),
    validate('header', IdempotencyHeader),
    validate('json', NewOrders, 'orders', { isStrict: true }),
    async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const request = { orders: c.req.valid('json'), key }
      const placement = await placeOrders(c.var, request)
      if (placement.isReplay) c.header('Idempotent-Replayed', 'true')
      startWork(c, placement)
      return c.json({ orders: placement.orders, error: null })
    },
  )
  .put(
    '/api/externalOrders/by-number/:providerId',
    requireToken('putOrder'),
    validate('param', OrderNumber),
    validate('json', NumberedOrder, '', { isStrict: true }),
    async (c) => {
      const { providerId } = c.req.valid('param')
      const placement = await putOrder(c.var, { providerId, order: c.req.valid('json') })
      startWork(c, placement)
      return c.json({ orders: placement.orders, error: null }, placement.isReplay ? 200 : 201)
    },
  )
  .post(
    '/api/externalOrders/check',
    requireToken('checkOrders'),
    validate('json', NewOrders, 'orders', { isStrict: true }),
    async (c) => c.json({ orders: await checkOrders(c.var, c.req.valid('json')), error: null }),
  )

/** Wakes who delivers new orders and who tells of them. */
function startWork(
  { env, executionCtx, var: { settings } }: Context<AppWithCaller>,
  { orders, isReplay, endpoints }: Placement,
): void {
  if (isReplay) return
  executionCtx.waitUntil(
    Promise.all([startDelivery(env.DELIVERIES, settings, orders), wakeEndpoints(env, endpoints)]),
  )
}

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

/* @__PURE__ */ describeOperations('Orders', () => ({
  listOrders: {
    summary: 'List orders',
    description:
      'Returns orders in pages, newest first. A user token lists the orders in which its user is ' +
      'the buyer or a seller. Filters can be combined. A page may have fewer orders than `limit`, ' +
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
    headers: {
      'x-order-sequence':
        'For one order: at least the `sequence` of every event that led to what was read, and ' +
        'lower than that of every later one.',
    },
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
  placeOrders: {
    summary: 'Place paid orders',
    description:
      `Places 1 to ${MAX_ORDERS} orders, all of them or none. Each order starts the transfer of ` +
      'its NFT to the buyer. A user token can place orders for the listings of its user. With an ' +
      '`Idempotency-Key` the call is safe to repeat for 24 hours.',
    answer: PlacedOrders,
    headers: {
      'Idempotent-Replayed': '`true` if this is the response of an earlier call.',
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
}))
