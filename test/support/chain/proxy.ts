/** A JSON-RPC proxy that misbehaves on command. One for each chain. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import {
  alreadyKnown,
  BROKEN,
  type Counts,
  type Effect,
  type Fault,
  nonceTooLow,
  type Reach,
  randomFrom,
  underpriced,
  type Weather,
} from './faults.ts'
import { type Answer, asOfBlock, type Call, type Forward, heightOf } from './stale.ts'

type Spoilt = { http: 'drop' | 'hang' | 'malformed' | number; reach: Reach }
const spoilsAll = (effect: Effect): effect is Spoilt => 'http' in effect

export class RpcProxy {
  #faults: { fault: Fault; seen: number }[] = []
  #weather: (() => Effect | undefined) | undefined
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

  /** Replaces the faults that were set before, the random ones included. */
  setFaults(faults: readonly Fault[], weather?: Weather) {
    this.#faults = faults.map((fault) => ({ fault, seen: 0 }))
    this.#weather = weather && drawnFrom(weather)
  }

  /** The counts since the last time they were taken. */
  takeCounts(): Counts {
    const counts = this.#counts
    this.#counts = { requests: 0, calls: {} }
    return counts
  }

  async answer(request: IncomingMessage, response: ServerResponse) {
    const body = (await json(request)) as Call | Call[]
    const calls = Array.isArray(body) ? body : [body]
    this.#count(calls)
    const chosen = this.#choose(calls)
    const spoilt = chosen.find((effect) => effect && spoilsAll(effect))
    if (spoilt && spoilsAll(spoilt)) return this.#spoil(spoilt, calls, response)
    const answers = await this.#answers(calls, chosen)
    response.setHeader('content-type', 'application/json')
    // A batch may be answered in any order, so it is never answered in the order asked.
    response.end(JSON.stringify(Array.isArray(body) ? answers.reverse() : answers[0]))
  }

  #count(calls: readonly Call[]) {
    this.#counts.requests++
    for (const { method } of calls) {
      this.#counts.calls[method] = (this.#counts.calls[method] ?? 0) + 1
    }
  }

  /** The effect on each call, by the first fault that hits it. */
  #choose(calls: readonly Call[]): (Effect | undefined)[] {
    const drawn = this.#weather?.()
    const met = new Set<object>()
    return calls.map(({ method }) => {
      const hit = this.#faults.find((entry) => {
        const { on, skip = 0, times = Number.POSITIVE_INFINITY, effect } = entry.fault
        if (on && !on.includes(method)) return false
        // A fault of the whole request counts requests, any other one counts calls.
        if (!spoilsAll(effect) || !met.has(entry)) entry.seen++
        met.add(entry)
        return entry.seen > skip && entry.seen <= skip + times
      })
      return hit?.fault.effect ?? (drawn && suits(drawn, method) ? drawn : undefined)
    })
  }

  async #spoil({ http, reach }: Spoilt, calls: readonly Call[], response: ServerResponse) {
    const far = { none: 0, half: Math.ceil(calls.length / 2), all: calls.length }[reach]
    await this.#forward(calls.slice(0, far))
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
    await this.#forget(effects, answers)
    return answers
  }

  async #forget(effects: readonly (Effect | undefined)[], answers: readonly Answer[]) {
    const hashes = answers.filter(
      ({ result }, i) => effects[i] && 'forget' in effects[i] && typeof result === 'string',
    )
    await this.#forward(
      hashes.map(({ id, result }) => ({
        jsonrpc: '2.0',
        id,
        method: 'anvil_dropTransaction',
        params: [result],
      })),
    )
  }
}

type Plan = { forward?: Call; finish(answer: Answer | undefined): Answer }

/** What is sent to the node for a call, and how its answer is changed. */
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

const SENDING = 'eth_sendRawTransaction'
const RECEIPT = 'eth_getTransactionReceipt'

/** Some effects make sense for one method only. */
function suits(effect: Effect, method: string): boolean {
  if ('error' in effect || 'forget' in effect) return method === SENDING
  if ('result' in effect) return method === RECEIPT
  return true
}

const everyEffect: readonly Effect[] = [
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
  { forget: true },
]

/** One draw for each HTTP request: usually nothing, else one of every effect alike. */
function drawnFrom({ seed, rate }: Weather): () => Effect | undefined {
  const random = randomFrom(seed)
  return () => {
    const [hit, which] = [random(), random()]
    return hit < rate ? everyEffect[Math.floor(which * everyEffect.length)] : undefined
  }
}
