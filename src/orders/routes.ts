import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { wake } from '../delivery/wake.ts'
import { wakeEndpoints } from '../events/wake.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, Endpoints } from '../http/endpoint.ts'
import { idText } from '../http/inputs.ts'
import { orderLimits } from '../limits.ts'
import { cancelOrder } from './cancel.ts'
import { putOrder } from './placing/by-number.ts'
import { IdempotencyHeader, NewOrders, NumberedOrder } from './placing/new-order.ts'
import { checkOrders, type Placement, placeOrders } from './placing/place.ts'
import { listOrders, listSummaries } from './reading/list.ts'
import { readOrders } from './reading/read.ts'
import { OrderQuery } from './reading/request.ts'
import {
  AnyOrderPage,
  CheckedOrders,
  OrderSummaries,
  Orders,
  PlacedOrders,
  ProviderId,
  placingErrors,
} from './reading/schema.ts'

/** Gives error answers the key of a successful answer as well. */
export const setErrorFields = createMiddleware<App>(async (c, next) => {
  c.set('errorFields', { orders: null })
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
      if (new Set(values).size > orderLimits.perCall.max)
        context.addIssue(`at most ${orderLimits.perCall.max} orders can be read at once`)
    })
    .meta({
      description: `1 to ${orderLimits.perCall.max} order ids. An id that is given twice counts once.`,
      param: { style: 'simple', explode: false },
    }),
})

const OrderId = z.object({ order_id: idText.describe('The id of the order.') })

const OrderNumber = z.object({ providerId: ProviderId.describe('Order number of the shop.') })

/** What an answer with one order tells besides its body. */
const orderHeaders = {
  'x-order-sequence':
    'For one order: at least the `sequence` of every event that led to what was read, and ' +
    'lower than that of every later one.',
  'x-order-source':
    'For one order: the name of the token that placed it, as `source` in events and summaries, ' +
    'percent-encoded in UTF-8 (`decodeURIComponent`).',
}

export const orderRoutes = new Endpoints({ tag: 'Orders', isStrict: true })
  .get(
    '/api/externalOrders',
    {
      id: 'listOrders',
      summary: 'List orders',
      description:
        'Returns orders in pages, newest first. A user token lists the orders in which its user is ' +
        'the buyer or a seller. Other shops may use the same `providerId`: an order is yours if it ' +
        'and `source` are. Filters can be combined. A page may have fewer orders than `limit`, ' +
        'or none, before the last one: go on until `nextCursor` is null. With `updatedFrom`, and ' +
        'without `providerId`, the oldest change comes first, and an order that changes while you ' +
        'read comes again at the end. To go on later, begin a minute before the last `updatedAt`: ' +
        'changes become visible a moment after their time. What `sequence` repeats you have.',
      access: 'orders',
      reads: 'nearest',
      input: { query: OrderQuery },
      answer: AnyOrderPage,
    },
    async (c, { query: { fields, ...request } }) =>
      fields === 'summary'
        ? { ...(await listSummaries(c.var, request)), error: null }
        : { ...(await listOrders(c.var, request)), error: null },
  )
  .get(
    '/api/externalOrders/:order_ids',
    {
      id: 'getOrders',
      summary: 'Get orders',
      description:
        `Returns 1 to ${orderLimits.perCall.max} orders in the order of the path, each once. A user token can ` +
        'read the orders in which its user is the buyer or a seller.',
      access: 'orders',
      reads: 'nearest',
      input: { param: OrderIds },
      answer: Orders,
      headers: orderHeaders,
      errors: ['order_not_found'],
    },
    async (c, { param }) => {
      const { orders, state } = await readOrders(c.var, param.order_ids)
      if (state) setOrderHeaders(c, state)
      return { orders, error: null }
    },
  )
  .post(
    '/api/externalOrders/:order_id/cancel',
    {
      id: 'cancelOrder',
      summary: 'Cancel an order',
      description:
        'Uses up the delivery key of the order on the chain, for a token with the name of the one ' +
        'that placed it, or a master token. Refund the order once its status is `failed` with the ' +
        '`reasonCode` `cancelled`: the event `order.cancelled` says so. Until then it may still ' +
        'become `transferred`. Safe to repeat.',
      access: 'orders',
      reads: 'primary',
      input: { param: OrderId },
      answer: OrderSummaries,
      errors: ['order_not_found', 'conflict'],
    },
    async (c, { param: { order_id: orderId } }) => {
      const { order, chainIds } = await cancelOrder(c.var, { orderId })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      return { orders: [order], error: null }
    },
  )
  .post(
    '/api/externalOrders',
    {
      id: 'placeOrders',
      summary: 'Place paid orders',
      description:
        `Places 1 to ${orderLimits.perCall.max} orders, all of them or none. Each order starts the transfer of ` +
        'its NFT to the buyer. A user token can place orders for the listings of its user. With an ' +
        '`Idempotency-Key` the call is safe to repeat for 24 hours.',
      access: 'orders',
      reads: 'nearest',
      bodyName: 'orders',
      input: { header: IdempotencyHeader, json: NewOrders },
      answer: PlacedOrders,
      headers: { 'Idempotent-Replayed': '`true` if an earlier call has placed the orders.' },
      errors: [...placingErrors, 'provider_id_used', 'idempotency_key_reused'],
    },
    async (c, { header, json: orders }) => {
      const placement = await placeOrders(c.var, { orders, key: header['idempotency-key'] })
      if (placement.isReplay) c.header('Idempotent-Replayed', 'true')
      startWork(c, placement)
      return { orders: placement.orders, error: null }
    },
  )
  .put(
    '/api/externalOrders/by-number/:providerId',
    {
      id: 'putOrder',
      summary: 'Place a paid order under your own number',
      description:
        'Places one order, or returns the one that has this order number under the name of the ' +
        'token, as it is now. So the call can be repeated at any time, also after days: there is ' +
        'one order. If the order is not the one that the body asks for, the status is 409 and an ' +
        'issue for each field has the stored value. Billing data is not compared.',
      access: 'orders',
      reads: 'nearest',
      input: { param: OrderNumber, json: NumberedOrder },
      answer: PlacedOrders,
      headers: orderHeaders,
      created: 'The order was placed by this call.',
      errors: [...placingErrors, 'order_differs'],
    },
    async (c, { param: { providerId }, json: order }) => {
      const placement = await putOrder(c.var, { providerId, order })
      setOrderHeaders(c, placement)
      startWork(c, placement)
      c.status(placement.isReplay ? 200 : 201)
      return { orders: placement.orders, error: null }
    },
  )
  .post(
    '/api/externalOrders/check',
    {
      id: 'checkOrders',
      summary: 'Check orders without placing them',
      description:
        'Makes all checks of a call that places these orders, and writes nothing. Returns what ' +
        'they would cost, or the errors that placing them would have now.',
      access: 'orders',
      reads: 'nearest',
      bodyName: 'orders',
      input: { json: NewOrders },
      answer: CheckedOrders,
      errors: [...placingErrors, 'provider_id_used'],
    },
    async (c, { json }) => ({ orders: await checkOrders(c.var, json), error: null }),
  )

/** Tells what the body of one order does not show. The name of a token may have any characters. */
function setOrderHeaders(
  c: Context,
  { sequence, tokenName }: Pick<Placement, 'sequence' | 'tokenName'>,
) {
  if (sequence !== null) c.header('x-order-sequence', String(sequence))
  c.header('x-order-source', encodeURIComponent(tokenName))
}

/** Wakes who delivers new orders and who tells of them. */
const startWork = (
  { env, executionCtx }: Context<AppWithCaller>,
  { chainIds, endpoints }: Placement,
): void =>
  executionCtx.waitUntil(
    Promise.all([wake(env.DELIVERIES, chainIds), wakeEndpoints(env, endpoints)]),
  )
