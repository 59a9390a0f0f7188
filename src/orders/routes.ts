import { type Context, Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { wake } from '../delivery/wake.ts'
import { wakeEndpoints } from '../events/wake.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, requireToken, validate } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { readNearest } from '../http/nearest.ts'
import { putOrder } from './by-number.ts'
import { cancelOrder } from './cancel.ts'
import { listOrders, listSummaries, OrderQuery } from './list.ts'
import { IdempotencyHeader, MAX_ORDERS, NewOrders, NumberedOrder, ProviderId } from './new-order.ts'
import { checkOrders, type Placement, placeOrders } from './place.ts'
import { readOrders } from './read.ts'

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
      const { orders, state } = await readOrders(c.var, c.req.valid('param').order_ids)
      if (state) setOrderHeaders(c, state)
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
      const placement = await readNearest(c.var.db, () => placeOrders(c.var, request))
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
      const request = { providerId, order: c.req.valid('json') }
      const placement = await readNearest(c.var.db, () => putOrder(c.var, request))
      setOrderHeaders(c, placement)
      startWork(c, placement)
      return c.json({ orders: placement.orders, error: null }, placement.isReplay ? 200 : 201)
    },
  )
  .post(
    '/api/externalOrders/check',
    requireToken('checkOrders'),
    validate('json', NewOrders, 'orders', { isStrict: true }),
    async (c) => {
      const request = c.req.valid('json')
      const orders = await readNearest(c.var.db, () => checkOrders(c.var, request))
      return c.json({ orders, error: null })
    },
  )

/** Tells what the body of one order does not show. The name of a token may have any characters. */
function setOrderHeaders(c: Context, { sequence, source }: Pick<Placement, 'sequence' | 'source'>) {
  if (sequence !== null) c.header('x-order-sequence', String(sequence))
  c.header('x-order-source', encodeURIComponent(source))
}

/** Wakes who delivers new orders and who tells of them. */
const startWork = (
  { env, executionCtx }: Context<AppWithCaller>,
  { chainIds, endpoints }: Placement,
): void =>
  executionCtx.waitUntil(
    Promise.all([wake(env.DELIVERIES, chainIds), wakeEndpoints(env, endpoints)]),
  )
