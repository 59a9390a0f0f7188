/** The sales of a run, and the books of the shop about them. */
import { randomBytes } from 'node:crypto'
import { Finding } from './finding.ts'

/** What is sold: the ids of the catalogue, those of the instance, and where the token is. */
export type Goods = {
  nft: string
  listing: string
  nftId: number
  listingId: number
  contract: string | null
  tokenId: string | null
  priceCents: number
  currency: string
  /** Null if they do not run out. */
  available: number | null
}

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
  reservationId?: string
}

/** What the shop has in its books about a sale. */
export type Book = {
  number: string
  /** `delivered`, `refunded`, or a word of the shop: the sale has not ended. */
  state: string
  orderId?: number | null
  txId?: string | null
  /** The cents of each refund. */
  refunds: number[]
}

const buyerBillingData = { street: 'Road 1', postal: '0150', city: 'Oslo', country: 'NO' }

/** A buyer without a wallet: the order waits until it is cancelled. */
const withEmail = (number: string) => ({ email: `${number}@example.com` })
const withWallet = () => ({ wallet: `0x${randomBytes(20).toString('hex')}` })

export type Terms = Partial<Pick<Sale, 'quantity' | 'expectedPriceCents' | 'reservationId'>> & {
  buyer?: 'email' | 'wallet'
}

export function newSale(number: string, goods: Goods, { buyer, ...terms }: Terms = {}): Sale {
  const { nft, listing, priceCents, currency } = goods
  return {
    number,
    nft,
    listing,
    quantity: 1,
    buyer: buyer === 'email' ? withEmail(number) : withWallet(),
    buyerBillingData,
    expectedPriceCents: priceCents,
    expectedCurrency: currency,
    ...terms,
  }
}

/** What the customer has paid. */
export const paidCents = ({ expectedPriceCents, quantity }: Sale): number =>
  expectedPriceCents * quantity

/** The text that names the buyer in requests. */
export const buyerOf = ({ buyer }: Sale): string => ('email' in buyer ? buyer.email : buyer.wallet)

/** Returns the books that the shop has answered. Throws a `Finding` if they have another form. */
export function parseBooks(text: string): Map<string, Book> {
  const what = 'answer of GET /sales'
  let books: unknown
  try {
    books = JSON.parse(text)
  } catch {}
  if (!Array.isArray(books))
    throw new Finding('contract', 'GET /sales does not work.', [
      { what, expected: 'a JSON array', found: text.slice(0, 100) || 'nothing' },
    ])
  for (const book of books)
    if (!isBook(book))
      throw new Finding('contract', 'GET /sales does not work.', [
        { what, expected: 'number, state, and refunds as a list', found: JSON.stringify(book) },
      ])
  return new Map(books.map((book: Book) => [book.number, book]))
}

const isBook = (book: Partial<Record<keyof Book, unknown>> | null): boolean =>
  typeof book?.number === 'string' &&
  typeof book.state === 'string' &&
  Array.isArray(book.refunds) &&
  book.refunds.every((cents) => typeof cents === 'number')
