import { Hono } from 'hono'
import type { App } from '../http/context.ts'
import { callers, valid } from '../http/door.ts'
import { announce } from '../transfers/message.ts'
import { answers, type PlacedOrder } from './answer.ts'
import { Elements, OrderIds, RepeatHeader } from './input.ts'
import { placeOrders } from './place.ts'
import { readOrders } from './read.ts'
import { repeatable } from './repeat.ts'

const tag = 'Orders'

export const orders = new Hono<App>()
  .get(
    '/api/externalOrders/:order_ids',
    callers({
      tag,
      summary: 'Read orders',
      description:
        '1 to 100 ids, separated by commas; the answer has them in that order, each once. A user ' +
        'sees the orders in which they are the buyer or a seller.',
      answer: () => answers().read,
      errors: ['order_not_found'],
    }),
    valid('param', OrderIds),
    async (c) => {
      const { db, caller } = c.var
      const orders = await readOrders(db, caller, c.req.valid('param').order_ids)
      return c.json({ orders, error: null })
    },
  )
  .post(
    '/api/externalOrders',
    callers({
      tag,
      summary: 'Place paid orders',
      description:
        '1 to 100 orders, all of them or none. Each starts the transfer of its NFT to the buyer. ' +
        'A user may place orders for listings that they sell. An `Idempotency-Key` makes the ' +
        'call safe to repeat for 24 hours.',
      answer: () => answers().placed,
      headers: { 'Idempotent-Replayed': '`true` when this is the answer to an earlier call again' },
      errors: ['forbidden', 'provider_id_used', 'request_in_progress', 'idempotency_key_reused'],
    }),
    valid('header', RepeatHeader),
    valid('json', Elements, 'orders'),
    async (c) => {
      const { db, caller, now } = c.var
      const key = c.req.valid('header')['idempotency-key']
      const call = key ? await repeatable(caller.userId, key, await c.req.arrayBuffer()) : null
      const placed = await placeOrders(db, caller, c.req.valid('json'), call, now)
      if (placed.isReplay) c.header('Idempotent-Replayed', 'true')
      else c.executionCtx.waitUntil(announceAll(c.env.TRANSFERS, placed.orders))
      return c.json({ orders: placed.orders, error: null })
    },
  )

/** Starts the transfers that can start. That it fails is no failure: the sweep finds them. */
async function announceAll(queue: Env['TRANSFERS'], orders: readonly PlacedOrder[]) {
  const items = orders.flatMap(({ orderItems }) => orderItems)
  const ids = items.filter(({ status }) => status === null).map(({ id }) => id)
  await announce(queue, ids).catch((error) =>
    console.error({ event: 'announce_failed', transferIds: ids, error: String(error) }),
  )
}
