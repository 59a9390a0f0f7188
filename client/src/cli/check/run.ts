/** A run: what its scenarios share. */
import { wait } from '../../retry.ts'
import { CommandError } from '../command.ts'
import { compareBooks, compareOrder, compareWallet, type End, type Mismatch } from './compare.ts'
import type { Feed, OrderEvent } from './feed.ts'
import { type Difference, Finding, type Problem } from './finding.ts'
import type { Marketplace, Order } from './marketplace.ts'
import { checkCalls, explainBroken } from './placing.ts'
import type { FaultProxy } from './proxy.ts'
import { type Book, buyerOf, type Goods, newSale, type Sale, type Terms } from './sale.ts'
import type { Shop } from './shop.ts'

/** Milliseconds. */
const POLL = 150
const AFTERWARDS = 300
/** The longest delivery. */
const MAX_WAIT = 300_000

type Parts = {
  shop: Shop
  proxy: FaultProxy
  feed: Feed
  marketplace: Marketplace
  goods: Goods
  /** Milliseconds that the shop has for each step. */
  patience: number
  signal: AbortSignal
}

/** What a shop is waited for. */
type Wait = {
  sale: Sale
  /** What is wrong if nothing else explains that it does not come. */
  blame: Problem
  /** What must come: an end of the sale, or a sentence. */
  expected: End | { sentence: string }
}

export class Run {
  readonly shop
  readonly proxy
  readonly feed
  readonly marketplace
  readonly goods
  readonly patience
  readonly signal
  readonly #id = Date.now().toString(36)
  readonly #sales = new Map<Sale, Goods>()
  /** The sales that have ended as they must. */
  readonly #ended = new Map<Sale, End>()
  /** The source of the first order, and so of all. */
  #source: string | undefined

  constructor({ shop, proxy, feed, marketplace, goods, patience, signal }: Parts) {
    this.shop = shop
    this.proxy = proxy
    this.feed = feed
    this.marketplace = marketplace
    this.goods = goods
    this.patience = patience
    this.signal = signal
  }

  /** Returns a sale with a number of its own, which the proxy watches. */
  sale(terms?: Terms, goods: Goods = this.goods): Sale {
    const number = `check-${this.#id}-${String(this.#sales.size + 1).padStart(3, '0')}`
    const sale = newSale(number, goods, terms)
    this.#sales.set(sale, goods)
    this.proxy.watch(sale)
    return sale
  }

  /** Starts the messages and the shop. Returns whether the instance is `npm run dev`. */
  async open(): Promise<boolean> {
    await this.feed.open()
    await this.shop.start(this.signal).catch((error: unknown) => {
      throw error instanceof Finding ? new CommandError(error.lines.join(' ')) : error
    })
    return this.marketplace.isDev()
  }

  /** Cancels what waits for a wallet, so that nothing of the run stays in the stock. */
  async close() {
    for (const { number, buyer } of this.#sales.keys()) {
      const order = 'email' in buyer ? await this.marketplace.order(number) : undefined
      if (order?.state === 'open') await this.marketplace.client.cancelOrder({ order_id: order.id })
    }
  }

  /** Sells to a customer, and waits until the books and the marketplace have the end. */
  async sellUntil(end: End, sale: Sale, blame: Problem) {
    await this.shop.sell(sale)
    await this.settle(end, sale, blame)
  }

  /** Sells to a customer, with no message before the shop has an answer to its call. Throws a `Finding`. */
  async sellBeforeMessages(sale: Sale, blame: Problem) {
    this.feed.hold(sale)
    await this.shop.sell(sale)
    await this.releaseWhenAnswered(sale, blame)
  }

  /** Sells what waits until it is cancelled, and returns the event that says so. Throws a `Finding`. */
  async sellWaiting(terms: Terms = {}): Promise<{ sale: Sale; waiting: OrderEvent }> {
    const sale = this.sale({ ...terms, buyer: 'email' })
    await this.shop.sell(sale)
    return { sale, waiting: await this.event(sale, 'order.awaiting_wallet', 'not_placed') }
  }

  /** Waits until the shop has accepted the message about an event. Throws a `Finding`. */
  accepted(sale: Sale, event: OrderEvent) {
    const sentence = `${event.type} accepted by your shop`
    return this.until({ sale, blame: 'message_refused', sentence }, () =>
      this.feed.hasAccepted(event),
    )
  }

  /**
   * Waits until the shop has an answer to a call that places the order of a sale. Only then messages
   * about it arrive: they would tell the shop what an answer that was lost has told. Throws a `Finding`.
   */
  async releaseWhenAnswered(sale: Sale, blame: Problem) {
    const expected = { sentence: 'a call whose answer the shop has got' }
    await this.#waitFor({ sale, blame, expected }, async () => {
      this.checkCalls(sale)
      const calls = this.proxy.calls(sale, 'place')
      if (calls.some((call) => !call.isBroken && call.answeredAt !== undefined)) return true
      const { book, order } = await this.#facts(sale)
      return (order && book?.orderId === order.id) || undefined
    })
    this.feed.release(sale)
  }

  pause(milliseconds: number) {
    return wait(milliseconds, this.signal)
  }

  /** Waits for what a shop does after an answer. */
  afterwards() {
    return this.pause(AFTERWARDS)
  }

  /** Returns what the shop has in its books about a sale; undefined if nothing, or it is killed. */
  async book({ number }: Sale): Promise<Book | undefined> {
    return (await this.shop.books().catch(() => new Map<string, Book>())).get(number)
  }

  /** Waits until the books and the marketplace have the end of a sale. Throws a `Finding`. */
  async settle(end: End, sale: Sale, blame: Problem) {
    const wait = { sale, blame, expected: end }
    await this.#waitFor(wait, async () => (await this.#hasEnded(sale, end)) || undefined)
    this.#ended.set(sale, end)
  }

  /** Waits until the shop has ended a sale in one way or the other. Throws a `Finding`. */
  endOf(sale: Sale, blame: Problem): Promise<End> {
    const expected = { sentence: 'delivered or refunded' }
    return this.#waitFor({ sale, blame, expected }, async () => {
      this.checkCalls(sale)
      const state = (await this.book(sale))?.state
      return state === 'delivered' || state === 'refunded' ? state : undefined
    })
  }

  /** Waits until there is an event of a sale. Throws a `Finding`. */
  event(sale: Sale, type: OrderEvent['type'], blame: Problem) {
    return this.#waitFor({ sale, blame, expected: { sentence: `the event ${type}` } }, async () => {
      this.checkCalls(sale)
      return this.feed.events(sale).find((event) => event.type === type)
    })
  }

  /** Waits until something is true of a sale. Throws a `Finding`. */
  until(wait: Omit<Wait, 'expected'> & { sentence: string }, isTrue: () => boolean) {
    const { sentence, ...others } = wait
    return this.#waitFor({ ...others, expected: { sentence } }, async () => {
      this.checkCalls(wait.sale)
      return isTrue() || undefined
    })
  }

  /** Compares all sales that have ended once more. Throws a `Finding`. */
  async recheck() {
    for (const [sale, end] of this.#ended) {
      const mismatches = await this.#compare(sale, end)
      if (mismatches.length > 0) throw mismatch(sale, end, mismatches)
    }
  }

  /**
   * Asks until there is a result. The time of the shop is over when it has done nothing for long, and
   * the marketplace is not at work. Throws a `Finding`.
   */
  async #waitFor<T>(what: Wait, ask: () => Promise<T | undefined>): Promise<T> {
    const limit = Date.now() + MAX_WAIT
    for (let deadline = Date.now() + this.patience; ; await wait(POLL, this.signal)) {
      this.feed.requireReading()
      this.shop.requireRunning()
      const result = await ask()
      if (result !== undefined) return result
      if (Date.now() < deadline) continue
      const { number } = what.sale
      if (Date.now() > limit)
        throw new CommandError(`The marketplace has not ended the order of sale ${number}.`)
      const order = await this.marketplace.order(number)
      if (!order?.isUnderWay) throw await this.#explain(what)
      deadline = Date.now() + this.patience
    }
  }

  async #hasEnded(sale: Sale, end: End): Promise<boolean> {
    const book = await this.book(sale)
    this.checkCalls(sale)
    const isRefunded = book?.state === 'refunded' || (book?.refunds.length ?? 0) > 0
    if (!book || (book.state !== end && !isRefunded)) return false
    const order = await this.marketplace.order(sale.number)
    const mismatches = compareBooks(sale, end, { book, order })
    if (mismatches.some(({ problem }) => problem)) throw mismatch(sale, end, mismatches)
    if (mismatches.length > 0) return false
    const others = await this.#compareDelivery(sale, end, order)
    if (others.length > 0) throw mismatch(sale, end, others)
    return true
  }

  async #facts(sale: Sale) {
    return { book: await this.book(sale), order: await this.marketplace.order(sale.number) }
  }

  async #compare(sale: Sale, end: End): Promise<Mismatch[]> {
    const facts = await this.#facts(sale)
    const delivery = await this.#compareDelivery(sale, end, facts.order)
    return [...compareBooks(sale, end, facts), ...delivery]
  }

  async #compareDelivery(sale: Sale, end: End, order: Order | undefined): Promise<Mismatch[]> {
    const goods = this.#sales.get(sale) ?? this.goods
    const isWallet = 'wallet' in sale.buyer
    const pieces = isWallet ? await this.marketplace.balance(goods, buyerOf(sale)) : undefined
    const wallet = compareWallet(sale, end, pieces)
    if (!order) return wallet
    this.#source ??= order.source
    const item = (await this.marketplace.read(order.id))?.orderItems[0]
    const facts = { order, source: this.#source, recipient: item?.ethRecipient ?? null }
    return [...compareOrder(sale, goods, facts), ...wallet]
  }

  /** Throws a `Finding` if the calls that place the order of a sale are wrong. */
  checkCalls(sale: Sale) {
    checkCalls(sale, this.proxy.calls(sale, 'place'), this.proxy.orders(sale))
  }

  async #explain({ sale, blame, expected }: Wait): Promise<Finding> {
    const last = this.proxy.calls(sale, 'place').at(-1)
    const seen = `Sale ${sale.number}:`
    const differences: Mismatch[] =
      typeof expected === 'string'
        ? await this.#compare(sale, expected)
        : [{ what: 'the sale', expected: expected.sentence, found: await this.#describe(sale) }]
    const find = (problem: Problem, sentence: string, first: Difference[] = []) =>
      new Finding(problem, `${seen} ${sentence}`, [...first, ...differences])
    const broken = last && explainBroken(last)
    if (broken) return find(broken.problem, broken.sentence, [broken.difference])
    const wrong = differences.find(({ problem }) => problem)?.problem
    if (wrong) return find(wrong, 'it has not ended as it must.')
    const refusal = this.feed.refusal(sale)
    if (refusal)
      return find('message_refused', 'a message was not accepted.', [
        { what: 'answer to the message', expected: '2xx', found: refusal },
      ])
    const isPlaced = last || blame === 'forgotten'
    return find(isPlaced ? blame : 'not_placed', 'it has not ended as it must.')
  }

  /** Returns what the books and the marketplace have. */
  async #describe(sale: Sale): Promise<string> {
    const { book, order } = await this.#facts(sale)
    const books = book ? `${book.state} in your books` : 'nothing in your books'
    return `${books}, ${order ? `order ${order.id} is ${order.state}` : 'no order'}`
  }
}

const mismatch = (sale: Sale, end: End, mismatches: readonly Mismatch[]): Finding => {
  const problem = mismatches.find(({ problem }) => problem)?.problem ?? 'wrong_books'
  return new Finding(problem, `Sale ${sale.number} must be ${end}.`, mismatches)
}
