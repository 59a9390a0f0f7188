/** The faults that the proxy between the Worker and the node can simulate. */
import type { HttpFault, Occasions } from '../../../check-my-shop/src/faults.ts'

/** `reach` says which calls of a request reach the node: none, the first half or all. */
export type RpcHttpFault = HttpFault<'none' | 'half' | 'all'>

export type Effect =
  | RpcHttpFault
  /** One call is answered with an error, even if the node executed it (`reach: 'all'`). */
  | { error: { code: number; message: string }; reach: 'none' | 'all' }
  /** One call is answered with this result, and does not reach the node. */
  | { result: unknown }
  /** One call is answered as of an older block: a distance from the head, or a block number. */
  | { behind: number }
  | { asOf: number }
  /** A receipt comes without its logs. */
  | { withoutLogs: true }
  /** The node accepts the transaction, and drops it from its pool. */
  | { dropTransaction: true }

/** An HTTP fault counts requests, the others count calls. */
export type Fault = Occasions & {
  /** The methods that the fault applies to. Default: all. */
  on?: readonly string[]
  /** The fault applies only to calls whose parameters contain this text. */
  containing?: string
  /** The last part of the URL that the fault applies to, for one of several nodes. Default: all. */
  node?: string
  /** The fault applies only to requests with more calls than this. Default: 0. */
  above?: number
  effect: Effect
}

/** At most one random fault for each HTTP request. The same seed gives the same faults. */
export type RandomFaults = {
  seed: number
  /** Share of the requests with a fault, from 0 to 1. */
  rate: number
}

/**
 * The header of responses that stand for a connection that breaks (`drop`), brings nothing (`hang`),
 * or nothing more after the body of the response (`stall`). The `fetch` of the tests
 * (fetch.ts) simulates it, because workerd logs a stack trace for each connection that really breaks.
 */
export const BROKEN = 'x-broken-connection'

/** Numbers of HTTP requests, and of calls by method. */
export type Counts = { requests: number; calls: Record<string, number> }

/** Errors of nodes that may already have the transaction. */
export const alreadyKnown = { code: -32000, message: 'already known' }
export const underpriced = { code: -32000, message: 'replacement transaction underpriced' }
export const nonceTooLow = { code: -32000, message: 'nonce too low' }

/** The error of a node that limits calls. */
export const limitExceeded = { code: -32005, message: 'limit exceeded' }

/** Returns a seeded generator (mulberry32) of numbers from 0 (inclusive) to 1 (exclusive). */
export function randomFrom(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}
