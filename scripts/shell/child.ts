/** Processes that do not outlive the one that started them. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'

export type Child = {
  process: ChildProcess
  /** Resolves with the exit code, or the signal's name. */
  ended: Promise<number | string>
  /** Asks it to end, waits, and then ends whatever is left of its group. */
  stop: () => Promise<void>
}

/** How long a process may take to end when asked, in milliseconds. */
const PATIENCE = 10_000

/**
 * With `detached` the child leads a process group: signals reach it only from here, and what it
 * started itself is ended with it.
 */
export function start(file: string, args: readonly string[], options: SpawnOptions): Child {
  const child = spawn(file, args, options)
  const send = (signal: NodeJS.Signals) => signalTo(child, signal, options.detached === true)
  const onExit = () => send('SIGTERM')
  process.once('exit', onExit)
  const ended = once(child, 'exit').then(([code, signal]) => {
    process.off('exit', onExit)
    return code ?? signal
  })
  // Whoever waits is told; without this, a file that cannot be run would end the process first.
  ended.catch(() => {})
  return {
    process: child,
    ended,
    stop: async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => send('SIGKILL'), PATIENCE)
      await ended
      clearTimeout(timer)
      if (options.detached) send('SIGKILL')
    },
  }
}

function signalTo({ pid }: ChildProcess, signal: NodeJS.Signals, group: boolean): void {
  if (!pid) return
  try {
    process.kill(group ? -pid : pid, signal)
  } catch {
    // It has ended already.
  }
}
