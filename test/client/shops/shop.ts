/**
 * A shop that was written from the guides: it sells what `sales.json` of its folder names, keeps its
 * books in `books.jsonl`, and ends when every delivery has ended. It may be killed at any time, and
 * goes on where its books end. The program in Python beside it does the same.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { ApiError, createClient } from '../../../client/src/index.ts'

type Sale = {
  number: string
  listing: string
  nft: string
  priceCents: number
  currency: string
  buyer: { userId: number } | { email: string } | { wallet: string }
  /** Whether the customer changes their mind after the order. */
  isCancelled: boolean
}
type Entry = {
  number?: string
  /** `refused` and `refunded` end a sale without an order. */
  step: 'reserved' | 'paid' | 'refused' | 'refunded' | 'ordered' | 'cancelled' | 'ended' | 'read'
  reservationId?: string
  code?: string
  orderId?: number
  status?: string | null
  /** The last event that was read. */
  position?: string
}

const { URL: url = '', TOKEN: token = '', FOLDER: folder = '' } = process.env
const client = createClient({ url, token, retry: { attempts: 8 } })
const sales: Sale[] = JSON.parse(readFileSync(join(folder, 'sales.json'), 'utf8'))
const file = join(folder, 'books.jsonl')
/** A line that was cut by the end of the program is not read. */
const books: Entry[] = existsSync(file)
  ? readFileSync(file, 'utf8').split('\n').slice(0, -1).flatMap(parse)
  : []

function parse(line: string): Entry[] {
  try {
    return [JSON.parse(line)]
  } catch {
    return []
  }
}

function record(entry: Entry): void {
  books.push(entry)
  // Ends a line that was cut, too.
  appendFileSync(file, `\n${JSON.stringify(entry)}\n`)
  console.log(entry.step)
}

const stepOf = (number: string, step: Entry['step']) =>
  books.findLast((entry) => entry.number === number && entry.step === step)

const codeOf = (error: unknown): string => {
  if (error instanceof ApiError && error.code && error.status < 500) return error.code
  throw error
}

const billing = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }

async function reserve({ number, listing, priceCents, currency }: Sale): Promise<void> {
  const line = { listing, quantity: 1, ttl: 600 }
  const body = [{ ...line, expectedPriceCents: priceCents, expectedCurrency: currency }]
  try {
    const headers = { 'idempotency-key': `reserve-${number}` }
    const { reservations } = await client.reserve({ body }, { headers })
    record({ number, step: 'reserved', reservationId: reservations[0]?.id ?? '' })
  } catch (error) {
    record({ number, step: 'refused', code: codeOf(error) })
  }
}

async function order(sale: Sale): Promise<void> {
  const { number, nft, listing, buyer, priceCents, currency } = sale
  const price = { expectedPriceCents: priceCents, expectedCurrency: currency }
  const body = { nft, listing, quantity: 1, buyer, buyerBillingData: billing, ...price }
  const put = async (reservationId?: string) => {
    const input = { providerId: number, body: { ...body, ...(reservationId && { reservationId }) } }
    const { orders } = await client.putOrder(input)
    record({ number, step: 'ordered', orderId: orders[0]?.id ?? 0 })
  }
  try {
    await put(stepOf(number, 'reserved')?.reservationId).catch((error: unknown) => {
      // The hold has ended since: the order asks for a piece that is still free.
      if (codeOf(error) === 'reservation_not_found') return put()
      throw error
    })
  } catch (error) {
    record({ number, step: 'refunded', code: codeOf(error) })
  }
}

async function cancel(number: string): Promise<void> {
  const orderId = stepOf(number, 'ordered')?.orderId ?? 0
  try {
    await client.cancelOrder({ order_id: orderId })
    record({ number, step: 'cancelled' })
  } catch (error) {
    // It was delivered before.
    record({ number, step: 'cancelled', code: codeOf(error) })
  }
}

async function sell(sale: Sale): Promise<void> {
  const { number } = sale
  if (!stepOf(number, 'reserved') && !stepOf(number, 'refused')) await reserve(sale)
  if (stepOf(number, 'refused')) return
  if (!stepOf(number, 'paid')) record({ number, step: 'paid' })
  if (!stepOf(number, 'ordered') && !stepOf(number, 'refunded')) await order(sale)
  if (!stepOf(number, 'ordered')) return
  if (sale.isCancelled && !stepOf(number, 'cancelled')) await cancel(number)
}

/** Whether nothing more is to be expected of a sale. */
function hasEnded({ number, isCancelled }: Sale): boolean {
  if (!stepOf(number, 'ordered')) return true
  const status = stepOf(number, 'ended')?.status ?? 'open'
  return status !== 'open' && (status !== 'awaiting_wallet' || !isCancelled)
}

const outcomes: Partial<Record<string, string>> = {
  'order.awaiting_wallet': 'awaiting_wallet',
  'order.delivered': 'delivered',
  'order.failed': 'failed',
  'order.cancelled': 'cancelled',
}

async function readEvents(): Promise<void> {
  const after = books.findLast(({ step }) => step === 'read')?.position
  const page = await client.listEvents(after ? { after } : {})
  for (const { type, data } of page.events) {
    const { orderId } = data as { orderId?: number }
    const number = books.find(
      (entry) => entry.step === 'ordered' && entry.orderId === orderId,
    )?.number
    const status = outcomes[type]
    if (number && status) record({ number, step: 'ended', status })
  }
  if (page.nextAfter && page.nextAfter !== after) record({ step: 'read', position: page.nextAfter })
  if (!page.hasMore) await setTimeout(200)
}

for (const sale of sales) await sell(sale)
while (!sales.every(hasEnded)) await readEvents()
console.log('done')
