import { onTestFinished, vi } from 'vitest'

const realSetTimeout = globalThis.setTimeout

/**
 * Stops the clock, but no timer, until the test ends: it does not matter how long the test takes. Returns
 * a function that moves it by seconds.
 */
export function stopClock() {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
  onTestFinished(() => void vi.useRealTimers())
  return (seconds: number) => void vi.setSystemTime(Date.now() + seconds * 1000)
}

/**
 * Stops the clock and the timers until the test ends. Returns a function that lets time pass, from
 * timer to timer, until a promise is settled.
 */
export function fakeTime() {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  return async <T>(promise: Promise<T>): Promise<T> => {
    let isSettled = false
    const end = () => {
      isSettled = true
    }
    promise.then(end, end)
    while (!isSettled) {
      // What does not wait for a timer goes first.
      for (let turn = 0; turn < 5; turn++) await new Promise((done) => realSetTimeout(done, 0))
      if (!isSettled) await vi.advanceTimersToNextTimerAsync()
    }
    return promise
  }
}
