/** Loads the calls of the API, each next to a call of the floor. */
import autocannon from 'autocannon'
import type { Call, Pair } from './calls.ts'

type Sample = { requestsPerSecond: number; p99: number }

export type Result = Awaited<ReturnType<typeof measurePairs>>[number]

const CONNECTIONS = 16

/**
 * Measures each pair once per round, one call directly after the other, and takes the ratio of the
 * two. Returns medians over all rounds, latencies in milliseconds. Each round starts with another pair, and every other round runs in reverse.
 */
export async function measurePairs(pairs: readonly Pair[], rounds: number, seconds: number) {
  const measurements = pairs.map((pair) => ({
    pair,
    samples: { api: [] as Sample[], floor: [] as Sample[] },
    ratios: [] as number[],
  }))
  for (let round = 0; round <= rounds; round++) {
    const start = round % pairs.length
    const rotated = [...measurements.slice(start), ...measurements.slice(0, start)]
    const isReversed = round % 2 === 1
    for (const { pair, samples, ratios } of isReversed ? rotated.reverse() : rotated) {
      const first = await load(isReversed ? pair.api : pair.floor, seconds)
      const second = await load(isReversed ? pair.floor : pair.api, seconds)
      // The first round is a warm-up.
      if (round === 0) continue
      const [api, floor] = isReversed ? [first, second] : [second, first]
      samples.api.push(api)
      samples.floor.push(floor)
      ratios.push(api.requestsPerSecond / floor.requestsPerSecond)
    }
  }
  return measurements.map(({ pair, samples, ratios }) => ({
    pair,
    api: medians(samples.api),
    floor: medians(samples.floor),
    ratio: median(ratios),
  }))
}

const medians = (samples: readonly Sample[]): Sample => ({
  requestsPerSecond: median(samples.map(({ requestsPerSecond }) => requestsPerSecond)),
  p99: median(samples.map(({ p99 }) => p99)),
})

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (position: number) => sorted[Math.floor(position)] ?? Number.NaN
  return (at((values.length - 1) / 2) + at(values.length / 2)) / 2
}

/** Sends one call for some seconds. Throws an error if a response is not a success. */
async function load(call: Call, seconds: number): Promise<Sample> {
  const { requests, latency, duration, non2xx, errors } = await autocannon({
    url: call.url,
    method: call.method,
    connections: CONNECTIONS,
    duration: seconds,
    sampleInt: 100,
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
  if (non2xx + errors > 0) throw new Error(`${call.url}: ${non2xx + errors} requests failed`)
  return { requestsPerSecond: requests.total / duration, p99: latency.p99 }
}
