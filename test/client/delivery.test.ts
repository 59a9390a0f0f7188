/** Places orders and follows them on a real chain. */
import { expect, it } from 'vitest'
import {
  ApiError,
  createClient,
  DeliveryFailedError,
  DeliveryTimeoutError,
  OrderReplacedError,
} from '../../client/src/index.ts'
import { aPerson, instance } from '../support/instance/instance.ts'
import { aNewOrder, anOrder, aWallet } from '../support/instance/orders.ts'
import { serve } from '../support/server.ts'

const buyerUserId = await aPerson(aWallet())
const order = await aNewOrder({ nftId: 2, buyerUserId })
const orderWithoutWallet = await aNewOrder({ nftId: 2 })

const client = createClient(instance)

/**
 * Starts a server before the marketplace that passes requests on, and breaks the connection of the
 * first ones after the marketplace has answered.
 */
async function aCutConnection(cuts: number) {
  const keys: (string | undefined)[] = []
  const url = await serve(async (request, response) => {
    const { authorization = '', 'idempotency-key': key } = request.headers
    keys.push(String(key))
    const chunks = await request.toArray()
    const answer = await fetch(instance.url + request.url, {
      method: request.method ?? '',
      headers: { authorization, 'content-type': 'application/json', 'idempotency-key': `${key}` },
      body: Buffer.concat(chunks),
    })
    const text = await answer.text()
    if (keys.length <= cuts) return void response.destroy()
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(text)
  })
  return { url, keys }
}

it('places an order once if the connection breaks after it was placed', async () => {
  const network = await aCutConnection(2)
  const { token } = instance
  const shop = createClient({ url: network.url, token, retry: { delay: 1 } })

  const { orders } = await shop.placeOrders({ body: [order] })

  expect(network.keys).toHaveLength(3)
  expect(new Set(network.keys).size).toBe(1)
  const { orders: stored } = await client.listOrders({ buyerUserId })
  expect(stored.map(({ id }) => id)).toEqual(orders.map(({ id }) => id))
})

it('uses another key for each call, or the key of the caller', async () => {
  const network = await aCutConnection(0)
  const shop = createClient({ ...instance, url: network.url })
  const headers = { 'idempotency-key': `mine-${Date.now()}` }
  const first = await shop.placeOrders({ body: [order] }, { headers })
  const again = await shop.placeOrders({ body: [order] }, { headers })
  const other = await shop.placeOrders({ body: [order] })
  await shop.placeOrders({ body: [order] })
  // The delivery may have begun between the two.
  expect(again.orders.map(({ id }) => id)).toEqual(first.orders.map(({ id }) => id))
  expect(other.orders[0]?.id).not.toBe(first.orders[0]?.id)
  expect(network.keys.slice(0, 2)).toEqual(Array(2).fill(headers['idempotency-key']))
  expect(new Set(network.keys).size).toBe(3)
})

it('waits until an order is delivered', async () => {
  const { id } = await anOrder(order)
  const delivered = await client.waitForDelivery(id, { interval: 100 })
  expect(delivered).toMatchObject({ id, buyerId: buyerUserId, failReason: null })
  expect(delivered.orderItems).toMatchObject([
    { status: 'transferred', txId: expect.stringMatching(/^0x[0-9a-f]{64}$/) },
  ])
})

it('throws the reason if an order cannot be delivered', async () => {
  const { id, itemId } = await anOrder(orderWithoutWallet)
  await client.cancelTransfer({ id: itemId })
  const error = await client.waitForDelivery(id, { interval: 100 }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(DeliveryFailedError)
  expect(error.message).toBe(`order ${id}: item ${itemId} is failed: cancelled`)
  expect(error.order).toMatchObject({ id, failReason: 'cancelled' })
})

it('throws the last state if an order is not delivered in time', async () => {
  const { id, itemId } = await anOrder(orderWithoutWallet)
  const error = await client
    .waitForDelivery(id, { timeout: 2_000, interval: 200 })
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(DeliveryTimeoutError)
  expect(error.message).toBe(`order ${id}: item ${itemId} is awaiting_wallet after 2000 ms`)
  expect(error.order).toMatchObject({ id, buyerId: orderWithoutWallet.buyerUserId })
})

/** Returns a `fetch` that changes the answers to reads of orders from the second one on. */
function changingReads(change: (response: Response) => Response | Promise<Response>) {
  let reads = 0
  return async (url: string, init: RequestInit) => {
    const response = await fetch(url, init)
    return init.method === 'GET' && ++reads > 1 ? change(response) : response
  }
}

const otherSource = ({ body, headers }: Response) => {
  const changed = new Headers(headers)
  changed.set('x-order-source', 'Another%20shop')
  return new Response(body, { headers: changed })
}

const otherNumber = async (response: Response) => {
  const { orders } = (await response.json()) as { orders: object[] }
  const body = { orders: orders.map((order) => ({ ...order, providerId: 'other' })) }
  return Response.json(body, { headers: response.headers })
}

it('waits on if a proxy removes the header with the source', async () => {
  const { id } = await anOrder(orderWithoutWallet)
  const withoutSource = ({ body, headers }: Response) => {
    const changed = new Headers(headers)
    changed.delete('x-order-source')
    return new Response(body, { headers: changed })
  }
  const changing = createClient({ ...instance, fetch: changingReads(withoutSource) })
  const waiting = changing.waitForDelivery(id, { interval: 100, timeout: 500 })
  await expect(waiting).rejects.toBeInstanceOf(DeliveryTimeoutError)
})

it.each([
  ['source', otherSource],
  ['number', otherNumber],
])('throws if another order has the id, with another %s', async (_, change) => {
  const { id } = await anOrder(orderWithoutWallet)
  const changing = createClient({ ...instance, fetch: changingReads(change) })
  const error = await changing.waitForDelivery(id, { interval: 50 }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(OrderReplacedError)
  expect(error.message).toBe(
    `order ${id} has another source or number than before: place your order again`,
  )
  expect(error.order).toMatchObject({ id })
})

it('tells the source and the sequence of one order, and of several neither', async () => {
  const providerId = crypto.randomUUID()
  const put = () => client.putOrder({ providerId, body: orderWithoutWallet })
  const [first, again] = [await put(), await put()]
  const { orders } = await client.listOrders({ providerId, fields: 'summary' })
  const [{ id = 0, source, sequence } = {}] = orders
  expect(source).toMatch(/./)
  for (const answer of [first, again, await client.getOrders({ order_ids: [id] })])
    expect(answer).toMatchObject({ orders: [{ id }], source, sequence, error: null })
  const other = await anOrder(orderWithoutWallet)
  expect(await client.getOrders({ order_ids: [id, other.id] })).toMatchObject({
    ...{ orders: [{ id }, { id: other.id }], source: null, sequence: null },
  })
})

it('stops to wait if the caller aborts', async () => {
  const { id } = await anOrder(orderWithoutWallet)
  const controller = new AbortController()
  const waiting = client.waitForDelivery(id, { interval: 60_000, signal: controller.signal })
  controller.abort(new Error('closing time'))
  await expect(waiting).rejects.toThrow('closing time')
})

it('throws the error of the API with all issues', async () => {
  const body = [
    { ...order, nftId: 999_999_999 },
    { ...order, listingId: 5 },
  ]
  const error = await client.placeOrders({ body }).catch((thrown) => thrown)
  expect(error).toBeInstanceOf(ApiError)
  expect(error).toMatchObject({
    status: 400,
    code: 'nft_not_found',
    message: 'orders[0].nftId: there is no NFT 999999999',
    issues: [
      { path: 'orders[0].nftId', code: 'nft_not_found', message: 'there is no NFT 999999999' },
      { path: 'orders[1].listingId', code: 'listing_inactive' },
    ],
    requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    documentationUrl: `${instance.url}/docs/errors#nft_not_found`,
    retryAfter: null,
  })
})
