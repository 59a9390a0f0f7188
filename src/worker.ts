import app from './app.ts'
import { runCron } from './maintenance/cron.ts'
import { consume } from './transfers/consumer.ts'
import { buryDeadLetters } from './transfers/dead-letters.ts'
import type { TransferMessage } from './transfers/message.ts'

const worker: ExportedHandler<Env, TransferMessage> = {
  fetch: app.fetch,

  queue: (batch, env) =>
    (batch.queue.endsWith('-dead') ? buryDeadLetters : consume)(batch, env, new Date()),

  scheduled: (_controller, env) => runCron(env, new Date()),
}

export default worker
