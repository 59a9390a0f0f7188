/** A run: what its scenarios share. */
import { wait } from '../../retry.ts'
import { CommandError } from '../command.ts'
import type { Feed, OrderEvent } from './feed.ts'
import { Finding, type Problem } from './finding.ts'
import type { Marketplace, Order } from './marketplace.ts'
import type { FaultProxy } from './proxy.ts'
import { type Book, type Goods, newSale, paidCents, type Sale, type Terms } from './sale.ts'
import type { Shop } from './shop.ts'

/** Milliseconds. */
const POLL = 150
/** The longest delivery. */
const MAX_WAIT = 300_000

type End = 'delivered' | 'refunded'

type Parts = {
  shop: Shop
  proxy: FaultProxy
  feed: Feed
  marketplace: Marketplace
  goods: Goods & { available: number | null }
  /** Milliseconds that the shop has for each step. */
  patience: number
  signal: AbortSignal
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
  readonly #sales: Sale[] = []

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
    const number = `check-${this.#id}-${String(this.#sales.length + 1).padStart(3, '0')}`
    const sale = newSale(number, goods, terms)
    this.#sales.push(sale)
    this.proxy.watch(sale)
    return sale
  }

  /** Starts the messages and the shop. Returns whether the instance is `npm run dev`. */
  async open(): Promise<boolean> {
    await this.feed.open()
    await this.shop.start(this.signal).catch((error: unknown) => {
      throw error instanceof Finding ? new CommandError(error.message) : error
    })
    return this.marketplace.isDev()
  }

  /** Cancels what waits for a wallet, so that nothing of the run stays in the stock. */
  async close() {
    for (const { number, buyer } of this.#sales) {
      const order = 'email' in buyer ? await this.marketplace.order(number) : undefined
      if (order?.state === 'open') await this.marketplace.client.cancelOrder({ order_id: order.id })
    }
  }

  /** Sells to a customer, and waits until the books and the marketplace have the end. */
  async sellUntil(end: End, sale: Sale, blame: Problem) {
    await this.shop.sell(sale)
    await this.settle(end, sale, blame)
  }

  pause(milliseconds: number) {
    return wait(milliseconds, this.signal)
  }

  /** Waits until the books and the marketplace have the end of a sale. Throws a `Finding`. */
  settle(end: End, sale: Sale, blame: Problem) {
    return this.#waitFor(sale, blame, async () => (await this.#isSettled(end, sale)) || undefined)
  }

  /** Waits until there is an event of a sale. Throws a `Finding`. */
  event(sale: Sale, type: OrderEvent['type'], blame: Problem) {
    return this.#waitFor(sale, blame, async () => {
      this.#checkCalls(sale)
      return this.feed.events(sale).find((event) => event.type === type)
    })
  }

  /** Waits until something is true of a sale. Throws a `Finding`. */
  until(sale: Sale, blame: Problem, isTrue: () => boolean) {
    return this.#waitFor(sale, blame, async () => isTrue() || undefined)
  }

  /**
   * Asks until there is a result. The time of the shop is over when it has done nothing for long, and
   * the marketplace is not at work. Throws a `Finding`: `blame` if nothing else explains it.
   */
  async #waitFor<T>(sale: Sale, blame: Problem, ask: () => Promise<T | undefined>): Promise<T> {
    const limit = Date.now() + MAX_WAIT
    for (let deadline = Date.now() + this.patience; ; await wait(POLL, this.signal)) {
      this.feed.requireReading()
      this.shop.requireRunning()
      const result = await ask()
      if (result !== undefined) return result
      if (Date.now() < deadline) continue
      if (Date.now() > limit)
        throw new CommandError(`The marketplace has not ended the order of sale ${sale.number}.`)
      const order = await this.marketplace.order(sale.number)
      if (!order?.isUnderWay) throw this.#explain(sale, blame, await this.describe(sale))
      deadline = Date.now() + this.patience
    }
  }

  async #isSettled(end: End, sale: Sale): Promise<boolean> {
    const book = (await this.shop.books().catch(() => new Map<string, Book>())).get(sale.number)
    this.#checkCalls(sale)
    if (!book) return false
    await this.#checkRefunds(sale, book)
    if (book.state !== end) return false
    const order = await this.marketplace.order(sale.number)
    if (end === 'refunded')
      return (!order || order.state === 'cancelled') && book.refundedCents === paidCents(sale)
    return order?.state === 'delivered' && book.orderId === order.id && book.txId === order.txId
  }

  #checkCalls(sale: Sale) {
    const placings = this.proxy.placings(sale)
    for (const [i, { notBefore, answeredAt = 0, status }] of placings.entries()) {
      const next = placings[i + 1]
      if (next && next.at < notBefore)
        throw new Finding(
          'called_early',
          `The call came again ${next.at - answeredAt} ms after ${status} with Retry-After.`,
        )
    }
    const orders = this.proxy.orders(sale)
    if (orders.length > 1)
      throw new Finding('placed_twice', `Sale ${sale.number} has the orders ${orders.join(', ')}.`)
  }

  async #checkRefunds(sale: Sale, { state, refundedCents = 0 }: Book) {
    const paid = paidCents(sale)
    if (refundedCents > paid)
      throw new Finding(
        'refunded_twice',
        `Sale ${sale.number} was paid with ${paid} cents, and ${refundedCents} are refunded.`,
      )
    if (state !== 'refunded' && refundedCents === 0) return
    const order = await this.marketplace.order(sale.number)
    if (order && order.state !== 'cancelled')
      throw new Finding(
        'refunded_early',
        `Sale ${sale.number} is refunded while its order ${order.id} is ${order.status ?? 'queued'}.`,
      )
  }

  #explain(sale: Sale, blame: Problem, seen: string): Finding {
    const last = this.proxy.placings(sale).at(-1)
    if (last?.isBroken && last.answeredAt === undefined)
      return new Finding('no_timeout', `A call without an answer was not given up. ${seen}`)
    if (last?.isBroken) return new Finding('not_repeated', `The call was not sent again. ${seen}`)
    const refusal = this.feed.refusal(sale)
    if (refusal) return new Finding('message_refused', `${refusal}. ${seen}`)
    return new Finding(last || blame === 'forgotten' ? blame : 'not_placed', seen)
  }

  /** Returns what the books and the marketplace say, as a sentence. */
  async describe({ number }: Sale): Promise<string> {
    const book = await this.shop.books().then(
      (books) => books.get(number),
      () => undefined,
    )
    const order = await this.marketplace.order(number)
    const { state, orderId, txId, refundedCents = 0 } = book ?? {}
    const details = [
      orderId && `order ${orderId}`,
      txId && `transaction ${txId}`,
      refundedCents > 0 && `${refundedCents} cents refunded`,
    ].filter(Boolean)
    const books = book ? [state, ...details].join(', ') : 'nothing'
    return `Your books have ${books} for sale ${number}; the marketplace has ${describeOrder(order)}.`
  }
}

const describeOrder = (order: Order | undefined): string =>
  order
    ? `order ${order.id}, ${order.state}${order.txId ? ` by transaction ${order.txId}` : ''}`
    : 'no order'
