/**
 * The consumer of the queue `webhooks`. A message may be sent twice: receivers recognize it by its id.
 */
import { connect, type Database } from '../db/client.ts'
import { readSettings, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { reportDisabled } from './failing.ts'
import { type Attempt, claimEndpoint, releaseEndpoint } from './lease.ts'
import { type WebhookWakeUp, wakeEndpoints } from './outbox.ts'
import { sendMessage } from './send.ts'
import { webhookSecret } from './signature.ts'

/** Attempts at the same time. A Worker may wait for the headers of six responses. */
const CONCURRENT = 5

/** Milliseconds. The cron run takes care of what is due later. */
const MAX_DELAY = 60_000

type ConsumerCtx = {
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
  const ctx = {
    db: connect(env.DB),
    settings: readSettings(env),
    queue: env.WEBHOOKS,
    email: env.EMAIL,
    clock: () => new Date(),
  }
  const endpointIds = new Set(batch.messages.map(({ body }) => body.endpointId))
  await Promise.all(
    [...endpointIds].map((endpointId) =>
      runEndpoint(ctx, endpointId).catch((error) =>
        log.error('webhook_run_failed', { endpointId, error }),
      ),
    ),
  )
}

/** Sends the oldest due messages of an endpoint, unless another run does. */
async function runEndpoint(ctx: ConsumerCtx, endpointId: string): Promise<void> {
  const { db, settings, queue, clock } = ctx
  const claim = await claimEndpoint(db, endpointId, clock())
  if (!claim) return
  const { endpoint, messages } = claim
  const { url, secretId, previousSecretId } = endpoint
  const secretIds = [secretId, previousSecretId].filter((id) => id !== null)
  const secrets = await Promise.all(secretIds.map((id) => webhookSecret(settings, id)))
  const attempts: Attempt[] = []
  const waiting = messages.values()
  const work = async () => {
    for (const message of waiting)
      attempts.push({ message, ...(await sendMessage(ctx, { url, secrets, message })) })
  }
  await Promise.all(Array.from({ length: CONCURRENT }, work))
  const now = clock()
  const { dueAt, disabled } = await releaseEndpoint(db, endpoint, { attempts, now })
  if (disabled) await reportDisabled({ ...ctx, now }, disabled, 'gone')
  const delay = dueAt ? Math.max(0, Date.parse(dueAt) - now.getTime()) : Infinity
  if (delay <= MAX_DELAY) await wakeEndpoints(queue, [endpointId], Math.ceil(delay / 1000))
}
