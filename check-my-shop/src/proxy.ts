/** The proxy between the shop and the marketplace. It simulates faults, and notes what the shop calls. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { FaultList, type HttpFault, type Occasions, sendFault } from './faults.ts'
import { answerForeign, type ForeignOrder, withForeign } from './foreign.ts'
import { buyerOf, type Sale } from './sale.ts'

type Kind = 'place' | 'cancel'

type Fault = Occasions & {
  kind: Kind
  sale: Sale
  effect: HttpFault
  /** Is called before the answer. */
  onHit?: (() => Promise<void>) | undefined
  isOver?: boolean
}

/** A call that places or cancels the order of a sale. */
export type Call = {
  kind: Kind
  sale: Sale
  /** The order number that the call has placed under. Null if it had none, or cancels. */
  number: string | null
  at: number
  /** Undefined while there is no answer: the call hangs. */
  answeredAt?: number
  /** Null if the connection was cut. */
  status?: number | null
  /** Milliseconds for which the call must not be repeated after the answer. */
  retryAfter: number
  /** Whether the shop saw a fault. */
  isBroken: boolean
}

/** Headers that are about one connection, or about bytes that `fetch` has decoded. */
const DROPPED = ['connection', 'content-encoding', 'content-length', 'host', 'transfer-encoding']

export class FaultProxy {
  readonly #target: string
  readonly #faults = new FaultList<Fault>()
  readonly #sales: Sale[] = []
  readonly #calls: Call[] = []
  readonly #foreign: ForeignOrder[] = []
  /** The ids of the orders that the marketplace has placed for each sale. */
  readonly #orders = new Map<Sale, Set<number>>()
  readonly server

  constructor(target: string) {
    this.#target = target.replace(/\/$/, '')
    this.server = createServer((request, response) => {
      this.#answer(request, response).catch(() => response.destroy())
    })
  }

  watch(sale: Sale) {
    this.#sales.push(sale)
  }

  /** Breaks the next call of a kind about a sale, or so many. Returns a function that ends it. */
  break(
    sale: Sale,
    effect: HttpFault,
    { kind = 'place', times = 1, onHit }: Partial<Pick<Fault, 'kind' | 'times' | 'onHit'>> = {},
  ): () => void {
    const fault: Fault = { kind, sale, effect, times, onHit }
    this.#faults.add(fault)
    return () => {
      fault.isOver = true
    }
  }

  /** Tells about an order of another shop, as the marketplace tells about its own. */
  addForeign(order: ForeignOrder) {
    this.#foreign.push(order)
  }

  calls(sale: Sale, kind: Kind): Call[] {
    return this.#calls.filter((call) => call.sale === sale && call.kind === kind)
  }

  orders(sale: Sale): number[] {
    return [...(this.#orders.get(sale) ?? [])]
  }

  /** Orders that were placed before have other ids, or are gone. */
  forgetOrders() {
    this.#orders.clear()
  }

  async #answer(request: IncomingMessage, response: ServerResponse) {
    const { method = '', url: path = '' } = request
    const body = await buffer(request)
    const foreign = answerForeign(this.#foreign, method, path)
    if (foreign) {
      response.writeHead(200, { ...foreign.headers, 'content-type': 'application/json' })
      return response.end(JSON.stringify(foreign.body))
    }
    const call = this.#noteCall(method, path, body)
    const fault = this.#faults.find(
      ({ sale, kind, isOver }) => !isOver && sale === call?.sale && kind === call.kind,
    )
    const answer =
      fault?.effect.reach === 'none' ? undefined : await this.#forward(request, path, body)
    if (call?.kind === 'place' && answer?.ok) this.#noteOrders(call.sale, answer.body)
    if (fault) {
      if (call) end(call, fault.effect)
      await fault.onHit?.()
      return sendFault(response, fault.effect, {
        part: '{"orders":[{"id":',
        breakConnection: (how) => how === 'drop' && response.destroy(),
      })
    }
    if (!answer) return
    if (call) Object.assign(call, { answeredAt: Date.now(), status: answer.status })
    const text =
      method === 'GET' && answer.ok ? withForeign(this.#foreign, path, answer.body) : answer.body
    response.writeHead(answer.status, answer.headers).end(text)
  }

  #noteCall(method: string, path: string, body: Buffer): Call | undefined {
    const found = this.#findPlacing(method, path, body) ?? this.#findCancellation(method, path)
    if (!found) return undefined
    const call = { ...found, at: Date.now(), retryAfter: 0, isBroken: false }
    this.#calls.push(call)
    return call
  }

  /** The buyer names the sale if the shop has taken another number. */
  #findPlacing(method: string, path: string, body: Buffer) {
    const [, inPath] =
      /^PUT \/api\/externalOrders\/by-number\/([^/?]*)/.exec(`${method} ${path}`) ?? []
    if (inPath === undefined && !/^POST \/api\/externalOrders(\?|$)/.test(`${method} ${path}`))
      return undefined
    for (const order of parseOrders(body)) {
      const number = inPath === undefined ? order.providerId : decode(inPath)
      const text = JSON.stringify(order.buyer ?? '').toLowerCase()
      const sale =
        this.#sales.find((sale) => sale.number === number) ??
        this.#sales.find((sale) => text.includes(buyerOf(sale).toLowerCase()))
      if (sale) return { kind: 'place', sale, number: number ?? null } as const
    }
    return undefined
  }

  #findCancellation(method: string, path: string) {
    const [, id] = /^POST \/api\/externalOrders\/(\d+)\/cancel/.exec(`${method} ${path}`) ?? []
    const sale = this.#sales.find((sale) => this.orders(sale).includes(Number(id)))
    return sale && ({ kind: 'cancel', sale, number: null } as const)
  }

  #noteOrders(sale: Sale, body: Buffer) {
    const { orders = [] } = JSON.parse(String(body)) as { orders?: { id: number }[] }
    this.#orders.set(sale, new Set([...this.orders(sale), ...orders.map(({ id }) => id)]))
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

type SentOrder = { providerId?: string | null; buyer?: unknown }

/** Returns the orders of a call; none if the body is something else. */
function parseOrders(body: Buffer): SentOrder[] {
  try {
    const orders = [JSON.parse(String(body))].flat()
    return orders.filter((order) => typeof order === 'object' && order !== null)
  } catch {
    return []
  }
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

function end(call: Call, { http, retryAfter = 0 }: HttpFault) {
  call.isBroken = true
  if (http === 'hang') return
  call.answeredAt = Date.now()
  call.status = typeof http === 'number' ? http : null
  call.retryAfter = retryAfter * 1000
}
