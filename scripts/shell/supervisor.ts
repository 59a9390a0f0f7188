/** Ends a set of child processes together: on a signal, or as soon as one of them exits. */
import type { Child } from './child.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Supervisor = { add: (name: string, child: Child) => void }

/** Returns a supervisor. It also ends this process, with status 1 if a child exited. */
export function createSupervisor(): Supervisor {
  const children: Child[] = []
  let isStopping = false

  async function stopAll(status: number) {
    if (isStopping) return
    isStopping = true
    // Children that started later may need the earlier ones until they have ended.
    for (const child of children.toReversed()) await child.stop()
    process.exit(status)
  }

  for (const signal of SIGNALS) process.on(signal, () => stopAll(0))
  if (process.env.npm_lifecycle_event) onParentExit(() => stopAll(1))
  return {
    add: (name, child) => {
      children.push(child)
      child.ended.then((reason) => {
        if (!isStopping) console.error(`${name} exited (${reason}). Stopping everything.`)
        stopAll(1)
      })
    },
  }
}

/** npm forwards signals, except SIGKILL. After that, this process has another parent. */
function onParentExit(action: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && action(), 1000).unref()
}
