/** Loads a call of the API next to a call of the floor. */
import autocannon from 'autocannon'
import type { Call, Pair } from './calls.ts'

const CONNECTIONS = 16

/** Requests in a second of both, the p99 of the API in milliseconds, and the ratio of the speeds. */
type Sample = { api: number; p99: number; floor: number; ratio: number }

/** Measures a pair once in each round, one call directly after the other. Returns medians. */
export async function measurePair(
  { api, floor }: Pair,
  rounds: number,
  seconds: number,
): Promise<Sample> {
  const samples: Sample[] = []
  // The first round is a warm-up.
  for (let round = 0; round <= rounds; round++) {
    // A machine that becomes slower must not always slow the same one.
    const early = round % 2 === 0 ? await load(floor, seconds) : undefined
    const { speed, p99 } = await load(api, seconds)
    const { speed: floorSpeed } = early ?? (await load(floor, seconds))
    if (round > 0) samples.push({ api: speed, p99, floor: floorSpeed, ratio: speed / floorSpeed })
  }
  const median = (of: keyof Sample) =>
    samples.map((sample) => sample[of]).sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN
  return {
    api: median('api'),
    p99: median('p99'),
    floor: median('floor'),
    ratio: median('ratio'),
  }
}

/** Sends one call for some seconds. Throws an error if a response is not a success. */
async function load({ url, method, token, body }: Call, seconds: number) {
  const { requests, latency, duration, non2xx, errors } = await autocannon({
    url,
    method,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: 100,
    headers: {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body && { 'content-type': 'application/json' }),
    },
    requests: [
      {
        setupRequest: (request) => (body ? { ...request, body: JSON.stringify(body()) } : request),
      },
    ],
  })
  if (non2xx + errors > 0) throw new Error(`${url}: ${non2xx + errors} requests failed`)
  return { speed: requests.total / duration, p99: latency.p99 }
}
