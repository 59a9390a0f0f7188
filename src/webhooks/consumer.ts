/** The consumer of the queue `webhooks`. At least once: receivers know a message by its id. */
import { connect, type Database } from '../db/client.ts'
import { type Settings, settingsOf } from '../env.ts'
import { log } from '../log.ts'
import { claim, type Message } from './claim.ts'
import { tellDisabled } from './failing.ts'
import { secretOf } from './secret.ts'
import { send } from './send.ts'
import { type Attempt, release } from './store.ts'
import { type WebhookWakeUp, wakeEndpoints } from './wake.ts'

/** Attempts at the same time. A Worker may wait for the headers of six responses. */
const CONCURRENT = 5

/** Milliseconds. The cron run takes care of what is due later. */
const MAX_DELAY = 60_000

type Deps = {
  db: Database
  settings: Settings
  queue: Queue<WebhookWakeUp>
  email: SendEmail
  clock: () => Date
}

/**
 * Sends the due messages of the endpoints that the queue names. A queue message is only a hint, so
 * it is never repeated: if a run fails, the cron run wakes its endpoint again.
 */
export async function sendWebhooks(batch: MessageBatch<WebhookWakeUp>, env: Env): Promise<void> {
  batch.ackAll()
  const deps = {
    db: connect(env.DB),
    settings: settingsOf(env),
    queue: env.WEBHOOKS,
    email: env.EMAIL,
    clock: () => new Date(),
  }
  const endpointIds = new Set(batch.messages.map(({ body }) => body.endpointId))
  await Promise.all(
    [...endpointIds].map((endpointId) =>
      run(deps, endpointId).catch((error) =>
        log.error('webhook_run_failed', { endpointId, error }),
      ),
    ),
  )
}

/** Sends the oldest due messages of an endpoint, unless another run does. */
async function run(deps: Deps, endpointId: string): Promise<void> {
  const { db, settings, queue, clock } = deps
  const claimed = await claim(db, endpointId, clock())
  if (!claimed) return
  const { endpoint, messages } = claimed
  const { secretId, previousSecretId } = endpoint
  const secretIds = [secretId, previousSecretId].filter((id) => id !== null)
  const secrets = await Promise.all(secretIds.map((id) => secretOf(settings, id)))
  const attempts: Attempt[] = []
  const waiting = messages.values()
  const work = async () => {
    for (const message of waiting) attempts.push(await attemptOf(message))
  }
  const attemptOf = async (message: Message): Promise<Attempt> => ({
    message,
    ...(await send(endpoint.url, secrets, message, settings.LOOPBACK_HOSTS, clock)),
  })
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  const now = clock()
  const { dueAt, disabled } = await release(db, endpoint, attempts, now)
  if (disabled) await tellDisabled(deps.email, settings, disabled, 'gone')
  const delay = dueAt ? Math.max(0, Date.parse(dueAt) - now.getTime()) : Infinity
  if (delay <= MAX_DELAY) await wakeEndpoints(queue, [endpointId], Math.ceil(delay / 1000))
}
