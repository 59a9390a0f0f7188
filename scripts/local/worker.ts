/** Runs the Worker with `wrangler dev`, and its cron trigger. */
import type { Child } from '../shell/child.ts'
import { CommandError } from '../shell/command.ts'
import { startWrangler } from '../shell/wrangler.ts'

export type LocalWorker = Child & {
  /** Resolves when the Worker accepts requests. Rejects with wrangler's output if it fails. */
  ready: Promise<void>
  /** Prints the Worker's log from now on. */
  showLog: () => void
}

export function startWorker(port: number, variables: Record<string, string>): LocalWorker {
  const values = Object.entries(variables).map(([name, value]) => `${name}:${value}`)
  const child = startWrangler(
    ['dev', '--port', String(port), '--inspector-port', '0', '--var', ...values],
    'piped',
  )
  let log = ''
  let isLogShown = false
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      if (isLogShown) return void process.stdout.write(chunk)
      log += chunk
      if (log.includes('Ready on http')) resolve()
    }
    child.process.stdout?.on('data', read)
    child.process.stderr?.on('data', read)
    child.ended.then(() => reject(new CommandError(`wrangler dev did not start:\n${log}`)), reject)
  })
  return {
    ...child,
    ready,
    showLog: () => {
      isLogShown = true
    },
  }
}

/** Runs the cron trigger now and every minute, because `wrangler dev` never does. */
export function startCron(url: string): void {
  const run = () =>
    fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {
      // Fails while the Worker reloads. The next run follows in a minute.
    })
  run()
  setInterval(run, 60_000)
}
