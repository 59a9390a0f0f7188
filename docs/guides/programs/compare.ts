import { readFile, rename, writeFile } from 'node:fs/promises'
import { ApiError, createClient, type NewOrder } from '@marketplace-api/marketplace'

type Sale = {
  number: string
  order: NewOrder
  orderId?: number | null
  source?: string | null
  /** Without it, the sale is sent. */
  sequence?: number
  status?: string | null
  /** The marketplace's time of the newest state. */
  updatedAt?: string
}
type Books = { after: string | null; since: string | null; sales: Sale[] }
type State = { sequence: number | null; status: string | null; updatedAt: string }

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const books: Books = JSON.parse(await readFile('books.json', 'utf8'))
const began = Date.now()
const nextSince = new Date(began - 5 * 60_000).toISOString()

async function store() {
  // A file that is replaced is never half written.
  await writeFile('books.new', JSON.stringify(books, null, 2))
  await rename('books.new', 'books.json')
}

/** Reads the log to its end. Returns whether it has lost the event that was read last. */
async function readLog(): Promise<boolean> {
  try {
    const after = books.after ? { after: books.after } : { since: new Date(began).toISOString() }
    for await (const page of client.pages('listEvents', after)) books.after = page.nextAfter
    return false
  } catch (error) {
    if (!(error instanceof ApiError && error.code === 'events_removed')) throw error
    books.after = null
    await readLog()
    return true
  }
}

const keyOf = (...whose: [id?: number | null, number?: string | null, source?: string | null]) =>
  JSON.stringify(whose)

/** Returns the orders that have changed since the last run. */
async function readChanges(updatedFrom: string) {
  const changed = new Map<string, State>()
  const query = { updatedFrom, fields: 'summary', limit: 100 } as const
  for await (const order of client.items('listOrders', query))
    changed.set(keyOf(order.id, order.providerId, order.source), order)
  return changed
}

/** Stores how an order stands, unless that is known, or something newer. */
function update(sale: Sale, { sequence, status, updatedAt }: State) {
  if (sequence === null || sequence <= (sale.sequence ?? -1)) return
  if (status !== (sale.status ?? null)) console.log(`sale ${sale.number}: ${status}`)
  Object.assign(sale, { sequence, status, updatedAt })
}

/** Finds the order of a sale, or places it. Returns the code of a refusal. */
async function place(sale: Sale): Promise<string | undefined> {
  try {
    const { orders, source, sequence } = await client.putOrder({
      providerId: sale.number,
      body: sale.order,
    })
    const [order] = orders
    if (!order) throw new Error(`sale ${sale.number}: no order is answered`)
    if (order.id !== sale.orderId) console.log(`sale ${sale.number}: order ${order.id}`)
    Object.assign(sale, { orderId: order.id, source })
    const { updatedAt, orderItems } = order
    update(sale, { sequence, status: orderItems[0]?.status ?? null, updatedAt })
    return undefined
  } catch (error) {
    const isRefusal = error instanceof ApiError && error.status < 500 && error.status !== 429
    if (!isRefusal || !error.code) throw error // Run it again later.
    const { reservationId, ...unreserved } = sale.order
    if (error.code === 'reservation_not_found' && reservationId) {
      sale.order = unreserved
      return place(sale)
    }
    // It had an order, which was lost: it was sold at the price of that time.
    const { expectedPriceCents, expectedCurrency, ...unpriced } = sale.order
    if (error.code === 'price_changed' && sale.source && expectedPriceCents !== undefined) {
      sale.order = unpriced
      return place(sale)
    }
    return error.code
  }
}

/** Sends a sale again, and returns whether the marketplace had lost what was known. */
async function isLost(sale: Sale): Promise<boolean> {
  const { orderId, sequence = -1 } = sale
  delete sale.sequence
  await place(sale)
  return sale.orderId !== orderId || (sale.sequence ?? -1) < sequence
}

/** Takes over what has changed. Returns whether the marketplace has lost something. */
async function compare(since: string): Promise<boolean> {
  const changed = await readChanges(since)
  for (const sale of books.sales) {
    if (sale.sequence === undefined) continue
    const order = changed.get(keyOf(sale.orderId, sale.number, sale.source))
    if (order) update(sale, order)
    const isThere = order ? order.sequence === sale.sequence : (sale.updatedAt ?? since) < since
    if (!isThere && (await isLost(sale))) return true
  }
  return false
}

const isRestored = (await readLog()) || (books.since !== null && (await compare(books.since)))
if (isRestored) console.log('the database was restored')
// The first run, and the one after a restore, send all sales. One that is killed goes on.
if (isRestored || books.since === null) {
  for (const sale of books.sales) delete sale.sequence
  books.since = nextSince
  await store()
}

let count = 0
for (const sale of books.sales.filter(({ sequence }) => sequence === undefined)) {
  const refusal = await place(sale)
  if (refusal) console.log(`sale ${sale.number}: ${refusal}, for a person`)
  count += 1
  if (count % 100 === 0) await store()
}
books.since = nextSince
await store()
