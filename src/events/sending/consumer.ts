/**
 * The consumer of the queues of webhooks. A run takes the lease of an endpoint, reads a batch, sends
 * it, judges the attempts, commits what follows from them, and goes on until nothing is due or its
 * turn is over. A message may be sent twice: receivers recognize it by its id.
 */
import { connect, type Database } from '../../db/client.ts'
import type { WebhookEndpoint } from '../../db/schema/webhooks.ts'
import { readSettings, type Settings } from '../../env.ts'
import { webhookLimits } from '../../limits.ts'
import { log } from '../../log.ts'
import { eventName } from '../event.ts'
import { type DueEndpoint, type WebhookQueues, type WebhookWakeUp, wakeEndpoints } from '../wake.ts'
import { readBatch } from './batch.ts'
import { judgeBatch } from './judge.ts'
import { commitBatch, isAnotherWaiting, releaseLease, takeLease } from './lease.ts'
import { type Attempt, type Sender, sendBatch } from './send.ts'

/**
 * Batches of a call, which the endpoints share: D1 allows 1,000 statements in a call, of which a batch
 * takes ten, and the platform 10,000 requests.
 */
const MAX_BATCHES = 90

type RunCtx = Sender & {
  db: Database
  queues: WebhookQueues
  /** Whether the run sends one message. */
  isSingle?: boolean
}

/**
 * Sends to the endpoints that the queue names. A queue message is only a hint, so it is never
 * repeated: if a run fails, the cron run wakes its endpoint again.
 */
export async function sendWebhooks(batch: MessageBatch<WebhookWakeUp>, env: Env): Promise<void> {
  batch.ackAll()
  const endpointIds = new Set(batch.messages.map(({ body }) => body.endpointId))
  const ctx = {
    db: connect(env.DB),
    settings: readSettings(env),
    queues: env,
    clock: () => new Date(),
    endpoints: endpointIds.size,
  }
  await Promise.all([...endpointIds].map((endpointId) => tryRun(ctx, endpointId)))
}

/**
 * Sends the message of an endpoint that became due last, such as a test, unless another run sends to
 * the endpoint. The consumer does the rest. A failure is only logged.
 */
export async function sendFirst(
  { db, settings, env }: { db: Database; settings: Settings; env: Env },
  endpoint: DueEndpoint,
): Promise<void> {
  const clock = () => new Date()
  await tryRun({ db, settings, queues: env, clock, endpoints: 1, isSingle: true }, endpoint.id)
  await wakeEndpoints(env, [endpoint])
}

const tryRun = (ctx: RunCtx, endpointId: string): Promise<void> =>
  runEndpoint(ctx, endpointId).catch((error) =>
    log.error('webhook_run_failed', { endpointId, error }),
  )

/** Sends batches to an endpoint until nothing is due or its turn is over. */
async function runEndpoint(ctx: RunCtx, endpointId: string): Promise<void> {
  const { db, clock, isSingle } = ctx
  const startedAt = clock()
  let endpoint = await takeLease(db, endpointId, startedAt)
  if (!endpoint) return
  const plannedAt = endpoint.wakeAt
  for (let batches = 1; ; batches++) {
    const batch = await readBatch(db, endpoint, clock())
    if (batch.messages.length === 0 && batch.end === endpoint.position) break
    const messages = isSingle ? batch.messages.slice(0, 1) : batch.messages
    const attempts = await sendBatch(ctx, endpoint, messages)
    logFailedAttempts(endpoint, attempts)
    const now = clock()
    const judgement = judgeBatch(endpoint, { batch, attempts, now })
    endpoint = await commitBatch(db, endpoint, { judgement, now })
    if (!endpoint) return
    if (endpoint.disabledAt !== null) break
    if (await isTurnOver(ctx, endpoint, { startedAt, batches })) break
  }
  await endRun(ctx, endpoint, plannedAt)
}

function logFailedAttempts(endpoint: WebhookEndpoint, attempts: readonly Attempt[]): void {
  for (const { message, status, error } of attempts)
    if (error !== null)
      log.info('webhook_failed', {
        endpointId: endpoint.id,
        messageId: eventName(message.id),
        attempt: message.tries + 1,
        status,
        reason: error,
      })
}

/** A run goes on for a minute, but leaves its turn to another endpoint that waits. */
async function isTurnOver(
  { db, clock, endpoints, isSingle }: RunCtx,
  endpoint: WebhookEndpoint,
  { startedAt, batches }: { startedAt: Date; batches: number },
): Promise<boolean> {
  const now = clock()
  const elapsed = now.getTime() - startedAt.getTime()
  if (isSingle || elapsed >= webhookLimits.turn.max) return true
  if (batches >= Math.floor(MAX_BATCHES / endpoints)) return true
  return elapsed >= webhookLimits.sharedTurn.max && (await isAnotherWaiting(db, endpoint, now))
}

/**
 * Returns the lease, and wakes who is next: another endpoint of the user, and the endpoint itself if
 * it is due soon, unless a message of the queue was planned for that before (`plannedAt`).
 */
async function endRun(
  { db, queues, clock }: RunCtx,
  endpoint: WebhookEndpoint,
  plannedAt: string | null,
): Promise<void> {
  const now = clock()
  const released = await releaseLease(db, endpoint, now)
  if (!released) return
  const { wakeAt, next } = released
  if (next) await wakeEndpoints(queues, [next])
  if (wakeAt === null) return
  const delay = Date.parse(wakeAt) - now.getTime()
  const isPlanned = delay > 0 && wakeAt === plannedAt
  if (!isPlanned) await wakeEndpoints(queues, [endpoint], Math.max(0, Math.ceil(delay / 1000)))
}
