/** Workers as they are deployed, served by workerd on a port of their own. */
import { execFileSync, fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Execute } from './catalogue.ts'

export type Contender = { name: string; url: string; stop(): Promise<void> }

/** Bundles a Worker as `wrangler deploy` does; answers the text of its one module. */
function bundle(main: string): string {
  const outdir = `dist/bench/${main.replaceAll(/\W/g, '-')}`
  execFileSync('wrangler', ['deploy', main, '--dry-run', '--env', '', '--outdir', outdir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const name = main.replace(/^.*\//, '').replace(/\.ts$/, '.js')
  return readFileSync(`${outdir}/${name}`, 'utf8')
}

/**
 * Three things cost the emulation more than a request does, and next to nothing once deployed: the
 * rate limit is a trip to another service, a D1 session waits for the disk to have its bookmark,
 * and a log line is parsed by this very process.
 */
const ENTRY = `
import worker from './worker.js'
console.log = () => {}
let bindings
const withoutBookmarks = (database) => ({
  prepare: (sql) => database.prepare(sql),
  batch: (statements) => database.batch(statements),
  getBookmark: () => null,
})
export default {
  fetch(request, env, context) {
    bindings ??= {
      ...env,
      DB: { ...withoutBookmarks(env.DB), withSession: () => withoutBookmarks(env.DB) },
      RATE_LIMIT: { limit: async () => ({ success: true }) },
    }
    return worker.fetch(request, bindings, context)
  },
  queue: (batch, env, context) => worker.queue(batch, env, context),
}`

/**
 * Serves a Worker from workerd itself: the development server in front of it would take more time
 * than the Worker does. Unless told, nobody consumes the queue: once deployed, consumers run beside
 * the API, not inside of it.
 */
export async function serveWorker(
  name: string,
  main: string,
  bindings: Record<string, string>,
  fill: (execute: Execute) => Promise<void>,
  isConsumed = false,
): Promise<Contender & { database: D1Database }> {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name,
      modules: [
        { type: 'ESModule', path: 'entry.js', contents: ENTRY },
        { type: 'ESModule', path: 'worker.js', contents: bundle(main) },
      ],
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      bindings,
      d1Databases: ['DB'],
      r2Buckets: ['AVATARS'],
      queueProducers: { TRANSFERS: 'transfers' },
      queueConsumers: isConsumed ? { transfers: { maxBatchSize: 100, maxBatchTimeout: 1 } } : {},
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    }),
  )
  const { origin } = await miniflare.unsafeGetDirectURL()
  const database = await miniflare.getD1Database('DB')
  await fill((sql) => database.prepare(sql).run())
  return { name, url: origin, database, stop: () => miniflare.dispose() }
}

/** Serves bench/node.ts from a process of its own, over a database file that goes with it. */
export async function serveNode(
  name: string,
  jwks: string,
  issuer: string,
  fill: (execute: Execute) => Promise<void>,
): Promise<Contender> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-'))
  const file = join(folder, 'database.sqlite')
  const database = new DatabaseSync(file)
  await fill((sql) => database.exec(sql))
  database.close()
  const server = fork('scripts/bench/node.ts', [file, jwks, issuer])
  const [url] = await once(server, 'message')
  return {
    name,
    url,
    async stop() {
      server.kill()
      await once(server, 'exit')
      rmSync(folder, { recursive: true })
    },
  }
}
