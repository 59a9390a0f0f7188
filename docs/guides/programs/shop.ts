import { createServer } from 'node:http'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { ApiError, createClient, type NewOrder, verifyWebhook } from '@marketplace-api/marketplace'

const { MARKETPLACE_URL: url = '', MARKETPLACE_TOKEN: token, PORT, DATA_DIR = '.' } = process.env
const secret = process.env.WEBHOOK_SECRET ?? ''
// A call is given up after 10 seconds and sent again, as long as Retry-After says later.
const client = createClient({ url, token, attemptTimeout: 10_000 })

const db = new DatabaseSync(`${DATA_DIR}/shop.db`)
db.exec(`CREATE TABLE IF NOT EXISTS sales (
    number TEXT PRIMARY KEY, body TEXT NOT NULL, state TEXT NOT NULL DEFAULT 'open',
    wantsRefund INTEGER NOT NULL DEFAULT 0, orderId INTEGER, source TEXT, txId TEXT,
    sequence INTEGER NOT NULL DEFAULT -1, paidCents INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS refunds (number TEXT PRIMARY KEY, cents INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS messages (
    id TEXT PRIMARY KEY, number TEXT, data TEXT NOT NULL) STRICT`)

type Sale = {
  number: string
  body: string
  state: string
  wantsRefund: number
  /** The order, and the name of the token that placed it. Null until the marketplace has answered. */
  orderId: number | null
  source: string | null
}
const select = db.prepare('SELECT * FROM sales WHERE number = ?')
const saleOf = (number: string) => select.get(number) as Sale

function transaction(change: () => void) {
  db.exec('BEGIN IMMEDIATE')
  try {
    change()
    db.exec('COMMIT')
  } catch (error) {
    db.exec('ROLLBACK')
    throw error
  }
}

/** A real shop calls its payment provider here, under a number that is accepted once. */
function refund(number: string) {
  db.prepare(
    'INSERT OR IGNORE INTO refunds SELECT number, paidCents FROM sales WHERE number = ?',
  ).run(number)
  db.prepare(`UPDATE sales SET state = 'refunded' WHERE number = ?`).run(number)
}

/** The sales, each with the cents of its refunds. */
function books() {
  const sales = db.prepare(`SELECT sales.*,
    (SELECT json_group_array(cents) FROM refunds WHERE refunds.number = sales.number) AS refunds
    FROM sales`)
  return sales.all().map((sale) => ({ ...sale, refunds: JSON.parse(String(sale.refunds)) }))
}

type Status = {
  orderId: number
  providerId: string | null
  source: string
  sequence: number
  status: string | null
  reasonCode: string | null
  txId: string | null
}

/**
 * Takes over how an order stands, from a message or a read. Ignores orders of other shops, which may
 * have the same number, and what is older than the books.
 */
function update({ orderId, providerId, source, sequence, status, reasonCode, txId }: Status) {
  const state = status === 'transferred' ? 'delivered' : 'open'
  const { changes } = db
    .prepare(
      `UPDATE sales SET sequence = ?1, txId = ?2, state = ?3
       WHERE number = ?4 AND source = ?5 AND orderId = ?6 AND sequence < ?1
         AND state <> 'refunded'`,
    )
    .run(sequence, txId, state, providerId, source, orderId)
  if (changes > 0 && providerId && reasonCode === 'cancelled') refund(providerId)
}

/**
 * Stores which order is that of a sale. Only the answer to our own call says so: a message or a list
 * may be about an order of another shop with the same number.
 */
function setOrder(number: string, orderId: number | null, source: string | null) {
  const known = saleOf(number).orderId
  if (known === orderId) return
  // Another id than before: the marketplace has lost the first order and was told again.
  db.prepare(
    `UPDATE sales SET orderId = ?, source = ?, sequence = -1, state = 'open' WHERE number = ?`,
  ).run(orderId, source, number)
  // Messages that came before the answer.
  const messages = db.prepare('SELECT data FROM messages WHERE number = ?').all(number)
  if (known === null) for (const { data } of messages) update(JSON.parse(String(data)))
}

/** Places the order of a sale, or finds the one that was placed before. Returns its id. */
async function place({ number, body }: Sale): Promise<number | undefined> {
  const { reservationId, ...order }: NewOrder = JSON.parse(body)
  try {
    const { orders, source } = await put(number, order, reservationId)
    const id = orders[0]?.id
    transaction(() => setOrder(number, id ?? null, source))
    return id
  } catch (error) {
    if (!isRefusal(error)) throw error
    if (saleOf(number).orderId !== null) return placeAgain(number, order, error)
    // Nothing will be delivered, and there is nothing to cancel.
    if (saleOf(number).state === 'open') refund(number)
    return undefined
  }
}

/**
 * The sale had an order, which a restore has lost, and which may have been delivered: no refusal
 * refunds it, and a person asks the operator. It was sold at the price of that time.
 */
async function placeAgain(number: string, order: NewOrder, refusal: ApiError) {
  const { expectedPriceCents, expectedCurrency, ...unpriced } = order
  if (refusal.code !== 'price_changed' || expectedPriceCents === undefined) throw refusal
  const body = JSON.stringify(unpriced)
  db.prepare('UPDATE sales SET body = ? WHERE number = ?').run(body, number)
  return place(saleOf(number))
}

/** A reservation that has ended, or that the marketplace has lost, is left out. */
async function put(providerId: string, order: NewOrder, reservationId: string | undefined) {
  if (!reservationId) return client.putOrder({ providerId, body: order })
  try {
    return await client.putOrder({ providerId, body: { ...order, reservationId } })
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'reservation_not_found')) throw error
    return client.putOrder({ providerId, body: order })
  }
}

/**
 * Whether the marketplace says that there is no order and will be none. Without a code, something in
 * between has answered, and the order may be placed.
 */
const isRefusal = (error: unknown): error is ApiError =>
  error instanceof ApiError &&
  [400, 409].includes(error.status) &&
  error.code !== null &&
  !['request_in_progress', 'order_differs'].includes(error.code)

/**
 * Whether sending the same call again changes nothing: the token is refused, the number has another
 * order, or nothing can be cancelled. The sale stays open, and a person has to see it.
 */
const isForPerson = (error: unknown) =>
  error instanceof ApiError &&
  error.code !== null &&
  error.status < 500 &&
  error.status !== 429 &&
  error.code !== 'request_in_progress'

const busy = new Set<string>()

/** Does what is to be done for a sale, until the marketplace has answered. */
async function work(number: string) {
  if (busy.has(number)) return
  busy.add(number)
  for (;;) {
    const sale = saleOf(number)
    if (sale.state !== 'open' || (sale.orderId !== null && !sale.wantsRefund)) break
    try {
      // Also before it is cancelled: after a restore the id in the books may be of another order.
      const order_id = await place(sale)
      if (order_id === undefined || !sale.wantsRefund) continue
      // The refund follows when a message says that it is cancelled.
      await client.cancelOrder({ order_id })
      break
    } catch (error) {
      console.error(number, error)
      if (isForPerson(error)) break
      await setTimeout(1000)
    }
  }
  busy.delete(number)
}

/** Compares the books with the marketplace. A shop does so each night, and after a restore. */
async function reconcile() {
  const sales = db.prepare(`SELECT * FROM sales WHERE state <> 'refunded'`).all() as Sale[]
  for (const sale of sales)
    await compare(sale).catch((error) => {
      console.error(sale.number, error)
      if (!isForPerson(error)) throw error
    })
}

async function compare(sale: Sale) {
  // After a restore it may be lower.
  db.prepare('UPDATE sales SET sequence = -1 WHERE number = ?').run(sale.number)
  await place(sale)
  const { number: providerId, source } = saleOf(sale.number)
  if (source === null) return
  const orders = client.items('listOrders', { providerId, source, fields: 'summary' })
  for await (const order of orders) update({ orderId: order.id, ...order })
  if (sale.wantsRefund) void work(sale.number)
}

async function receive(body: string, headers: NodeJS.Dict<string | string[]>) {
  const event = await verifyWebhook(body, headers, secret)
  if (event.type === 'webhook.test') return event.data.challenge
  if (!('orderId' in event.data)) return ''
  const { id, data } = event
  // One transaction: a message is remembered if its effect is, and not otherwise.
  transaction(() => {
    const insert = db.prepare('INSERT OR IGNORE INTO messages VALUES (?, ?, ?)')
    const { changes } = insert.run(id, data.providerId, JSON.stringify(data))
    if (changes > 0) update(data)
  })
  return ''
}

function sell({ number, ...order }: NewOrder & { number: string }) {
  const paidCents = (order.expectedPriceCents ?? 0) * order.quantity
  db.prepare('INSERT OR IGNORE INTO sales (number, body, paidCents) VALUES (?, ?, ?)').run(
    ...[number, JSON.stringify(order), paidCents],
  )
  void work(number)
}

function cancel(number: string) {
  const wish = db.prepare('UPDATE sales SET wantsRefund = 1 WHERE number = ?')
  if (wish.run(number).changes === 0) throw new Error(`there is no sale ${number}`)
  void work(number)
}

const server = createServer(async (request, response) => {
  const body = await text(request).catch(() => '')
  const route = `${request.method} ${request.url}`
  const [, number] = /^POST \/sales\/([^/]+)\/cancel$/.exec(route) ?? []
  try {
    if (route === 'POST /webhooks') return response.end(await receive(body, request.headers))
    if (route === 'POST /sales') sell(JSON.parse(body))
    else if (number) cancel(decodeURIComponent(number))
    else if (route === 'POST /reconcile') await reconcile()
    else if (route === 'GET /sales') return response.end(JSON.stringify(books()))
    else return response.writeHead(404).end()
    response.writeHead(204).end()
  } catch (error) {
    console.error(error)
    response.writeHead(400).end()
  }
})
server.listen(Number(PORT), 'localhost')

for (const { number } of db.prepare(`SELECT * FROM sales WHERE state = 'open'`).all() as Sale[])
  void work(number)
