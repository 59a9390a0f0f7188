import { cache, env } from 'cloudflare:workers'
import app from './app.ts'
import { setCache } from './avatars/purge.ts'
import { connect } from './db/client.ts'
import { consume } from './delivery/run.ts'
import type { WakeUp } from './delivery/wake.ts'
import { setLogVersion } from './log.ts'
import { runCron } from './operations/cron.ts'
import { sendWebhooks } from './webhooks/consumer.ts'
import { type WebhookWakeUp, wakeWebhooks } from './webhooks/wake.ts'

setLogVersion(env.VERSION.id)
setCache(cache)

const worker = {
  fetch: app.fetch,

  // Each environment has a prefix of its own.
  queue: (batch, env) =>
    batch.queue.endsWith('-webhooks')
      ? sendWebhooks(batch as MessageBatch<WebhookWakeUp>, env)
      : consume(batch as MessageBatch<WakeUp>, env, () =>
          wakeWebhooks(env, connect(env.DB), new Date()),
        ),

  scheduled: (_controller, env) => runCron(env, new Date()),
} satisfies ExportedHandler<Env, WakeUp | WebhookWakeUp>

export default worker
