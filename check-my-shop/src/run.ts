/** A run: what its scenarios share. */

import { CommandError } from '../../client/src/cli/command.ts'
import { wait } from '../../client/src/retry.ts'
import { Audit, type Parts as AuditParts, type Wait } from './audit.ts'
import type { End } from './compare.ts'
import type { OrderEvent } from './feed.ts'
import { Finding, type Problem } from './finding.ts'
import { type Book, type Goods, newSale, type Sale, type Terms } from './sale.ts'

/** Milliseconds. */
const POLL = 150
const AFTERWARDS = 300
/** The longest delivery. */
const MAX_WAIT = 300_000

type Parts = AuditParts & {
  goods: Goods
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
  readonly #audit
  readonly #id = Date.now().toString(36)
  readonly #sales: Sale[] = []
  /** The sales that have ended as they must. */
  readonly #ended = new Map<Sale, End>()

  constructor({ shop, proxy, feed, marketplace, goods, patience, signal }: Parts) {
    this.shop = shop
    this.proxy = proxy
    this.feed = feed
    this.marketplace = marketplace
    this.goods = goods
    this.patience = patience
    this.signal = signal
    this.#audit = new Audit({ shop, proxy, feed, marketplace })
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
      throw error instanceof Finding ? new CommandError(error.lines.join(' ')) : error
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
      return (await this.#audit.isAnswered(sale)) || undefined
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
  book(sale: Sale): Promise<Book | undefined> {
    return this.#audit.book(sale)
  }

  /** Throws a `Finding` if the calls that place the order of a sale are wrong. */
  checkCalls(sale: Sale) {
    this.#audit.checkCalls(sale)
  }

  /** Waits until the books and the marketplace have the end of a sale. Throws a `Finding`. */
  async settle(end: End, sale: Sale, blame: Problem) {
    const wait = { sale, blame, expected: end }
    await this.#waitFor(wait, async () => (await this.#audit.hasEnded(sale, end)) || undefined)
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
    return this.until({ sale, blame, sentence: `the event ${type}` }, () =>
      this.feed.events(sale).find((event) => event.type === type),
    )
  }

  /** Asks until there is a result that is not false. Throws a `Finding`. */
  until<T>(wait: Omit<Wait, 'expected'> & { sentence: string }, ask: () => T | false | undefined) {
    const { sentence, ...others } = wait
    return this.#waitFor({ ...others, expected: { sentence } }, async () => {
      this.checkCalls(wait.sale)
      return ask() || undefined
    })
  }

  /** Compares all sales that have ended once more. Throws a `Finding`. */
  async recheck() {
    await this.#audit.requireEnds(this.#ended)
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
      if (!order?.isUnderWay) throw await this.#audit.explain(what)
      deadline = Date.now() + this.patience
    }
  }
}
