/** The Worker as `wrangler dev` runs it, and the clock that cron triggers lack there. */
import type { Child } from '../shell/child.ts'
import { Failure } from '../shell/command.ts'
import { startWrangler } from '../wrangler/run.ts'

export type Worker = Child & {
  /** Resolves once the Worker answers. Rejects with a failure that has what wrangler said. */
  ready: Promise<void>
  /** From now on its log goes to this terminal. */
  show: () => void
}

export function startWorker(port: number, variables: Record<string, string>): Worker {
  const values = Object.entries(variables).map(([name, value]) => `${name}:${value}`)
  const child = startWrangler(
    ['dev', '--port', String(port), '--inspector-port', '0', '--var', ...values],
    'piped',
  )
  let log = ''
  let isShown = false
  const ready = new Promise<void>((resolve, reject) => {
    const read = (chunk: Buffer) => {
      if (isShown) return void process.stdout.write(chunk)
      log += chunk
      if (log.includes('Ready on http')) resolve()
    }
    child.process.stdout?.on('data', read)
    child.process.stderr?.on('data', read)
    child.ended.then(() => reject(new Failure(`wrangler dev did not start:\n${log}`)), reject)
  })
  return {
    ...child,
    ready,
    show: () => {
      isShown = true
    },
  }
}

/** `wrangler dev` fires no cron trigger by itself: this does, now and each minute. */
export function startCron(url: string): void {
  const fire = () =>
    fetch(`${url}/cdn-cgi/local/scheduled`).catch(() => {
      // The Worker is being reloaded; the next minute comes.
    })
  fire()
  setInterval(fire, 60_000)
}
