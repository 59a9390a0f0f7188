/** Ends a set of child processes together: on a signal, or as soon as one of them exits. */
import { spawn } from 'node:child_process'
import type { Child } from './child.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export type Supervisor = ReturnType<typeof createSupervisor>

/** Returns a supervisor. It also ends this process, with status 1 if a child exited. */
export function createSupervisor() {
  let children: Child[] = []
  const guard = startGuard()
  let isStopping = false

  async function stopAll(status: number) {
    if (isStopping) return
    isStopping = true
    // Children that started later may need the earlier ones until they have ended.
    for (const child of children.toReversed()) await child.stop()
    process.exit(status)
  }

  const tellGuard = () => guard.write(`${children.map(({ process: { pid } }) => pid).join(' ')}\n`)

  // Other listeners would end this process before its children.
  for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, () => stopAll(0))
  if (process.env.npm_lifecycle_event) onParentExit(() => stopAll(1))
  return {
    /** `lastWords` returns what the child has printed that may tell why it exited. */
    add: (name: string, child: Child, lastWords = () => '') => {
      children.push(child)
      tellGuard()
      child.ended.then((reason) => {
        if (!children.includes(child)) return
        if (!isStopping)
          console.error(`${name} exited (${reason}). Stopping everything.\n${lastWords()}`.trim())
        stopAll(1)
      })
    },
    /** Stops a child. Its end is no reason to end the others. */
    stop: async (child: Child) => {
      children = children.filter((other) => other !== child)
      await child.stop()
      tellGuard()
    },
  }
}

/**
 * Starts a shell that reads lines of process ids, of which the last one counts. When this process has ended, even by SIGKILL, its input
 * ends, and it ends the processes of these ids.
 */
function startGuard() {
  const script = 'while read -r line; do pids=$line; done; kill $pids 2>/dev/null'
  const guard = spawn('sh', ['-c', script], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  guard.unref()
  return guard.stdin
}

/** npm forwards signals, except SIGKILL. After that, this process has another parent. */
function onParentExit(action: () => void): void {
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && action(), 1000).unref()
}
