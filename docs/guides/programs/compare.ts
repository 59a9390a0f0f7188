import { readFile, rename, writeFile } from 'node:fs/promises'
import { ApiError, createClient, type NewOrder } from '@marketplace-api/marketplace'

type Sale = {
  number: string
  order: NewOrder
  orderId?: number | null
  source?: string | null
  sequence?: number
  status?: string | null
}
type Books = { after: string | null; since: string | null; sales: Sale[] }

const token = process.env.TOKEN ?? ''
const client = createClient({ url: 'http://localhost:8787', token })
const books: Books = JSON.parse(await readFile('books.json', 'utf8'))
const began = Date.now()

/** Whether the log has lost the event up to which it was read. */
async function wasRestored() {
  try {
    const after = books.after ? { after: books.after } : { since: new Date(began).toISOString() }
    for await (const page of client.pages('listEvents', after)) books.after = page.nextAfter
    return false
  } catch (error) {
    if (error instanceof ApiError && error.code === 'events_removed') return true
    throw error
  }
}

/** Stores how an order stands, unless that is known, or something newer. */
function update(sale: Sale, sequence: number, status: string | null) {
  if (sequence <= (sale.sequence ?? -1)) return
  if (status !== (sale.status ?? null)) console.log(`sale ${sale.number}: ${status}`)
  Object.assign(sale, { sequence, status })
}

/** Finds the order of a sale, or places it. */
async function place(sale: Sale): Promise<void> {
  try {
    const { orders, source, sequence } = await client.putOrder({
      providerId: sale.number,
      body: sale.order,
    })
    const [order] = orders
    if (order?.id !== sale.orderId) console.log(`sale ${sale.number}: order ${order?.id}`)
    Object.assign(sale, { orderId: order?.id, source })
    update(sale, sequence ?? 0, order?.orderItems[0]?.status ?? null)
  } catch (error) {
    if (!(error instanceof ApiError && error.code)) throw error
    const { reservationId, ...order } = sale.order
    if (reservationId && error.code === 'reservation_not_found') {
      sale.order = order
      return await place(sale)
    }
    console.log(`sale ${sale.number}: ${error.code}, for a person`)
  }
}

if (await wasRestored()) {
  console.log('the database was restored')
  for (const sale of books.sales) Object.assign(sale, { orderId: null, sequence: -1 })
  Object.assign(books, { after: null, since: null })
  await wasRestored()
}
// The first run, and the one after a restore, ask for all of them.
for (const sale of books.sales) if (!sale.orderId || !books.since) await place(sale)

const sales = new Map(books.sales.map((sale) => [sale.orderId, sale]))
if (books.since)
  for await (const order of client.items('listOrders', {
    updatedFrom: books.since,
    fields: 'summary',
    limit: 100,
  })) {
    const sale = sales.get(order.id)
    const isOwn = sale?.number === order.providerId && sale.source === order.source
    if (sale && isOwn) update(sale, order.sequence, order.status)
  }

books.since = new Date(began - 5 * 60_000).toISOString()
await writeFile('books.new', JSON.stringify(books, null, 2))
await rename('books.new', 'books.json')
