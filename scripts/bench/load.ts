import autocannon from 'autocannon'
import type { Contender } from './serve.ts'

export type Call = {
  name: string
  method: 'GET' | 'POST'
  path: string
  token?: string
  /** Made anew for each call. */
  body?: () => unknown
}

export type Round = { requestsPerSecond: number; p50: number; p99: number }

/** As many as a small shop keeps open. */
const CONNECTIONS = 16

/** Loads one contender with one call. Throws when an answer was not a success: that is no measure. */
export async function load({ url }: Contender, call: Call, seconds: number): Promise<Round> {
  const { requests, latency, non2xx, errors } = await autocannon({
    url: url + call.path,
    method: call.method,
    connections: CONNECTIONS,
    duration: seconds,
    headers: {
      ...(call.token && { authorization: `Bearer ${call.token}` }),
      ...(call.body && { 'content-type': 'application/json' }),
    },
    requests: [
      {
        setupRequest: (request) =>
          call.body ? { ...request, body: JSON.stringify(call.body()) } : request,
      },
    ],
  })
  if (non2xx + errors > 0) throw new Error(`${call.name}: ${non2xx + errors} calls failed`)
  return { requestsPerSecond: requests.average, p50: latency.p50, p99: latency.p99 }
}
