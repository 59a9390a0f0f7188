/** The proxy between the shop and the marketplace. It simulates faults, and notes what the shop calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { FaultList, type HttpFault, type Occasions, sendFault } from '../faults.ts'
import { buyerOf, type Sale } from './sale.ts'

type Fault = Occasions & {
  call: 'place' | 'cancel'
  sale: Sale
  effect: HttpFault
  /** Is called before the answer. */
  onHit?: (() => Promise<void>) | undefined
}

/** A call that places the order of a sale. */
type Placing = {
  sale: string
  at: number
  /** Undefined while there is no answer: the call hangs. */
  answeredAt?: number
  /** Null if the connection was cut. */
  status?: number | null
  /** Before this time the call must not be repeated. */
  notBefore: number
  /** Whether the shop saw a fault. */
  isBroken: boolean
}

/** Milliseconds by which clocks and connections may differ. */
const TOLERANCE = 50

/** Headers that are about one connection, or about bytes that `fetch` has decoded. */
const DROPPED = ['connection', 'content-encoding', 'content-length', 'host', 'transfer-encoding']

export class FaultProxy {
  readonly #target: string
  readonly #faults = new FaultList<Fault>()
  readonly #sales = new Map<string, Sale>()
  readonly #placings: Placing[] = []
  /** The ids of the orders that the marketplace has placed for each sale. */
  readonly #orders = new Map<string, Set<number>>()
  readonly server

  constructor(target: string) {
    this.#target = target.replace(/\/$/, '')
    this.server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  watch(sale: Sale) {
    this.#sales.set(sale.number, sale)
  }

  /** Breaks the next call that places the order of a sale, or so many. */
  break(sale: Sale, effect: HttpFault, { times = 1, onHit }: Pick<Fault, 'times' | 'onHit'> = {}) {
    this.#faults.add({ call: 'place', sale, effect, times, onHit })
  }

  /**
   * Accepts the next cancellation of a sale, with these orders as the answer, and forgets it. Returns
   * a function that tells whether it came.
   */
  loseCancellation(sale: Sale, orders: readonly object[]): () => boolean {
    let isLost = false
    const onHit = async () => {
      isLost = true
    }
    const cancelRequestedAt = new Date().toISOString()
    const body = { orders: orders.map((order) => ({ ...order, cancelRequestedAt })) }
    const effect: HttpFault = { http: 200, reach: 'none', body }
    this.#faults.add({ call: 'cancel', sale, effect, times: 1, onHit })
    return () => isLost
  }

  placings({ number }: Sale): Placing[] {
    return this.#placings.filter(({ sale }) => sale === number)
  }

  orders({ number }: Sale): number[] {
    return [...(this.#orders.get(number) ?? [])]
  }

  /** Orders that were placed before have other ids, or are gone. */
  forgetOrders() {
    this.#orders.clear()
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url: path = '' } = request
    const body = await buffer(request)
    const isPlacing = /^(PUT|POST) \/api\/externalOrders(\/by-number\/[^/]*)?(\?.*)?$/
    const sale = isPlacing.test(`${method} ${path}`) ? this.#saleIn(`${path} ${body}`) : undefined
    const placing = sale && this.#note(sale)
    const [, id] = /^POST \/api\/externalOrders\/(\d+)\/cancel$/.exec(`${method} ${path}`) ?? []
    const fault = this.#faults.find((fault) =>
      fault.call === 'cancel' ? this.orders(fault.sale).includes(Number(id)) : fault.sale === sale,
    )
    const answer =
      fault?.effect.reach === 'none' ? undefined : await this.#forward(request, path, body)
    if (sale && answer?.ok) this.#noteOrders(sale, answer.body)
    if (fault) {
      if (placing) end(placing, fault.effect)
      await fault.onHit?.()
      return sendFault(response, fault.effect, {
        part: '{"orders":[{"id":',
        breakConnection: (how) => how === 'drop' && response.destroy(),
      })
    }
    if (!answer) return
    if (placing) Object.assign(placing, { answeredAt: Date.now(), status: answer.status })
    response.writeHead(answer.status, answer.headers).end(answer.body)
  }

  /** The buyer names the sale if the shop has taken another number. */
  #saleIn(request: string): Sale | undefined {
    const text = decodeURIComponent(request.replace(/%(?![\da-f]{2})/gi, '%25')).toLowerCase()
    return [...this.#sales.values()].find((sale) =>
      [buyerOf(sale), `/${sale.number}`, `"${sale.number}"`].some((name) =>
        text.includes(name.toLowerCase()),
      ),
    )
  }

  #note({ number }: Sale): Placing {
    const placing = { sale: number, at: Date.now(), notBefore: 0, isBroken: false }
    this.#placings.push(placing)
    return placing
  }

  #noteOrders({ number }: Sale, body: Buffer) {
    const { orders = [] } = JSON.parse(String(body)) as { orders?: { id: number }[] }
    const ids = this.#orders.get(number) ?? new Set()
    for (const { id } of orders) ids.add(id)
    this.#orders.set(number, ids)
  }

  async #forward(
    { method = '', headers }: IncomingMessage,
    path: string,
    body: Buffer<ArrayBuffer>,
  ) {
    const kept = Object.entries(headers).filter(([name]) => !DROPPED.includes(name))
    const response = await fetch(this.#target + path, {
      ...{ method, redirect: 'manual', signal: AbortSignal.timeout(60_000) },
      headers: kept.map(([name, value]): [string, string] => [name, String(value)]),
      ...(method !== 'GET' && method !== 'HEAD' && { body }),
    })
    return {
      ...{ ok: response.ok, status: response.status },
      body: Buffer.from(await response.arrayBuffer()),
      headers: Object.fromEntries(
        [...response.headers].filter(([name]) => !DROPPED.includes(name)),
      ),
    }
  }
}

function end(placing: Placing, { http, retryAfter = 0 }: HttpFault) {
  placing.isBroken = true
  if (http === 'hang') return
  placing.answeredAt = Date.now()
  placing.status = typeof http === 'number' ? http : null
  placing.notBefore = Date.now() + retryAfter * 1000 - TOLERANCE
}
