/** The sales of a run, and the books of the shop about them. */
import { randomBytes } from 'node:crypto'
import { Finding } from './finding.ts'

/** What is sold. `nft` and `listing` are the ids of the catalogue. */
export type Goods = { nft: string; listing: string; priceCents: number; currency: string }

/** A paid sale as the shop gets it: its number, and the fields of an order. */
export type Sale = {
  number: string
  nft: string
  listing: string
  quantity: number
  /** Each sale has a buyer of its own. */
  buyer: { wallet: string } | { email: string }
  buyerBillingData: { street: string; postal: string; city: string; country: string }
  expectedPriceCents: number
  expectedCurrency: string
}

/** What the shop has in its books about a sale. */
export type Book = {
  number: string
  /** Every other state means that the sale has not ended. */
  state: 'delivered' | 'refunded' | (string & {})
  orderId?: number | null
  txId?: string | null
  /** The sum of all refunds. */
  refundedCents?: number
}

const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }

/** A buyer without a wallet: the order waits until it is cancelled. */
const withEmail = (number: string) => ({ email: `${number}@example.com` })
const withWallet = () => ({ wallet: `0x${randomBytes(20).toString('hex')}` })

export type Terms = { buyer?: 'email' | 'wallet'; quantity?: number; expectedPriceCents?: number }

export function newSale(number: string, goods: Goods, terms: Terms = {}): Sale {
  const { nft, listing, priceCents, currency } = goods
  return {
    ...{ number, nft, listing, quantity: terms.quantity ?? 1 },
    buyer: terms.buyer === 'email' ? withEmail(number) : withWallet(),
    buyerBillingData,
    expectedPriceCents: terms.expectedPriceCents ?? priceCents,
    expectedCurrency: currency,
  }
}

/** What the customer has paid. */
export const paidCents = ({ expectedPriceCents, quantity }: Sale): number =>
  expectedPriceCents * quantity

/** The text that names the buyer in requests. */
export const buyerOf = ({ buyer }: Sale): string => ('email' in buyer ? buyer.email : buyer.wallet)

/** Returns the books that the shop has answered. Throws a `Finding` if they have another form. */
export function parseBooks(text: string): Map<string, Book> {
  let books: unknown
  try {
    books = JSON.parse(text)
  } catch {}
  if (!Array.isArray(books))
    throw new Finding('contract', 'GET /sales did not answer with a JSON array.')
  for (const book of books)
    if (typeof book?.number !== 'string' || typeof book.state !== 'string')
      throw new Finding('contract', `GET /sales: ${JSON.stringify(book)} needs number and state.`)
  return new Map(books.map((book: Book) => [book.number, book]))
}
