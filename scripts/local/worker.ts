/** Runs the Worker with `wrangler dev`, and its cron trigger. */
import { createInterface } from 'node:readline'
import { stripVTControlCharacters } from 'node:util'
import { startWrangler } from '../shell/wrangler.ts'
import type { Target } from './target.ts'
import { createLogReader } from './worker-log.ts'

export type LocalWorker = ReturnType<typeof startWorker>

/** `src/worker.ts` with a clock that can be moved. */
const ENTRY = 'scripts/local/worker-entry.ts'

/** Starts wrangler on a free port. */
export function startWorker(variables: Record<string, string>) {
  const values = Object.entries(variables).map(([name, value]) => `${name}:${value}`)
  const args = ['dev', ENTRY, '--config', 'wrangler.toml', '--port', '0', '--inspector-port', '0']
  const child = startWrangler([...args, '--var', ...values], 'piped')
  let isLogShown = false
  const said = { stdout: '', stderr: '' }
  const ready = new Promise<string>((resolve) => {
    for (const name of ['stdout', 'stderr'] as const) {
      const stream = child.process[name]
      if (!stream) continue
      const read = createLogReader((line) => isLogShown && console.log(line))
      createInterface(stream).on('line', (line) => {
        read(line)
        if (isLogShown) return
        said[name] += `${line}\n`
        const [, url] = /Ready on (http:\S+)/.exec(line) ?? []
        if (url) resolve(url)
      })
    }
  })
  return {
    ...child,
    /** Resolves with the URL where wrangler listens. */
    ready,
    /** Returns why wrangler did not start, as far as it has said so. */
    errors: () => stripVTControlCharacters(said.stderr || said.stdout).trim(),
    /** Prints the Worker's log from now on. */
    showLog: () => {
      isLogShown = true
      said.stdout = ''
      said.stderr = ''
    },
  }
}

/** Runs the cron trigger once. */
export async function runCron(url: string): Promise<void> {
  const response = await fetch(`${url}/cdn-cgi/local/scheduled`)
  if (!response.ok) throw new Error(`The cron trigger failed: ${await response.text()}`)
}

/** Runs the cron trigger now and every minute, because `wrangler dev` never does. */
export function startCron(target: Target): void {
  const run = () => {
    const url = target.url()
    // Fails while the Worker reloads. The next run follows in a minute.
    if (url) runCron(url).catch(() => {})
  }
  run()
  setInterval(run, 60_000)
}
