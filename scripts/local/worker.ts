/** The Worker as `wrangler dev` runs it, and the clock that cron triggers lack there. */
import type { Child } from '../shell/child.ts'
import { Failure } from '../shell/command.ts'
import { startWrangler } from '../wrangler/run.ts'

export type Worker = Child & {
  /** From now on its log goes to this terminal. */
  show: () => void
}

/** Resolves once the Worker answers. Throws a failure with what wrangler said otherwise. */
export async function startWorker(
  port: number,
  variables: Record<string, string>,
): Promise<Worker> {
  const values = Object.entries(variables).map(([name, value]) => `${name}:${value}`)
  const child = startWrangler(
    ['dev', '--port', String(port), '--inspector-port', '0', '--var', ...values],
    'piped',
  )
  let log = ''
  let isShown = false
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.process.stdout, child.process.stderr])
      stream?.on('data', (chunk) => {
        if (isShown) process.stdout.write(chunk)
        else log += chunk
        if (log.includes('Ready on http')) resolve()
      })
    child.ended.then(() => reject(new Failure(`wrangler dev did not start:\n${log}`)), reject)
  })
  return {
    ...child,
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
