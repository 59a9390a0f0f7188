/** A JSON-RPC proxy that simulates faults. Each chain has one. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { FaultList, sendFault } from '../../../check-my-shop/src/faults.ts'
import {
  alreadyKnown,
  BROKEN,
  type Counts,
  type Effect,
  type Fault,
  limitExceeded,
  nonceTooLow,
  type RandomFaults,
  type RpcHttpFault,
  randomFrom,
  underpriced,
} from './faults.ts'
import { type Answer, asOfBlock, type Call, type Forward, heightOf } from './stale.ts'

const isHttpFault = (effect: Effect | undefined): effect is RpcHttpFault =>
  effect !== undefined && 'http' in effect

export class RpcProxy {
  #faults = new FaultList<Fault>()
  #drawFault: (() => RandomFault | undefined) | undefined
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
    this.#faults = new FaultList()
    for (const fault of faults) this.#faults.add(fault)
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
    const effects = this.#chooseEffects(calls, request.url?.split('/').at(-1))
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
  #chooseEffects(calls: readonly Call[], node = ''): (Effect | undefined)[] {
    const drawn = this.#drawFault?.()
    const counted = new Set<Fault>()
    const counts = (fault: Fault) => {
      const isFirst = !counted.has(fault)
      counted.add(fault)
      return isFirst || !isHttpFault(fault.effect)
    }
    return calls.map(({ method, params }) => {
      const text = JSON.stringify(params ?? [])
      const matches = ({ on, containing = '', above = 0, ...fault }: Fault) =>
        (on?.includes(method) ?? true) &&
        text.includes(containing) &&
        calls.length > above &&
        (fault.node ?? node) === node
      const fault = this.#faults.find(matches, counts)
      return fault?.effect ?? (drawn?.on(method) ? drawn.effect : undefined)
    })
  }

  async #sendBroken(fault: RpcHttpFault, calls: readonly Call[], response: ServerResponse) {
    const forwardedCalls = { none: 0, half: Math.ceil(calls.length / 2), all: calls.length }
    await this.#forward(calls.slice(0, forwardedCalls[fault.reach]))
    sendFault(response, fault, {
      part: '{"jsonrpc":"2.0","id":',
      breakConnection: (how) => response.writeHead(502, { [BROKEN]: how }).end(),
    })
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
  const finish = (answer: Answer = missing): Answer =>
    effect && 'withoutLogs' in effect && answer.result
      ? { ...answer, result: { ...Object(answer.result), logs: [] } }
      : answer
  return { forward: call, finish }
}

const isSend = (method: string) => method === 'eth_sendRawTransaction'
const isReceipt = (method: string) => method === 'eth_getTransactionReceipt'
const isAny = () => true

/** An effect, and the methods for which it is realistic. */
type RandomFault = { on: (method: string) => boolean; effect: Effect }

const randomFaults: readonly RandomFault[] = [
  ...(['none', 'half', 'all'] as const).map((reach) => ({
    on: isAny,
    effect: { http: 'drop', reach } as const,
  })),
  { on: isAny, effect: { http: 'hang', reach: 'all' } },
  { on: isAny, effect: { http: 'malformed', reach: 'all' } },
  { on: isAny, effect: { http: 413, reach: 'none' } },
  { on: isAny, effect: { http: 429, reach: 'none' } },
  { on: isAny, effect: { http: 429, reach: 'none', retryAfter: 3 } },
  { on: isAny, effect: { http: 503, reach: 'half' } },
  { on: isAny, effect: { http: 502, reach: 'all' } },
  { on: isAny, effect: { error: limitExceeded, reach: 'none' } },
  ...[alreadyKnown, underpriced, nonceTooLow].flatMap((error) =>
    (['none', 'all'] as const).map((reach) => ({ on: isSend, effect: { error, reach } })),
  ),
  { on: isAny, effect: { error: { code: -32603, message: 'internal error' }, reach: 'none' } },
  { on: isReceipt, effect: { result: null } },
  { on: isAny, effect: { behind: 3 } },
  { on: isAny, effect: { behind: 20 } },
  { on: isSend, effect: { dropTransaction: true } },
]

/** Returns a function that draws a fault, with the probability `rate`, or nothing. */
function randomEffects({ seed, rate }: RandomFaults): () => RandomFault | undefined {
  const random = randomFrom(seed)
  return () => {
    const [hit, which] = [random(), random()]
    return hit < rate ? randomFaults[Math.floor(which * randomFaults.length)] : undefined
  }
}
