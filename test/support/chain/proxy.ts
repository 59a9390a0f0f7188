/** A JSON-RPC proxy that simulates faults. Each chain has one. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import {
  alreadyKnown,
  BROKEN,
  type Counts,
  type Effect,
  type Fault,
  type HttpFault,
  nonceTooLow,
  type RandomFaults,
  randomFrom,
  underpriced,
} from './faults.ts'
import { type Answer, asOfBlock, type Call, type Forward, heightOf } from './stale.ts'

const isHttpFault = (effect: Effect | undefined): effect is HttpFault =>
  effect !== undefined && 'http' in effect

export class RpcProxy {
  #faults: { fault: Fault; seen: number }[] = []
  #drawFault: (() => Effect | undefined) | undefined
  #counts: Counts = { requests: 0, calls: {} }
  readonly #forward: Forward

  constructor(nodeUrl: string) {
    this.#forward = async (calls) => {
      if (calls.length === 0) return []
      const response = await fetch(nodeUrl, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(calls),
      })
      return (await response.json()) as Answer[]
    }
  }

  /** Replaces all faults, the random ones included. */
  setFaults(faults: readonly Fault[], random?: RandomFaults) {
    this.#faults = faults.map((fault) => ({ fault, seen: 0 }))
    this.#drawFault = random && randomEffects(random)
  }

  /** Returns the counts since the last `takeCounts`. */
  takeCounts(): Counts {
    const counts = this.#counts
    this.#counts = { requests: 0, calls: {} }
    return counts
  }

  async answer(request: IncomingMessage, response: ServerResponse) {
    const body = (await json(request)) as Call | Call[]
    const calls = Array.isArray(body) ? body : [body]
    this.#count(calls)
    const effects = this.#chooseEffects(calls)
    const httpFault = effects.find(isHttpFault)
    if (httpFault) return this.#sendBroken(httpFault, calls, response)
    const answers = await this.#answers(calls, effects)
    response.setHeader('content-type', 'application/json')
    // Nodes may answer a batch in any order. The reverse order finds clients that rely on it.
    response.end(JSON.stringify(Array.isArray(body) ? answers.reverse() : answers[0]))
  }

  #count(calls: readonly Call[]) {
    this.#counts.requests++
    for (const { method } of calls) {
      this.#counts.calls[method] = (this.#counts.calls[method] ?? 0) + 1
    }
  }

  /** Returns the effect of the first fault that applies to each call. */
  #chooseEffects(calls: readonly Call[]): (Effect | undefined)[] {
    const drawn = this.#drawFault?.()
    const counted = new Set<object>()
    return calls.map(({ method }) => {
      const match = this.#faults.find((entry) => {
        const { on, skip = 0, times = Number.POSITIVE_INFINITY, effect } = entry.fault
        if (on && !on.includes(method)) return false
        // An HTTP fault counts requests. Other faults count calls.
        if (!isHttpFault(effect) || !counted.has(entry)) entry.seen++
        counted.add(entry)
        return entry.seen > skip && entry.seen <= skip + times
      })
      return match?.fault.effect ?? (drawn && appliesTo(drawn, method) ? drawn : undefined)
    })
  }

  async #sendBroken({ http, reach }: HttpFault, calls: readonly Call[], response: ServerResponse) {
    const forwardedCalls = { none: 0, half: Math.ceil(calls.length / 2), all: calls.length }[reach]
    await this.#forward(calls.slice(0, forwardedCalls))
    if (http === 'malformed') response.end('{"jsonrpc":"2.0","id":')
    else if (typeof http === 'number') response.writeHead(http).end(`status ${http}`)
    else response.writeHead(502, { [BROKEN]: http }).end()
  }

  async #answers(calls: readonly Call[], effects: readonly (Effect | undefined)[]) {
    const stale = effects.some((effect) => effect && ('behind' in effect || 'asOf' in effect))
    const head = stale ? await heightOf(this.#forward) : 0
    const plans = calls.map((call, i) => plan(call, effects[i], head))
    const forwarded = await this.#forward(plans.flatMap(({ forward }) => forward ?? []))
    const byId = new Map(forwarded.map((answer) => [answer.id, answer]))
    const answers = plans.map(({ finish }, i) => finish(byId.get(calls[i]?.id ?? -1)))
    await this.#dropTransactions(effects, answers)
    return answers
  }

  async #dropTransactions(effects: readonly (Effect | undefined)[], answers: readonly Answer[]) {
    const dropped = answers.filter(
      ({ result }, i) =>
        effects[i] && 'dropTransaction' in effects[i] && typeof result === 'string',
    )
    await this.#forward(
      dropped.map(({ id, result }) => ({
        jsonrpc: '2.0',
        id,
        method: 'anvil_dropTransaction',
        params: [result],
      })),
    )
  }
}

type Plan = { forward?: Call; finish(answer: Answer | undefined): Answer }

/** Returns what to forward to the node for a call, and how to change its answer. */
function plan(call: Call, effect: Effect | undefined, head: number): Plan {
  const { id } = call
  const missing = { jsonrpc: '2.0', id, error: { code: -32603, message: 'no answer' } } as const
  if (effect && 'result' in effect) {
    return { finish: () => ({ jsonrpc: '2.0', id, result: effect.result }) }
  }
  if (effect && 'error' in effect) {
    const finish = () => ({ jsonrpc: '2.0', id, error: effect.error }) as const
    return effect.reach === 'all' ? { forward: call, finish } : { finish }
  }
  if (effect && 'behind' in effect) return asOfBlock(call, Math.max(0, head - effect.behind))
  if (effect && 'asOf' in effect) return asOfBlock(call, Math.min(head, effect.asOf))
  return { forward: call, finish: (answer) => answer ?? missing }
}

const SEND = 'eth_sendRawTransaction'
const RECEIPT = 'eth_getTransactionReceipt'

/** Some effects are realistic for one method only. */
function appliesTo(effect: Effect, method: string): boolean {
  if ('error' in effect || 'dropTransaction' in effect) return method === SEND
  if ('result' in effect) return method === RECEIPT
  return true
}

const allEffects: readonly Effect[] = [
  { http: 'drop', reach: 'none' },
  { http: 'drop', reach: 'half' },
  { http: 'drop', reach: 'all' },
  { http: 429, reach: 'none' },
  { http: 503, reach: 'half' },
  { http: 502, reach: 'all' },
  { http: 'malformed', reach: 'all' },
  { error: alreadyKnown, reach: 'all' },
  { error: alreadyKnown, reach: 'none' },
  { error: underpriced, reach: 'all' },
  { error: underpriced, reach: 'none' },
  { error: nonceTooLow, reach: 'all' },
  { error: nonceTooLow, reach: 'none' },
  { error: { code: -32603, message: 'internal error' }, reach: 'none' },
  { result: null },
  { behind: 3 },
  { behind: 20 },
  { dropTransaction: true },
]

/** Returns a function that draws an effect, with the probability `rate`, or nothing. */
function randomEffects({ seed, rate }: RandomFaults): () => Effect | undefined {
  const random = randomFrom(seed)
  return () => {
    const [hit, which] = [random(), random()]
    return hit < rate ? allEffects[Math.floor(which * allEffects.length)] : undefined
  }
}
