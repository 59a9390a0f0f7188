/** When a message is sent again whose attempt failed, and how long its endpoint pauses. */
import { HOUR, MINUTE, SECOND } from '../../time.ts'

/** Milliseconds after the first, second, … attempt. There is none after the tenth. */
const delays = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Part of the delay that is added at most, so that messages that failed together spread out. */
const JITTER = 0.1

const MAX_RETRY_AFTER = 24 * HOUR

/**
 * Returns when to send a message again that has failed so many times, or null to give up.
 * `retryAfter` is the header of the response; it makes the delay longer, never shorter.
 */
export function retryAt(failures: number, retryAfter: string | null, now: Date): Date | null {
  const delay = delays[failures - 1]
  if (delay === undefined) return null
  const asked = Math.min(parseRetryAfter(retryAfter, now), MAX_RETRY_AFTER)
  return new Date(now.getTime() + Math.max(delay * (1 + JITTER * Math.random()), asked))
}

/** Milliseconds. */
const MAX_PAUSE = 5 * MINUTE

/** Returns until when an endpoint with so many `failures` gets only tests. */
export const pauseUntil = (failures: number, now: Date): Date =>
  new Date(now.getTime() + Math.min(5 * SECOND * 2 ** (failures / 2 - 1), MAX_PAUSE))

/** Returns milliseconds; 0 without a valid header. RFC 9110, section 10.2.3: seconds or a date. */
function parseRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const delay = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Number.isNaN(delay) ? 0 : delay
}
