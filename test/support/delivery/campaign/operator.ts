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

/** Nothing that happens may fail an item that can be delivered, but for its own recipient. */
export async function expectNoneFailed({ orders }: World): Promise<void> {
  const wanted = orders.filter((order) => isWanted(order) && !order.isFickle)
  const rows = await rowsOf([...(await idsOf(wanted)).values()].map((id) => ({ id })))
  expect([...rows.values()].filter(({ state }) => state === 'failed')).toEqual([])
}

/** Whether an item can be delivered, and has to be. */
export const isWanted = ({ obstacle, isCancelled, isStolen }: Order): boolean =>
  obstacle === null && !isCancelled && !isStolen

/** Asks to cancel one of the orders. It may be delivered already. */
export async function cancelOne(world: World): Promise<void> {
  const { orders, dice } = world
  const order = orders[dice.upTo(orders.length)]
  if (order) await cancel(world, order)
}

async function cancel(world: World, order: Order): Promise<void> {
  const { market, token } = world
  const id = (await idsOf([order])).get(order.providerId)
  if (!id) return
  order.isCancelled = true
  const call = { method: 'POST', path: `/api/admin/transfers/${id}/cancel`, token }
  await finished(world, (mishap) => market.request(call, mishap))
}

/**
 * Ends the items that wait for the operator: those that nothing can deliver are cancelled, also those
 * whose cancel was lost when the database was set back.
 */
export async function endWaiting(world: World): Promise<void> {
  const { orders, market, token } = world
  for (const order of orders)
    if (order.obstacle === 'mint without limit') await cancel(world, order)
  const path = '/api/admin/transfers/retry?status=queued&code=gas_burned'
  await market.request({ method: 'POST', path, token })
}

/** Writes off an item whose key is used up, and returns its pieces. */
export async function writeOffOne(world: World): Promise<void> {
  const { orders, market, token } = world
  const ids = [...(await idsOf(orders)).values()]
  const rows = [...(await rowsOf(ids.map((id) => ({ id })))).values()]
  const row = rows.find(
    ({ state, reasonCode }) => state === 'failed' && reasonCode && USED_UP.includes(reasonCode),
  )
  if (!row) return
  const path = `/api/admin/transfers/${row.id}/write-off`
  const call = { method: 'POST', path, token, json: { returnPieces: true } }
  await finished(world, (mishap) => market.request(call, mishap))
}

const USED_UP: readonly string[] = ['key_used_for_other_delivery', 'token_moved_nothing']

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
