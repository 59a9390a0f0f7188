/** Spans of time, in milliseconds, and work that may take only so long. */
export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/**
 * Returns what the work returns; throws if that takes longer than so many milliseconds. The work itself is not
 * stopped: nobody waits for it any more. Not by a timer, whose time tests move.
 */
export const within = <T>(milliseconds: number, work: Promise<T>): Promise<T> =>
  until(
    AbortSignal.timeout(milliseconds),
    work,
    `it has taken longer than ${milliseconds / SECOND} s`,
  )

/** As `within`, until the signal, which may end other work as well. */
export function until<T>(signal: AbortSignal, work: Promise<T>, message = 'it is too late') {
  const late = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(new Error(message)))
  })
  return Promise.race([work, late])
}
