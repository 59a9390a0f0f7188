/** Where the gateway sends requests, while the Worker may be stopped and started. */
import { setTimeout } from 'node:timers/promises'

/** Milliseconds that requests under way get to end before the Worker stops. */
const MAX_WAIT = 5000

export type Target = {
  /** The URL of the Worker; undefined while it is stopped. */
  url: () => string | undefined
  /** Counts a request that is sent to the Worker. Returns what ends it. */
  begin: () => () => void
  /** Sends no request any more, and resolves when those under way have ended, or after 5 seconds. */
  pause: () => Promise<void>
  resume: (url: string) => void
}

export function createTarget(initial: string): Target {
  let url: string | undefined = initial
  const open = new Set<Promise<void>>()
  return {
    url: () => url,
    begin: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      open.add(promise)
      return () => {
        open.delete(promise)
        resolve()
      }
    },
    pause: async () => {
      url = undefined
      await Promise.race([Promise.all(open), setTimeout(MAX_WAIT, undefined, { ref: false })])
    },
    resume: (next) => {
      url = next
    },
  }
}
