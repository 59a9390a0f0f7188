/** Compares the books, the order and the wallet of a sale with what they must be when it has ended. */
import type { Difference, Problem } from './finding.ts'
import type { Order } from './marketplace.ts'
import { type Book, buyerOf, type Goods, paidCents, type Sale } from './sale.ts'

export type End = 'delivered' | 'refunded'

export type Mismatch = Difference & {
  /** What is wrong for ever. Undefined if time may bring what is expected. */
  problem?: Problem
}

type Value = string | number | null | undefined

const show = (value: Value): string => String(value ?? 'none')

/** Returns a mismatch unless both values are the same. */
function differ(what: string, expected: Value, found: Value, problem?: Problem): Mismatch[] {
  if ((expected ?? null) === (found ?? null)) return []
  return [{ what, expected: show(expected), found: show(found), ...(problem && { problem }) }]
}

/** Compares the books of the shop with the order of the marketplace. */
export function compareBooks(
  sale: Sale,
  end: End,
  { book, order }: { book: Book | undefined; order: Order | undefined },
): Mismatch[] {
  const mayHaveNoOrder = end === 'refunded' && !order
  return [
    ...compareRefunds(sale, end, { book, order }),
    ...differ('state in your books', end, book?.state),
    ...(end === 'delivered' || book?.orderId
      ? differ('orderId in your books', order?.id, book?.orderId)
      : []),
    ...(end === 'delivered' ? differ('txId in your books', order?.txId, book?.txId) : []),
    ...(mayHaveNoOrder
      ? []
      : differ('order', end === 'delivered' ? 'delivered' : 'cancelled', order?.state)),
  ]
}

function compareRefunds(
  sale: Sale,
  end: End,
  { book, order }: { book: Book | undefined; order: Order | undefined },
): Mismatch[] {
  const refunds = book?.refunds ?? []
  const expected = end === 'refunded' ? [paidCents(sale)] : []
  const isPossible = order && order.state !== 'cancelled'
  const problem = () => {
    if (isPossible) return 'refunded_early'
    if (refunds.length > 1) return 'refunded_twice'
    return end === 'refunded' ? 'wrong_refund' : undefined
  }
  const rows = differ(
    'refunds in your books',
    showRefunds(expected),
    showRefunds(refunds),
    refunds.length > 0 ? problem() : undefined,
  )
  if (!isPossible || (refunds.length === 0 && book?.state !== 'refunded')) return rows
  const found = `${order.id}, ${order.status ?? 'queued'}`
  const what = 'order of a sale that is refunded'
  return [...rows, { what, expected: 'none, or cancelled', found, problem: 'refunded_early' }]
}

const showRefunds = (refunds: readonly number[]): string =>
  refunds.length === 0 ? 'none' : refunds.map((cents) => `${cents} cents`).join(' and ')

/** Compares an order with the sale. */
export function compareOrder(
  sale: Sale,
  goods: Goods,
  { order, source, recipient }: { order: Order; source: string; recipient: string | null },
): Mismatch[] {
  const wrong = (what: string, expected: Value, found: Value) =>
    differ(`${what} of order ${order.id}`, expected, found, 'wrong_order')
  return [
    ...differ(`number of order ${order.id}`, sale.number, order.providerId, 'placed_twice'),
    ...differ(`source of order ${order.id}`, source, order.source, 'wrong_token'),
    ...wrong('nftId', goods.nftId, order.nftId),
    ...wrong('listingId', goods.listingId, order.listingId),
    ...wrong('quantity', sale.quantity, order.quantity),
    ...wrong('priceCents', sale.expectedPriceCents, order.priceCents),
    ...wrong('priceCurrency', sale.expectedCurrency, order.priceCurrency),
    ...wrong('totalPriceCents', paidCents(sale), order.totalPriceCents),
    ...('wallet' in sale.buyer
      ? wrong('ethRecipient', sale.buyer.wallet, recipient?.toLowerCase())
      : []),
  ]
}

/** Compares the pieces in the buyer's wallet, if a node has told them. */
export function compareWallet(sale: Sale, end: End, pieces: number | undefined): Mismatch[] {
  if (pieces === undefined) return []
  const expected = end === 'delivered' ? sale.quantity : 0
  const problem = pieces > expected ? 'not_delivered_once' : undefined
  return differ(`pieces in the wallet ${buyerOf(sale)}`, expected, pieces, problem)
}
