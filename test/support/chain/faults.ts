/** What the proxy between the Worker and the node can be told to do wrong. */

/** How far a request gets before its answer is spoilt: `half` of its calls reach the node. */
export type Reach = 'none' | 'half' | 'all'

export type Effect =
  /** The whole HTTP request: the connection breaks, hangs, or answers nonsense or a status. */
  | { http: 'drop' | 'hang' | 'malformed' | number; reach: Reach }
  /** One call of it is answered with an error, which may be a lie. */
  | { error: { code: number; message: string }; reach: 'none' | 'all' }
  /** One call is answered with this result, and does not reach the node. */
  | { result: unknown }
  /** One call is answered as of an older block: this many behind the head, or this one. */
  | { behind: number }
  | { asOf: number }
  /** The node takes the transaction and forgets it again. */
  | { forget: true }

export type Fault = {
  /** The calls that are hit (their methods); every call when absent. */
  on?: readonly string[]
  /** This many of them pass first. */
  skip?: number
  /** This many are hit then; all of them until the faults are cleared when absent. */
  times?: number
  effect: Effect
}

/** Faults drawn at random from a seed, one draw for each HTTP request. */
export type Weather = {
  seed: number
  /** Share of requests that are hit, 0 to 1. */
  rate: number
}

/**
 * The header by which the proxy says that the connection breaks or hangs. It is done in the
 * test's own `fetch` (wire.ts): of a real broken connection workerd logs a page each time.
 */
export const BROKEN = 'x-broken-connection'

/** Seen by the proxy since it was last asked to count from zero. */
export type Counts = { requests: number; calls: Record<string, number> }

/** Answers with which nodes refuse a transaction that they, or others, may well have. */
export const alreadyKnown = { code: -32000, message: 'already known' }
export const underpriced = { code: -32000, message: 'replacement transaction underpriced' }
export const nonceTooLow = { code: -32000, message: 'nonce too low' }

/** A small seeded generator (mulberry32): 0 ≤ number < 1. */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
