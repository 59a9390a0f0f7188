/** Where the gateway sends requests, while the Worker may be stopped and started. */
import { setTimeout } from 'node:timers/promises'

/** Milliseconds that requests under way get to end before the Worker stops. */
const MAX_WAIT = 5000

export type Target = ReturnType<typeof createTarget>

export function createTarget(initial: string) {
  let url: string | undefined = initial
  const open = new Set<Promise<void>>()
  return {
    /** The URL of the Worker; undefined while it is stopped. */
    url: () => url,
    /** Counts a request that is sent to the Worker. Returns what ends it. */
    begin: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      open.add(promise)
      return () => {
        open.delete(promise)
        resolve()
      }
    },
    /** Sends no request any more, and resolves when those under way have ended, or after 5 seconds. */
    pause: async () => {
      url = undefined
      await Promise.race([Promise.all(open), setTimeout(MAX_WAIT, undefined, { ref: false })])
    },
    resume: (next: string) => {
      url = next
    },
  }
}
