/**
 * What a victim gets while attackers do their worst, in units that do not depend on the machine: trips
 * and rows of a request, seconds of the simulated clock for a delivery, and rounds of the consumers
 * for an event.
 */
import { env } from 'cloudflare:workers'
import type { Victims } from '../../fuzz/hostile/victims.ts'
import { type Call, callWith } from '../../support/api.ts'
import { pass } from '../../support/delivery/clock.ts'
import type { Marketplace } from '../../support/delivery/marketplace.ts'
import { measured } from '../../support/measured.ts'
import type { Receivers } from './receivers.ts'

export type Scene = {
  victims: Victims
  market: Marketplace
  receivers: Receivers
  settings: Partial<Env>
  /** What attackers do between two rounds. */
  meanwhile: () => Promise<void>
  /** What happens when the consumer of deliveries waits next. */
  interrupt: () => Promise<void>
}

/** Each of them may be ten times as large as in quiet times. */
export type Shares = Record<string, number>

/** Rounds and seconds after which a victim has waited too long to go on. */
const MAX_ROUNDS = 100
const MAX_SECONDS = 3600

/**
 * Takes one of each: a list of orders and of addresses, an order, its delivery and its event. The order
 * is placed while the consumer works on those of others, if it has something to wait for.
 */
export async function takeShares(scene: Scene): Promise<Shares> {
  const [buyer] = scene.victims.buyers
  if (!buyer) throw new Error('nobody buys')
  const path = '/api/public/user/me/deliveryAddresses'
  const lists = await costsOf(scene, 'list of orders', 'GET', '/api/externalOrders', buyer)
  const addresses = await costsOf(scene, 'list of addresses', 'GET', path, buyer)
  let order: Awaited<ReturnType<typeof placeOrder>> | undefined
  scene.interrupt = async () => {
    scene.interrupt = async () => {}
    order = await placeOrder(scene, buyer)
  }
  await scene.market.deliver()
  await scene.interrupt()
  if (!order) throw new Error('no order was placed')
  return {
    ...lists.shares,
    ...addresses.shares,
    ...order.shares,
    'delivery, in seconds': await waitForDelivery(scene, order),
    'event, in rounds': await waitForEvent(scene, order),
  }
}

async function placeOrder(scene: Scene, buyer: { id: number }) {
  const { sale, shop } = scene.victims
  const placedAt = Date.now()
  const { nftId, listingId } = sale
  const json = [{ nftId, listingId, quantity: 1, buyerUserId: buyer.id }]
  const content = { token: shop, json }
  const { text, shares } = await costsOf(scene, 'order', 'POST', '/api/externalOrders', content)
  const { orders }: { orders: { id: number }[] } = JSON.parse(text)
  const [order] = orders
  if (!order) throw new Error('no order was placed')
  return { id: order.id, placedAt, shares }
}

type Placed = { id: number; placedAt: number }

async function costsOf(
  { settings }: Scene,
  name: string,
  method: string,
  path: string,
  { token, json }: { token: string } & Pick<Call, 'json'>,
) {
  const { database, trips } = measured(env.DB)
  const content = { token, ...(json !== undefined && { json }) }
  const response = await callWith({ ...settings, DB: database }, method, path, content)
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`)
  const sum = (of: 'rowsRead' | 'rowsWritten') => trips.reduce((all, trip) => all + trip[of], 0)
  const shares: Shares = {
    [`${name}, in trips`]: trips.length,
    [`${name}, in rows read`]: sum('rowsRead'),
    [`${name}, in rows written`]: sum('rowsWritten'),
  }
  return { text, shares }
}

/** Returns the rounds of the consumers until the receiver of the victim learns of the order. */
async function waitForEvent(scene: Scene, { id }: Placed): Promise<number> {
  const { receivers, settings, meanwhile } = scene
  const isReceived = () =>
    receivers.received.some(
      (one) => one.url.startsWith(RECEIVER) && one.orderId === id && one.type === 'order.created',
    )
  for (let round = 1; round <= MAX_ROUNDS; round++) {
    await receivers.round(settings)
    if (isReceived()) return round
    await meanwhile()
  }
  return Number.POSITIVE_INFINITY
}

/** The receiver of the victims' shop. */
export const RECEIVER = 'https://shop.victims.example.com/'

/** Returns the seconds from the order to the end of the delivery. */
async function waitForDelivery(
  { market, meanwhile }: Scene,
  { id, placedAt }: Placed,
): Promise<number> {
  for (let cronAt = placedAt; Date.now() - placedAt < MAX_SECONDS * 1000; ) {
    await market.deliver()
    const delivery = await env.DB.prepare(
      `SELECT d.state, d.updatedAt FROM deliveries d JOIN orderItems i ON i.id = d.id
        WHERE i.orderId = ?`,
    )
      .bind(id)
      .first<{ state: string; updatedAt: string }>()
    if (delivery?.state === 'transferred')
      return Math.max(1, (Date.parse(delivery.updatedAt) - placedAt) / 1000)
    if (Date.now() >= cronAt) {
      await market.runCron()
      cronAt = Date.now() + 60_000
    }
    await meanwhile()
    pass(1)
  }
  return Number.POSITIVE_INFINITY
}
