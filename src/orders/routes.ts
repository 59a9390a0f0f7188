import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { type AppWithCaller, Endpoints } from '../http/endpoint.ts'
import { docs } from '../http/fields.ts'
import { idText } from '../http/inputs.ts'
import { wakeEndpoints } from '../webhooks/wake.ts'
import { putOrder } from './by-number.ts'
import { cancelOrder } from './cancel.ts'
import { listOrders, listSummaries, OrderQuery } from './list.ts'
import { IdempotencyHeader, MAX_ORDERS, NewOrders, NumberedOrder, ProviderId } from './new-order.ts'
import { checkOrders, type Placement, placeOrders } from './place.ts'
import { readOrders } from './read.ts'
import type { PlacedOrder } from './schema.ts'

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

export const orderRoutes = new Endpoints()
  .get(
    '/api/externalOrders',
    {
      id: 'listOrders',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { query: OrderQuery },
    },
    async (c, { query: { fields, ...request } }) => {
      const list = fields === 'summary' ? listSummaries : listOrders
      return c.json({ ...(await list(c.var, request)), error: null })
    },
  )
  .get(
    '/api/externalOrders/:order_ids',
    {
      id: 'getOrders',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { param: OrderIds },
    },
    async (c, { param }) => {
      const { orders, state } = await readOrders(c.var, param.order_ids)
      if (state) setOrderHeaders(c, state)
      return c.json({ orders, error: null })
    },
  )
  .post(
    '/api/externalOrders/:order_id/cancel',
    {
      id: 'cancelOrder',
      access: 'token',
      reads: 'primary',
      isStrict: true,
      input: { param: OrderId },
    },
    async (c, { param: { order_id: orderId } }) => {
      const { order, chainIds } = await cancelOrder(c.var, { orderId })
      c.executionCtx.waitUntil(wake(c.env.DELIVERIES, chainIds))
      return c.json({ orders: [order], error: null })
    },
  )
  .post(
    '/api/externalOrders',
    {
      id: 'placeOrders',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      bodyName: 'orders',
      input: { header: IdempotencyHeader, json: NewOrders },
    },
    async (c, { header, json }) => {
      const key = header['idempotency-key']
      const request = { orders: json, key }
      const placement = await placeOrders(c.var, request)
      if (placement.isReplay) c.header('Idempotent-Replayed', 'true')
      startWork(c, placement)
      return c.json({ orders: placement.orders, error: null })
    },
  )
  .put(
    '/api/externalOrders/by-number/:providerId',
    {
      id: 'putOrder',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { param: OrderNumber, json: NumberedOrder },
    },
    async (c, { param: { providerId }, json }) => {
      const placement = await putOrder(c.var, { providerId, order: json })
      setOrderHeaders(c, placement)
      startWork(c, placement)
      return c.json({ orders: placement.orders, error: null }, placement.isReplay ? 200 : 201)
    },
  )
  .post(
    '/api/externalOrders/check',
    {
      id: 'checkOrders',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      bodyName: 'orders',
      input: { json: NewOrders },
    },
    async (c, { json }) => c.json({ orders: await checkOrders(c.var, json), error: null }),
  )

/** Tells what the body of one order does not show. The name of a token may have any characters. */
function setOrderHeaders(c: Context, { sequence, source }: Pick<Placement, 'sequence' | 'source'>) {
  if (sequence !== null) c.header('x-order-sequence', String(sequence))
  c.header('x-order-source', encodeURIComponent(source))
}

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
