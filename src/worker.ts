import { env } from 'cloudflare:workers'
import app from './app.ts'
import { consume } from './delivery/consumer.ts'
import type { WakeUp } from './delivery/wake.ts'
import { setLogVersion } from './log.ts'
import { runCron } from './maintenance/cron.ts'

setLogVersion(env.VERSION.id)

const worker = {
  fetch: app.fetch,

  queue: (batch, env) => consume(batch, env),

  scheduled: (_controller, env) => runCron(env, new Date()),
} satisfies ExportedHandler<Env, WakeUp>

export default worker
