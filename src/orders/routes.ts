import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import { wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { wakeEndpoints } from '../webhooks/wake.ts'
import type { PlacedOrder } from './answer.ts'
import { placeOrdersOnce } from './idempotency.ts'
import { IdempotencyHeader, OrderIds, OrderInputs, OrderQuery } from './input.ts'
import { listOrders } from './list.ts'
import { placeOrders } from './place.ts'
import { readOrders } from './read.ts'

/** Error responses of the order endpoints have the key of a successful response as well. */
const errorFields = { orders: null }
export const setErrorFields = createMiddleware<App>(async (c, next) => {
  c.set('errorFields', errorFields)
  await next()
})

export const orderRoutes = new Hono<App>()
  .get('/api/externalOrders', requireToken(), validate('query', OrderQuery), async (c) => {
    const { limit, cursor, ...filter } = c.req.valid('query')
    const page = await listOrders(c.var, filter, { limit, cursor })
    return c.json({ ...page, error: null })
  })
  .get('/api/externalOrders/:order_ids', requireToken(), validate('param', OrderIds), async (c) => {
    const orders = await readOrders(c.var, c.req.valid('param').order_ids)
    return c.json({ orders, error: null })
  })
  .post(
    '/api/externalOrders',
    requireToken(),
    validate('header', IdempotencyHeader),
    validate('json', OrderInputs, 'orders'),
    async (c) => {
      const { db, caller, settings, now } = c.var
      const inputs = c.req.valid('json')
      const key = c.req.valid('header')['idempotency-key']
      const { orders, isReplay, endpointIds } = key
        ? await placeOrdersOnce(db, caller, inputs, settings, key, now)
        : await placeOrders(db, caller, inputs, settings, now)
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      else c.executionCtx.waitUntil(startDelivery(c.env.DELIVERIES, settings, orders))
      c.executionCtx.waitUntil(wakeEndpoints(c.env.WEBHOOKS, endpointIds))
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
