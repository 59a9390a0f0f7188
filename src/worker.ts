import { cache, env, exports, WorkerEntrypoint } from 'cloudflare:workers'
import { TrieRouter } from 'hono/router/trie-router'
import { getPath } from 'hono/utils/url'
import app from './app.ts'
import { setPurge } from './avatars/remove.ts'
import { runCron } from './cron.ts'
import { consume } from './delivery/run.ts'
import type { WakeUp } from './delivery/wake.ts'
import { sendWebhooks } from './events/sending/consumer.ts'
import { type WebhookWakeUp, wakeWebhooks } from './events/wake.ts'
import { declarationBy } from './http/endpoint.ts'
import { setLogVersion } from './log.ts'
import { setTextAssets } from './texts/texts.ts'

setLogVersion(env.VERSION.id)
setTextAssets(env.ASSETS)
setPurge((options) => exports.CachedReads.purge(options))

/** The routes whose declaration has `cache`. */
const cachedRoutes = new TrieRouter<true>()
for (const { method, path, handler } of app.routes)
  if (declarationBy(handler)?.cache) cachedRoutes.add(method, path, true)

/**
 * Whether the cache may have the answer, which is the same for everybody. All else does not pass it: the cache
 * asks an upper tier, far away, before it calls a Worker.
 */
const isCached = (request: Request): boolean =>
  (request.method === 'GET' || request.method === 'HEAD') &&
  cachedRoutes.match('GET', getPath(request))[0].length > 0

/** The only entrypoint with a cache in front of it: see `exports` in wrangler.toml. */
export class CachedReads extends WorkerEntrypoint<Env> {
  override fetch(request: Request): Response | Promise<Response> {
    return app.fetch(request, this.env, this.ctx)
  }

  /** An entrypoint can only purge its own cache. The local runtime has none. */
  async purge(options: CachePurgeOptions): Promise<CachePurgeResult | undefined> {
    return (cache as Partial<CacheContext>).purge?.(options)
  }
}

const worker = {
  fetch: (request, env, ctx) =>
    isCached(request) ? ctx.exports.CachedReads.fetch(request) : app.fetch(request, env, ctx),

  // Each environment has a prefix of its own.
  queue: (batch, env) =>
    batch.queue.endsWith('-webhooks')
      ? sendWebhooks(batch as MessageBatch<WebhookWakeUp>, env)
      : consume(batch as MessageBatch<WakeUp>, env, (db) => wakeWebhooks(env, db, new Date())),

  scheduled: (_controller, env) => runCron(env, new Date()),
} satisfies ExportedHandler<Env, WakeUp | WebhookWakeUp>

export default worker
