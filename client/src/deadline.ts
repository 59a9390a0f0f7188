/** Limits how long something may take. */

import { MAX_MILLISECONDS } from './retry.ts'

export type Deadline = {
  milliseconds: number
  /** Ends the work earlier, with its reason. */
  signal?: AbortSignal | undefined
  /** Returns what to throw when the time is over. */
  error: () => Error
}

/**
 * Resolves or rejects as `work` does, or rejects when the time is over or the signal is aborted. The
 * signal that `work` gets is aborted then, but nothing waits for `work` to obey it.
 */
export function withDeadline<T>(
  { milliseconds, signal, error }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    signal?.throwIfAborted()
    const controller = new AbortController()
    const stop = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    const onAbort = () => stop(signal?.reason)
    const timer = setTimeout(() => stop(error()), Math.min(milliseconds, MAX_MILLISECONDS))
    signal?.addEventListener('abort', onAbort, { once: true })
    work(controller.signal)
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      })
  })
}
