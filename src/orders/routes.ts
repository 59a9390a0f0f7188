import { Hono } from 'hono'
import { createMiddleware } from 'hono/factory'
import * as z from 'zod'
import { wake } from '../delivery/wake.ts'
import type { Settings } from '../env.ts'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { cursorText, idText, limitText } from '../http/ids.ts'
import { wakeEndpoints } from '../webhooks/wake.ts'
import { deliveryStatuses, listOrders } from './list.ts'
import { placeOrders } from './place.ts'
import { readOrders } from './read.ts'
import {
  MAX_ORDERS,
  NewOrders,
  OrderPage,
  Orders,
  type PlacedOrder,
  PlacedOrders,
  ProviderId,
} from './schema.ts'

/** Error responses of the order endpoints have the key of a successful response as well. */
const errorFields = { orders: null }
/** Adds the field that error answers of this resource have besides `error`. */
export const setErrorFields = createMiddleware<App>(async (c, next) => {
  c.set('errorFields', errorFields)
  await next()
})

const OrderQuery = z
  .object({
    limit: limitText(20).describe('Orders per page.'),
    cursor: cursorText.optional().describe('The `nextCursor` of the previous page.'),
    providerId: ProviderId.optional().describe(
      'Selects orders with this order number of the shop.',
    ),
    deliveryStatus: z
      .enum(deliveryStatuses)
      .optional()
      .describe('Selects orders whose item has this status; `pending` stands for null.'),
    buyerUserId: idText.optional().describe('Selects orders of the buyer with this user id.'),
  })
  .superRefine(({ providerId, deliveryStatus, buyerUserId }, context) => {
    const filters = Object.entries({ providerId, deliveryStatus, buyerUserId })
    const [, ...others] = filters.filter(([, value]) => value !== undefined)
    for (const [name] of others)
      context.addIssue({ code: 'custom', path: [name], message: 'must be the only filter' })
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
      description: `1 to ${MAX_ORDERS} order ids. An id that is given twice counts once.`,
      param: { style: 'simple', explode: false },
    }),
})

const IdempotencyHeader = z.object({
  'idempotency-key': z
    .string()
    .regex(/^.{1,255}$/, 'must be 1 to 255 characters')
    .optional()
    .describe(
      'A key of your choice for this call, unique under a token name. If the call is sent again ' +
        'within 24 hours, it gets the first response again and places nothing.',
    ),
})

const tag = 'Orders'

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
    async (c) => c.json({ ...(await listOrders(c.var, c.req.valid('query'))), error: null }),
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
      const orders = await readOrders(c.var, c.req.valid('param').order_ids)
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
        'quantity_above_limit',
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
    validate('json', NewOrders, 'orders'),
    async (c) => {
      const key = c.req.valid('header')['idempotency-key']
      const request = { orders: c.req.valid('json'), key }
      const { orders, isReplay, endpoints } = await placeOrders(c.var, request)
      if (isReplay) c.header('Idempotent-Replayed', 'true')
      else c.executionCtx.waitUntil(startDelivery(c.env.DELIVERIES, c.var.settings, orders))
      c.executionCtx.waitUntil(wakeEndpoints(c.env, endpoints))
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
