/** How fast a node is asked: within the configured limits, and slower after it refused calls. */

export type Limits = {
  callsPerBatch: number
  callsPerSecond?: number | undefined
  /** Milliseconds that a node has to answer, if not the usual ones. */
  timeout?: number
}

/** Milliseconds to wait after a refusal without `Retry-After`. Doubles with each. */
const FIRST_DELAY = 250
const MAX_DELAY = 10_000

/** What is known of a node, for the life of the isolate. Times in milliseconds since 1970. */
export type Pace = {
  /** Calls in one request. Halved when the node refuses, and then grows again. */
  batchSize: number
  /** Requests of the last second. Empty without `callsPerSecond`. */
  sent: { at: number; calls: number }[]
  /** Refusals since the last answer. */
  refusals: number
  refusedAt: number
  /** No request starts before this. */
  blockedUntil: number
}

const paces = new Map<string, Pace>()

/** Returns the pace of the node at a URL. */
export function getPace(url: string): Pace {
  const known = paces.get(url)
  if (known) return known
  const pace = { batchSize: Infinity, sent: [], refusals: 0, refusedAt: 0, blockedUntil: 0 }
  paces.set(url, pace)
  return pace
}

/** Returns how many calls the next request may have. */
export const maxBatchSize = ({ batchSize }: Pace, { callsPerBatch, callsPerSecond }: Limits) =>
  Math.max(1, Math.floor(Math.min(batchSize, callsPerBatch, callsPerSecond ?? Infinity)))

/** Waits until the node may be asked that many calls. Returns the time. */
export async function takeTurn(pace: Pace, calls: number, limits: Limits): Promise<number> {
  for (;;) {
    const now = Date.now()
    const startAt = Math.max(pace.blockedUntil, roomAt(pace, calls, limits))
    if (startAt <= now) {
      pace.sent = pace.sent.filter(({ at }) => at > now - 1000)
      if (limits.callsPerSecond) pace.sent.push({ at: now, calls })
      return now
    }
    await new Promise((resolve) => setTimeout(resolve, startAt - now))
  }
}

/** When that many more calls can start, so that no second has more than `callsPerSecond`. */
function roomAt({ sent }: Pace, calls: number, { callsPerSecond = Infinity }: Limits): number {
  let room = callsPerSecond - calls
  for (const earlier of sent.toReversed()) {
    room -= earlier.calls
    if (room < 0) return earlier.at + 1000
  }
  return 0
}

/** After an answer: larger batches, up to what the node refused or the configuration allows. */
export function speedUp(pace: Pace, limits: Limits): void {
  pace.refusals = 0
  pace.batchSize = maxBatchSize({ ...pace, batchSize: pace.batchSize + 1 }, limits)
}

/**
 * After a refusal of a request with that many calls: halves the batches and delays what comes
 * next. `retryAfter` is in milliseconds.
 */
export function slowDown(pace: Pace, calls: number, startedAt: number, retryAfter: number): void {
  pace.batchSize = Math.max(1, Math.min(pace.batchSize, Math.floor(calls / 2)))
  // Of requests that were under way together, the first refusal counts.
  if (startedAt <= pace.refusedAt) return
  const delay = Math.min(MAX_DELAY, FIRST_DELAY * 2 ** pace.refusals)
  pace.refusals++
  pace.refusedAt = Date.now()
  pace.blockedUntil = pace.refusedAt + (retryAfter || delay)
}
