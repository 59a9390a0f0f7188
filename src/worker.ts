import { cache, env } from 'cloudflare:workers'
import app from './app.ts'
import { setCache } from './avatars/remove.ts'
import { runCron } from './cron.ts'
import { consume } from './delivery/run.ts'
import type { WakeUp } from './delivery/wake.ts'
import { sendWebhooks } from './events/sending/consumer.ts'
import { type WebhookWakeUp, wakeWebhooks } from './events/wake.ts'
import { setLogVersion } from './log.ts'

setLogVersion(env.VERSION.id)
setCache(cache)

const worker = {
  fetch: app.fetch,

  // Each environment has a prefix of its own.
  queue: (batch, env) =>
    batch.queue.endsWith('-webhooks')
      ? sendWebhooks(batch as MessageBatch<WebhookWakeUp>, env)
      : consume(batch as MessageBatch<WakeUp>, env, (db) => wakeWebhooks(env, db, new Date())),

  scheduled: (_controller, env) => runCron(env, new Date()),
} satisfies ExportedHandler<Env, WakeUp | WebhookWakeUp>

export default worker
