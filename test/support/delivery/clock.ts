/** A clock that a test moves. What waits for a time moves it, too, so that nothing takes long. */
import { onTestFinished, vi } from 'vitest'

const realSetTimeout = globalThis.setTimeout

/** The time at the end of the last test: for rows of earlier tests, time never goes back. */
let latest = 0

/** Lets the next test begin at the real time. */
export const resetClock = (): void => {
  latest = 0
}

/** Called when something waits for a time, once the clock was moved there. */
type OnWait = () => unknown

/** Fakes `Date`, `performance` and `setTimeout` until the end of the test. */
export function startClock(onWait: OnWait = () => {}): void {
  if (vi.isFakeTimers()) return
  vi.useFakeTimers({ toFake: ['Date'], now: Math.max(latest, Date.now()) })
  const { timeOrigin } = performance
  vi.stubGlobal('performance', { timeOrigin, now: () => Date.now() - timeOrigin })
  vi.stubGlobal(
    'setTimeout',
    <A extends unknown[]>(callback: (...args: A) => void, ms = 0, ...args: A) => {
      const at = Date.now() + ms
      return realSetTimeout(async () => {
        if (Date.now() < at) vi.setSystemTime(at)
        await onWait()
        callback(...args)
      }, 0)
    },
  )
  // Real time ends nothing: a busy machine may need it, and runs stand still in it.
  const deadlines = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation(() => new AbortController().signal)
  onTestFinished(() => {
    deadlines.mockRestore()
    latest = Date.now()
    vi.unstubAllGlobals()
    vi.useRealTimers()
  })
}

/** Moves the clock. */
export const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000)
