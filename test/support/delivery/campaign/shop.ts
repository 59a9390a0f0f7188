/**
 * A shop that sells through the API. It repeats a call until it knows that its orders are placed,
 * and it repeats orders that a restored database has forgotten.
 */
import { eq } from 'drizzle-orm'
import { batch } from '../../../../src/db/batch.ts'
import { users } from '../../../../src/db/schema/users.ts'
import { wake } from '../../../../src/delivery/wake.ts'
import { queueAwaiting } from '../../../../src/delivery/wallet.ts'
import { db } from '../../makers.ts'
import { finished } from './runs.ts'
import type { Sale } from './sales.ts'
import type { Order, World } from './world.ts'

/** Places new orders in one call. */
export async function sell(world: World, prefix: string, wave: readonly Sale[]): Promise<void> {
  const orders = wave.map((sale) => ({
    ...sale,
    providerId: `${prefix}-${sale.buyerId}`,
    isPlaced: false,
    isLinked: !sale.isLate && sale.obstacle !== 'no wallet',
    isCancelled: false,
    isStolen: false,
  }))
  world.orders.push(...orders)
  await place(world, orders)
}

/** Repeats the orders of which the shop does not know whether they are placed, one at a time. */
export async function repeatOrders(world: World): Promise<void> {
  for (const order of world.orders) if (!order.isPlaced) await place(world, [order])
}

async function place(world: World, orders: readonly Order[]): Promise<void> {
  const json = orders.map(({ nftId, buyerId, quantity, providerId }) => ({
    nftId,
    listingId: nftId,
    quantity,
    buyerUserId: buyerId,
    providerId,
  }))
  const idempotencyKey = world.dice.chance(0.3) ? crypto.randomUUID() : ''
  const call = { method: 'POST', path: '/api/externalOrders', token: world.token, json }
  const { restores } = world
  await finished(world, async (mishap) => {
    const run = await world.market.request({ ...call, idempotencyKey }, mishap)
    const isUsed = orders.length === 1 && (await codeOf(run.response)) === 'provider_id_used'
    // An answer that was given before a restore says nothing.
    const isKnown = (run.response?.ok || isUsed) && world.restores === restores
    if (isKnown) for (const order of orders) order.isPlaced = true
    return run
  })
}

async function codeOf(response: Response | undefined): Promise<unknown> {
  if (!response || response.ok) return undefined
  const { code } = await response.json<{ code?: unknown }>()
  return code
}

/** A buyer who had no wallet links one. */
export async function linkWallet({ orders, market }: World): Promise<void> {
  const order = orders.find(({ isLate, isLinked }) => isLate && !isLinked)
  if (!order) return
  order.isLinked = true
  const now = new Date()
  const { queued } = await batch(db, {
    user: db
      .update(users)
      .set({ ethereumPublicAddr: order.recipient })
      .where(eq(users.id, order.buyerId)),
    ...queueAwaiting(db, order.buyerId, { address: order.recipient, walletChainId: 0 }, now),
  })
  await wake(
    market.queue.queue,
    queued.flatMap(({ chainId }) => chainId ?? []),
  )
}
