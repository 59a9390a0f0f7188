/**
 * The shops of the guide take no order of another shop for their own, although it has the number of
 * a sale that they have stored and not placed yet.
 */
import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, expect, it, vi } from 'vitest'
import { Shop } from '../../check-my-shop/src/shop.ts'
import { newSecret, signedHeaders, toMessage } from '../../client/src/cli/message.ts'
import {
  type components,
  createClient,
  type MarketplaceEvent,
  type PlacedOrder,
} from '../../client/src/index.ts'
import { aTemporaryFolder } from '../support/folder.ts'
import { aToken, instance, query } from '../support/instance/instance.ts'
import { aWallet, buyerBillingData } from '../support/instance/orders.ts'
import { PATIENCE } from '../support/patience.ts'
import { aFreePort } from '../support/project.ts'
import { serve } from '../support/server.ts'
import { aShop, type Language, shopLanguages } from '../support/shops.ts'

/** The name of the shop's token. */
const SOURCE = 'Bücher & mehr 🎁'

const sold = { nft: 'nft-3', listing: 'listing-3' }
const failing = { nft: 'outcome-invalid-token-id', listing: 'outcome-invalid-token-id' }
const price = { expectedPriceCents: 1000, expectedCurrency: 'EUR' }

const withWallet = () => ({ wallet: aWallet() })
const withoutWallet = () => ({ email: `${crypto.randomUUID()}@example.com` })

/** Who sells under the number of a sale. Each returns a token that may sell a listing. */
const strangers = {
  'another master token': () => aToken({ role: 'master', name: 'Another shop' }),
  'a user token with the same name': async (listing: string) => {
    const sql = 'SELECT sellerId FROM listings WHERE externalId = ?1'
    const [{ sellerId = 0 } = {}] = await query<{ sellerId: number }>(sql, listing)
    return aToken({ role: 'user', userId: sellerId, name: SOURCE })
  },
}

type OrderEvent = MarketplaceEvent & { data: components['schemas']['OrderEventData'] }

const isOfOrder = (event: MarketplaceEvent, orderId: number): event is OrderEvent =>
  'orderId' in event.data && event.data.orderId === orderId

/** Returns the events of an order, once the last one has a type. */
const eventsUntil = (type: OrderEvent['type'], { id, createdAt }: PlacedOrder) =>
  vi.waitUntil(
    async () => {
      const events: OrderEvent[] = []
      for await (const event of createClient(instance).items('listEvents', { since: createdAt }))
        if (isOfOrder(event, id)) events.push(event)
      return events.at(-1)?.type === type && events
    },
    { timeout: PATIENCE, interval: 250 },
  )

/** How orders of strangers end. */
const ends = [
  { goods: sold, buyer: withWallet, type: 'order.delivered' },
  { goods: failing, buyer: withWallet, type: 'order.failed' },
  { goods: sold, buyer: withoutWallet, type: 'order.cancelled' },
] as const

/** Places the order of a stranger, and returns its events, as the marketplace has sent them. */
async function sellAsStranger(
  providerId: string,
  { goods, buyer, type }: (typeof ends)[number],
  token: string,
): Promise<OrderEvent[]> {
  const client = createClient({ ...instance, token })
  const body = { ...goods, quantity: 1, buyer: buyer(), buyerBillingData }
  const [order] = (await client.putOrder({ providerId, body })).orders
  if (!order) throw new Error('no order was placed')
  const cancel = () => client.cancelOrder({ order_id: order.id })
  if (type === 'order.cancelled') await cancel()
  const events = await eventsUntil(type, order)
  // A failed order would keep an alarm raised.
  if (type === 'order.failed') await cancel()
  return events
}

/**
 * Starts a server before the marketplace. While it is `shut`, it breaks each connection; while it is
 * `mute`, it passes requests on and breaks the connection instead of answering.
 */
async function aGate() {
  const gate = { state: 'shut' as 'shut' | 'mute' | 'open', calls: 0, url: '' }
  gate.url = await serve(async (request, response) => {
    const body = await buffer(request)
    gate.calls++
    if (gate.state === 'shut') return void response.destroy()
    const { authorization = '', 'x-d1-bookmark': bookmark } = request.headers
    const answer = await fetch(instance.url + request.url, {
      method: request.method ?? '',
      headers: {
        ...{ authorization, 'content-type': 'application/json' },
        ...(bookmark && { 'x-d1-bookmark': `${bookmark}` }),
      },
      ...(body.length > 0 && { body }),
    })
    const bytes = Buffer.from(await answer.arrayBuffer())
    if (gate.state === 'mute') return void response.destroy()
    const headers = Object.fromEntries(answer.headers)
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding'])
      delete headers[name]
    response.writeHead(answer.status, headers).end(bytes)
  })
  return gate
}

const folder = await aTemporaryFolder()
const stops: (() => unknown)[] = []
afterAll(async () => {
  for (const stop of stops) await stop()
})

/** Starts a shop of the guide behind a gate that is shut. */
async function startShop(language: Language) {
  const gate = await aGate()
  const [secret, port] = [newSecret(), await aFreePort()]
  const token = await aToken({ role: 'master', name: SOURCE })
  const data = await mkdtemp(join(folder, 'data-'))
  const shop = new Shop(`http://localhost:${port}`, {
    command: await aShop(folder, language),
    log: join(data, 'log'),
    env: {
      ...{ PORT: port, DATA_DIR: data, WEBHOOK_SECRET: secret },
      ...{ MARKETPLACE_URL: gate.url, MARKETPLACE_TOKEN: token },
    },
  })
  await shop.start(AbortSignal.timeout(30_000))
  stops.push(() => shop.kill())
  const sell = async (number: string, buyer: { wallet: string } | { email: string }) => {
    await shop.sell({ number, ...sold, quantity: 1, buyer, buyerBillingData, ...price })
  }
  /** Sends a true message under an id. */
  const tell = async (event: OrderEvent, id = event.id) => {
    const message = { ...toMessage(event), id }
    const { status } = await shop.receive(signedHeaders(message, secret), message.body)
    expect(status).toBe(200)
  }
  const bookOf = async (number: string) => {
    const { state, orderId, txId, refunds } = (await shop.books()).get(number) ?? {}
    return { state, orderId, txId, refunds }
  }
  return { gate, shop, sell, tell, bookOf, client: createClient({ ...instance, token }) }
}

const cases = shopLanguages.flatMap((language) =>
  Object.entries(strangers).map(([stranger, tokenFor]) => ({ language, stranger, tokenFor })),
)

it.each(cases)(
  'leaves sales open whatever becomes of orders of $stranger ($language)',
  async ({ language, tokenFor }) => {
    const { gate, shop, sell, tell, bookOf, client } = await startShop(language)
    const sales: { number: string; events: OrderEvent[] }[] = []
    for (const end of ends) {
      const number = crypto.randomUUID()
      const token = await tokenFor(end.goods.listing)
      sales.push({ number, events: await sellAsStranger(number, end, token) })
    }
    for (const { number } of sales) await sell(number, withoutWallet())
    await expect.poll(() => gate.calls).toBeGreaterThanOrEqual(sales.length)

    for (const { events } of sales) for (const event of events) await tell(event)
    const open = { state: 'open', txId: null, refunds: [] }
    for (const { number } of sales) expect(await bookOf(number)).toEqual({ ...open, orderId: null })

    gate.state = 'open'
    for (const { number, events } of sales) {
      const foreignId = events[0]?.data.orderId
      await vi.waitUntil(async () => (await bookOf(number)).orderId, PATIENCE)
      const { orders } = await client.listOrders({ providerId: number, fields: 'summary' })
      const own = orders.filter(({ id }) => id !== foreignId)
      expect(own).toMatchObject([{ source: SOURCE, status: 'awaiting_wallet' }])
      expect(await bookOf(number)).toEqual({ ...open, orderId: own[0]?.id })
      // Now that the shop knows its order, and finds both by their number.
      for (const event of events) await tell(event, `${event.id}-again`)
      await shop.reconcile()
      expect(await bookOf(number)).toEqual({ ...open, orderId: own[0]?.id })
    }
  },
)

it.each(shopLanguages)(
  'books the delivery of its own order that it was told before the answer (%s)',
  async (language) => {
    const { gate, sell, tell, bookOf, client } = await startShop(language)
    gate.state = 'mute'
    const number = crypto.randomUUID()
    await sell(number, withWallet())
    const order = await vi.waitUntil(async () => {
      const { orders } = await client.listOrders({ providerId: number })
      return orders[0]
    }, PATIENCE)
    const events = await eventsUntil('order.delivered', order)
    for (const event of events) await tell(event)
    expect(await bookOf(number)).toEqual({
      ...{ state: 'open', orderId: null, txId: null, refunds: [] },
    })
    gate.state = 'open'
    const { txId } = events.at(-1)?.data ?? {}
    await expect
      .poll(() => bookOf(number))
      .toEqual({ state: 'delivered', orderId: order.id, txId, refunds: [] })
  },
)

it.each(shopLanguages)(
  'ignores another order that has the id of its own one, as after a restore (%s)',
  async (language) => {
    const { gate, sell, tell, bookOf, client } = await startShop(language)
    gate.state = 'open'
    const number = crypto.randomUUID()
    await sell(number, withoutWallet())
    const id = await vi.waitUntil(async () => (await bookOf(number)).orderId, PATIENCE)
    const { orders } = await client.getOrders({ order_ids: [id] })
    const [own] = orders[0] ? await eventsUntil('order.awaiting_wallet', orders[0]) : []
    if (!own) throw new Error('there is no event')
    const cancelled = {
      ...own.data,
      status: 'failed',
      reasonCode: 'cancelled',
      sequence: 9,
    } as const
    for (const other of [{ source: 'Another shop' }, { providerId: 'other' }]) {
      const data = { ...cancelled, ...other }
      await tell({ ...own, type: 'order.cancelled', data } as OrderEvent, crypto.randomUUID())
      expect(await bookOf(number)).toEqual({
        ...{ state: 'open', orderId: id, txId: null, refunds: [] },
      })
    }
    // The same of its own order.
    const event = { ...own, type: 'order.cancelled', data: cancelled } as OrderEvent
    await tell(event, crypto.randomUUID())
    expect(await bookOf(number)).toMatchObject({ state: 'refunded', refunds: [1000] })
  },
)
