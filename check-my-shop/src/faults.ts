/** The HTTP faults that a proxy simulates between a caller and an API. */
import type { ServerResponse } from 'node:http'

export type HttpFault<Reach = 'none' | 'all'> = {
  /** The connection breaks or hangs, or the answer is a part of a JSON text, or an HTTP status. */
  http: 'drop' | 'hang' | 'malformed' | number
  /** Whether the API receives the request before the caller sees the fault. */
  reach: Reach
  /** The `Retry-After` header, in seconds. */
  retryAfter?: number
  /** The JSON that comes with an HTTP status. */
  body?: unknown
}

export type Occasions = {
  /** How many requests the fault skips first. Default: 0. */
  skip?: number
  /** How many requests the fault applies to. Default: all until the faults are removed. */
  times?: number
}

/** Counts for each fault how many requests it has matched. */
export class FaultList<Fault extends Occasions> {
  #entries: { fault: Fault; seen: number }[] = []

  add(fault: Fault) {
    this.#entries.push({ fault, seen: 0 })
  }

  /** Returns the first fault that matches a request and applies to it. */
  find(
    matches: (fault: Fault) => boolean,
    /** Whether a match counts. */
    counts: (fault: Fault) => boolean = () => true,
  ): Fault | undefined {
    const entry = this.#entries.find((entry) => {
      const { skip = 0, times = Infinity } = entry.fault
      if (!matches(entry.fault)) return false
      if (counts(entry.fault)) entry.seen++
      return entry.seen > skip && entry.seen <= skip + times
    })
    return entry?.fault
  }
}

type Breaks = {
  /** The part of a JSON text that a malformed answer has. */
  part: string
  /** Leaves the request without an answer. */
  breakConnection: (how: 'drop' | 'hang') => void
}

/** Answers a request as a fault says. */
export function sendFault(
  response: ServerResponse,
  { http, retryAfter, body = `status ${http}` }: HttpFault<unknown>,
  { part, breakConnection }: Breaks,
) {
  if (retryAfter !== undefined) response.setHeader('retry-after', retryAfter)
  if (http === 'malformed') response.end(part)
  else if (typeof http === 'number')
    response.writeHead(http, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  else breakConnection(http)
}
