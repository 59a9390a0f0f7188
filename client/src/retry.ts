/** Which calls are sent again, and when. */
import { ApiError } from './errors.ts'
import type { OperationId } from './types.ts'

export type RetryOptions = {
  /** How often a call is sent, at most. 5 by default; with 1 it is never repeated. */
  attempts?: number
  /** Milliseconds. The longest wait after the first attempt; it doubles with each. 500 by default. */
  delay?: number
  /** Called before each wait for another attempt, to log it. What it throws ends the call. */
  onRetry?: (retry: Retry) => void
}

export type Retry = {
  operationId: OperationId
  /** The attempt that failed; the first is 1. */
  attempt: number
  /** Why it failed: an `ApiError`, a `TimeoutError`, an `UnexpectedResponseError`, or what `fetch` threw. */
  error: unknown
  /** Milliseconds until the next attempt. */
  delay: number
}

/** Milliseconds. Limits the waits that double, not those that the API asks for. */
const MAX_DELAY = 10_000

/**
 * Whether to send a call again after an error. An error that is no `ApiError` means that there was
 * no complete response.
 */
export function isRetryable(
  error: unknown,
  /** Whether sending the call twice has the effect of sending it once. */
  isSafe: boolean,
): boolean {
  if (!(error instanceof ApiError)) return isSafe
  // The API has done nothing.
  if (error.status === 429 || error.code === 'request_in_progress') return true
  // It is unknown whether the call was done. Cloudflare has statuses of its own, from 520 on.
  return isSafe && error.status >= 500
}

/**
 * Returns the milliseconds to wait after an attempt (the first is 1): a random part of a wait that
 * doubles with each attempt ("full jitter"), or what the API asks for, if that is longer.
 */
export function delayAfter(
  attempt: number,
  error: unknown,
  delay: number,
  random: () => number = Math.random,
): number {
  const seconds = (error instanceof ApiError && error.retryAfter) || 0
  return Math.max(random() * Math.min(MAX_DELAY, delay * 2 ** (attempt - 1)), seconds * 1000)
}

/** The longest time that timers take. */
export const MAX_MILLISECONDS = 2 ** 31 - 1

/** Resolves after some milliseconds. Rejects with the reason of the signal if that comes first. */
export function wait(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const stop = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', stop)
        resolve()
      },
      Math.min(milliseconds, MAX_MILLISECONDS),
    )
    signal?.addEventListener('abort', stop, { once: true })
  })
}
