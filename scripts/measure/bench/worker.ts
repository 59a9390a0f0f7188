/** Serves a Worker, bundled as for a deployment, from workerd on a port of its own. */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { convertV4MiniflareOptions, Miniflare } from 'miniflare'
import type { Issuer } from '../../../src/auth/tokens.ts'
import { generators } from '../../operate/keys/generate.ts'

type ServeOptions = {
  /** The Worker's main file. */
  main: string
  bindings: Record<string, string>
  /** Statements that create and fill the database. */
  sql: readonly string[]
}

/** Bundles a Worker as `wrangler deploy` does. Returns the text of its only module. */
function bundle(main: string): string {
  const outdir = `dist/bench/${main.replaceAll(/\W/g, '-')}`
  execFileSync('wrangler', ['deploy', main, '--dry-run', '--env', '', '--outdir', outdir], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const name = main.replace(/^.*\//, '').replace(/\.ts$/, '.js')
  return readFileSync(`${outdir}/${name}`, 'utf8')
}

/**
 * Switches off what takes the emulation longer than a request, and production next to nothing: the rate
 * limit (a call to another process), D1 session bookmarks (a wait for the disk) and log lines (parsed by
 * the process that measures).
 */
const ENTRY = `
import * as main from './worker.js'
console.log = () => {}
let bindings
const withoutBookmarks = (database) => ({
  prepare: (sql) => database.prepare(sql),
  batch: (statements) => database.batch(statements),
  getBookmark: () => null,
})
const unlimited = { limit: async () => ({ success: true }) }
const bindingsOf = (env) => bindings ??= {
  ...env,
  DB: { ...withoutBookmarks(env.DB), withSession: () => withoutBookmarks(env.DB) },
  RATE_LIMIT: unlimited,
  USER_RATE_LIMIT: unlimited,
  MASTER_RATE_LIMIT: unlimited,
}
const { default: worker, CachedReads: Reads = class {} } = main
export class CachedReads extends Reads {
  constructor(context, env) {
    super(context, bindingsOf(env))
  }
}
export default {
  fetch: (request, env, context) => worker.fetch(request, bindingsOf(env), context),
}`

/** The settings of an instance without networks: all that a Worker needs to be ready. */
export const bindingsFor = async ({ url, keys }: Issuer) =>
  ({
    PUBLIC_URL: url,
    EMAIL_FROM: 'marketplace@example.com',
    NETWORKS: '{}',
    REDIRECT_ORIGINS: '[]',
    JWT_KEYS: JSON.stringify({ keys }),
    TRANSFER_SIGNER_KEYS: `0x${'1'.repeat(64)}`,
    DELIVERY_KEY_SECRET: '1'.repeat(64),
    CODE_KEYS: await generators.CODE_KEYS(),
    CREATORS: 'open',
  }) satisfies Required<NodeJS.ProcessEnv>

/** Its queues have no consumer: deployed ones run beside the API. */
export async function serveWorker({ main, bindings, sql }: ServeOptions) {
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      name: 'bench',
      modules: [
        { type: 'ESModule', path: 'entry.js', contents: ENTRY },
        { type: 'ESModule', path: 'worker.js', contents: bundle(main) },
      ],
      compatibilityDate: '2026-11-01',
      compatibilityFlags: ['nodejs_compat'],
      bindings: { ...bindings, VERSION: { id: 'bench' } },
      d1Databases: ['DB'],
      r2Buckets: ['AVATARS'],
      queueProducers: {
        DELIVERIES: 'deliveries',
        WEBHOOKS: 'bench-webhooks',
        MASTER_WEBHOOKS: 'bench-master-webhooks',
      },
      // Requests reach workerd directly, not through the development server.
      unsafeDirectSockets: [{ host: '127.0.0.1', port: 0 }],
    }),
  )
  const { origin } = await miniflare.unsafeGetDirectURL()
  const database = await miniflare.getD1Database('DB')
  for (const statement of sql) await database.prepare(statement).run()
  return { url: origin, [Symbol.asyncDispose]: () => miniflare.dispose() }
}
