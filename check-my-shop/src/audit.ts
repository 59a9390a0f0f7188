/** Compares what the shop has done for a sale with the marketplace and the chain. */
import { compareBooks, compareOrder, compareWallet, type End, type Mismatch } from './compare.ts'
import type { Feed } from './feed.ts'
import { type Difference, Finding, type Problem } from './finding.ts'
import type { Marketplace, Order } from './marketplace.ts'
import { checkCalls, explainBroken } from './placing.ts'
import type { FaultProxy } from './proxy.ts'
import { type Book, buyerOf, type Sale } from './sale.ts'
import type { Shop } from './shop.ts'

export type Parts = { shop: Shop; proxy: FaultProxy; feed: Feed; marketplace: Marketplace }

/** What a shop is waited for. */
export type Wait = {
  sale: Sale
  /** What is wrong if nothing else explains that it does not come. */
  blame: Problem
  /** What must come: an end of the sale, or a sentence. */
  expected: End | { sentence: string }
}

export class Audit {
  readonly #parts
  /** The source of the first order, and so of all. */
  #source: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Returns what the shop has in its books about a sale; undefined if nothing, or it is killed. */
  async book({ number }: Sale): Promise<Book | undefined> {
    return (await this.#parts.shop.books().catch(() => new Map<string, Book>())).get(number)
  }

  /** Throws a `Finding` if the calls that place the order of a sale are wrong. */
  checkCalls(sale: Sale) {
    const { proxy } = this.#parts
    checkCalls(sale, proxy.calls(sale, 'place'), proxy.orders(sale))
  }

  /** Whether the shop has the order of a sale from an answer, or has found it. */
  async isAnswered(sale: Sale): Promise<boolean> {
    const calls = this.#parts.proxy.calls(sale, 'place')
    if (calls.some((call) => !call.isBroken && call.answeredAt !== undefined)) return true
    const order = await this.#parts.marketplace.order(sale.number)
    return order !== undefined && (await this.book(sale))?.orderId === order.id
  }

  /** Whether a sale has ended as it must. Throws a `Finding` if it never can. */
  async hasEnded(sale: Sale, end: End): Promise<boolean> {
    this.checkCalls(sale)
    const book = await this.book(sale)
    const isOpen = book?.state !== 'delivered' && book?.state !== 'refunded'
    // Saves reads of the marketplace.
    if (!book || (isOpen && book.refunds.length === 0)) return false
    const mismatches = await this.#compare(sale, end, book)
    if (mismatches.some(({ problem }) => problem)) throw mismatch(sale, end, mismatches)
    return mismatches.length === 0
  }

  /** Throws a `Finding` unless all sales have ended as they must. */
  async requireEnds(ends: ReadonlyMap<Sale, End>) {
    const books = await this.#parts.shop.books()
    const requireEnd = async (sale: Sale, end: End) => {
      const mismatches = await this.#compare(sale, end, books.get(sale.number))
      if (mismatches.length > 0) throw mismatch(sale, end, mismatches)
    }
    await Promise.all([...ends].map(([sale, end]) => requireEnd(sale, end)))
  }

  /** Returns why what the shop is waited for does not come. */
  async explain({ sale, blame, expected }: Wait): Promise<Finding> {
    const last = this.#parts.proxy.calls(sale, 'place').at(-1)
    const mismatches: Mismatch[] =
      typeof expected === 'string'
        ? await this.#compare(sale, expected, await this.book(sale))
        : [{ what: 'the sale', expected: expected.sentence, found: await this.#describe(sale) }]
    const finding = (problem: Problem, sentence: string, first: Difference[] = []) =>
      new Finding(problem, `Sale ${sale.number}: ${sentence}`, [...first, ...mismatches])
    const broken = last && explainBroken(last)
    if (broken) return finding(broken.problem, broken.sentence, [broken.difference])
    const wrong = mismatches.find(({ problem }) => problem)?.problem
    if (wrong) return finding(wrong, 'it has not ended as it must.')
    const refusal = this.#parts.feed.refusal(sale)
    if (refusal)
      return finding('message_refused', 'a message was not accepted.', [
        { what: 'answer to the message', expected: '2xx', found: refusal },
      ])
    const isPlaced = last || blame === 'forgotten'
    return finding(isPlaced ? blame : 'not_placed', 'it has not ended as it must.')
  }

  /** The order is read after the books: it may have ended in the meantime, and they have not. */
  async #compare(sale: Sale, end: End, book: Book | undefined): Promise<Mismatch[]> {
    const order = await this.#parts.marketplace.order(sale.number)
    return [
      ...compareBooks(sale, end, { book, order }),
      ...(order ? await this.#compareOrder(sale, order) : []),
      ...(await this.#compareWallet(sale, end)),
    ]
  }

  async #compareOrder(sale: Sale, order: Order): Promise<Mismatch[]> {
    const { marketplace } = this.#parts
    this.#source ??= order.source
    const item = (await marketplace.read(order.id))?.orderItems[0]
    const facts = { order, source: this.#source, recipient: item?.ethRecipient ?? null }
    return compareOrder(sale, await marketplace.goods(sale.listing), facts)
  }

  async #compareWallet(sale: Sale, end: End): Promise<Mismatch[]> {
    if (!('wallet' in sale.buyer)) return []
    const { marketplace } = this.#parts
    const goods = await marketplace.goods(sale.listing)
    return compareWallet(sale, end, await marketplace.balance(goods, buyerOf(sale)))
  }

  /** Returns what the books and the marketplace have. */
  async #describe(sale: Sale): Promise<string> {
    const book = await this.book(sale)
    const order = await this.#parts.marketplace.order(sale.number)
    const books = book ? `${book.state} in your books` : 'nothing in your books'
    return `${books}, ${order ? `order ${order.id} is ${order.state}` : 'no order'}`
  }
}

function mismatch(sale: Sale, end: End, mismatches: readonly Mismatch[]): Finding {
  const problem = mismatches.find(({ problem }) => problem)?.problem ?? 'wrong_books'
  return new Finding(problem, `Sale ${sale.number} must be ${end}.`, mismatches)
}
