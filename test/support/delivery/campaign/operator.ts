/** What an operator does through the API. */
import { env } from 'cloudflare:workers'
import { expect } from 'vitest'
import { rowsOf } from '../engine.ts'
import { finished } from './runs.ts'
import type { Order, World } from './world.ts'

/** Queues all failed items again. */
export async function retryAll(world: World): Promise<void> {
  await expectNoneFailed(world)
  const path = '/api/admin/transfers/retry?status=failed'
  const call = { method: 'POST', path, token: world.token }
  await finished(world, (mishap) => world.market.request(call, mishap))
}

/** Nothing that happens may fail an item that can be delivered. */
export async function expectNoneFailed({ orders }: World): Promise<void> {
  const wanted = orders.filter(isWanted)
  const rows = await rowsOf([...(await idsOf(wanted)).values()].map((id) => ({ id })))
  expect([...rows.values()].filter(({ state }) => state === 'failed')).toEqual([])
}

/** Whether an item can be delivered, and has to be. */
export const isWanted = ({ obstacle, isCancelled }: Order): boolean =>
  obstacle === null && !isCancelled

/** Asks to cancel one of the orders. It may be delivered already. */
export async function cancelOne(world: World): Promise<void> {
  const { orders, dice, market, token } = world
  const order = orders[dice.upTo(orders.length)]
  const id = order && (await idsOf([order])).get(order.providerId)
  if (!order || !id) return
  order.isCancelled = true
  const call = { method: 'POST', path: `/api/admin/transfers/${id}/cancel`, token }
  await finished(world, (mishap) => market.request(call, mishap))
}

/** The ids of the items, by the order numbers of the shop. A restore may change them. */
export async function idsOf(
  orders: readonly { providerId: string }[],
): Promise<Map<string, number>> {
  const { results } = await env.DB.prepare(
    `SELECT i.id, o.providerId FROM orders o JOIN orderItems i ON i.orderId = o.id
     WHERE o.providerId IN (SELECT value FROM json_each(?))`,
  )
    .bind(JSON.stringify(orders.map(({ providerId }) => providerId)))
    .all<{ id: number; providerId: string }>()
  return new Map(results.map(({ id, providerId }) => [providerId, id]))
}
