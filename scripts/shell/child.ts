/** Child processes that end with this process. */
import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'

export type Child = ReturnType<typeof start>

/** Milliseconds that a process may take to end after SIGTERM. */
const STOP_TIMEOUT = 10_000

/**
 * Starts a child process. With `detached` it leads its own process group: it gets signals from
 * this module only, and its own children are killed when it stops.
 */
export function start(file: string, args: readonly string[], options: SpawnOptions) {
  const child = spawn(file, args, options)
  const send = (signal: NodeJS.Signals) => sendSignal(child, signal, options.detached === true)
  const onExit = () => send('SIGTERM')
  process.once('exit', onExit)
  /** Resolves with the exit code, or with the name of the signal that ended the process. */
  const ended: Promise<number | string> = once(child, 'exit').then(([code, signal]) => {
    process.off('exit', onExit)
    return code ?? signal
  })
  // Callers that wait for `ended` get the error. Without a handler here, a file that cannot be
  // executed would crash this process before they do.
  ended.catch(() => {})
  /** Sends SIGTERM and waits. A process that does not end in time is killed. */
  const stop = async () => {
    child.kill('SIGTERM')
    const timer = setTimeout(() => send('SIGKILL'), STOP_TIMEOUT)
    await ended
    clearTimeout(timer)
    if (options.detached) send('SIGKILL')
  }
  return { process: child, ended, stop, [Symbol.asyncDispose]: stop }
}

/** Waits for a process, and returns its exit code and what it has written to its pipes. */
export async function readOutput({ process: { stdout, stderr }, ended }: Child) {
  const read = (stream: typeof stdout) => (stream ? text(stream) : '')
  const [out, errors, code] = await Promise.all([read(stdout), read(stderr), ended])
  return { out, errors, code }
}

function sendSignal({ pid }: ChildProcess, signal: NodeJS.Signals, toGroup: boolean): void {
  if (!pid) return
  try {
    process.kill(toGroup ? -pid : pid, signal)
  } catch {
    // The process has already ended.
  }
}
