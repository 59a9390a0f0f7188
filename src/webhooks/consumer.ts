/**
 * The consumer of the queues of webhooks. A message may be sent twice: receivers recognize it by its
 * id.
 */
import { connect, type Database } from '../db/client.ts'
import { readSettings, type Settings } from '../env.ts'
import { log } from '../log.ts'
import { type Attempt, commitBatch, GONE, MAX_FAILURES, type Turn } from './commit.ts'
import { type Batch, claimEndpoint, type Message } from './cursor.ts'
import { reportDisabled } from './failing.ts'
import { sendMessage } from './send.ts'
import { webhookSecret } from './signature.ts'
import { type DueEndpoint, type WebhookQueues, type WebhookWakeUp, wakeEndpoints } from './wake.ts'

/** A Worker may wait for the headers of six responses, which the endpoints of a call share. */
const CONNECTIONS = 6

/**
 * Batches of a call, which the endpoints share: D1 allows 1,000 statements in a call, and the
 * platform 10,000 requests.
 */
const MAX_BATCHES = 90

/** Milliseconds in which a batch starts messages, so that a change by the owner counts soon. */
const MAX_BATCH = 2000

/** Milliseconds for which a run goes on, and for which it does if another endpoint waits. */
const MAX_RUN = 60_000
const MAX_SHARED_RUN = 5000

/** Milliseconds. The cron run takes care of what is due later. */
const MAX_DELAY = 60_000

type ConsumerCtx = {
  db: Database
  settings: Settings
  queues: WebhookQueues
  email: SendEmail
  clock: () => Date
  /** Endpoints that share the connections and the batches. */
  endpoints: number
  /** Whether a run sends one message, and leaves the others to the queue. */
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
    email: env.EMAIL,
    clock: () => new Date(),
    endpoints: endpointIds.size,
  }
  await Promise.all(
    [...endpointIds].map((endpointId) =>
      runEndpoint(ctx, endpointId).catch((error) =>
        log.error('webhook_run_failed', { endpointId, error }),
      ),
    ),
  )
}

/**
 * Sends the message of an endpoint that became due last, such as a test, unless another run sends to
 * the endpoint. The consumer does the rest. A failure is only logged.
 */
export async function sendFirst(
  { db, settings, env }: Pick<ConsumerCtx, 'db' | 'settings'> & { env: Env },
  { id, role }: DueEndpoint,
): Promise<void> {
  const shared = { queues: env, email: env.EMAIL, clock: () => new Date(), endpoints: 1 }
  await runEndpoint({ db, settings, ...shared, isSingle: true }, id).catch((error) =>
    log.error('webhook_run_failed', { endpointId: id, error }),
  )
  await wakeEndpoints(env, [{ id, role }])
}

/** Sends batches to an endpoint until nothing is due or its turn is over. */
async function runEndpoint(ctx: ConsumerCtx, endpointId: string): Promise<void> {
  const { db, queues, clock, endpoints, isSingle } = ctx
  const startedAt = clock()
  const turnAt = (now: Date, batches: number): Turn => {
    const elapsed = now.getTime() - startedAt.getTime()
    if (isSingle || elapsed >= MAX_RUN || batches >= Math.floor(MAX_BATCHES / endpoints))
      return 'over'
    return elapsed >= MAX_SHARED_RUN ? 'shared' : 'free'
  }
  let batch = await claimEndpoint(db, endpointId, startedAt)
  for (let batches = 1; batch; batches++) {
    const attempts = await sendBatch(ctx, batch)
    const now = clock()
    const committed = await commitBatch(db, batch, { attempts, turn: turnAt(now, batches), now })
    if (!committed) return
    if (committed.disabled) await reportDisabled({ ...ctx, now }, committed.disabled, 'gone')
    const { wakeAt } = batch.cursor
    const { leaseUntil, dueAt } = committed.cursor
    batch = leaseUntil ? committed : undefined
    if (batch) continue
    if (committed.next) await wakeEndpoints(queues, [committed.next])
    const delay = dueAt ? Date.parse(dueAt) - now.getTime() : Infinity
    const isPlanned = delay > 0 && dueAt === wakeAt
    if (delay <= MAX_DELAY && !isPlanned)
      await wakeEndpoints(queues, [committed.cursor], Math.max(0, Math.ceil(delay / 1000)))
  }
}

/**
 * Sends the messages in their order: the first one alone, and one more at a time for each that is
 * accepted. Stops at a receiver that does not answer or rejects several in a row.
 */
async function sendBatch(ctx: ConsumerCtx, { cursor, messages }: Batch): Promise<Attempt[]> {
  const { settings, clock, endpoints, isSingle } = ctx
  const { url, secretId, previousSecretId, verifiedAt } = cursor
  const secretIds = [secretId, previousSecretId].filter((id) => id !== null)
  const secrets = await Promise.all(secretIds.map((id) => webhookSecret(settings, id)))
  const lastStart = clock().getTime() + MAX_BATCH
  const connections = Math.max(1, Math.floor(CONNECTIONS / endpoints))
  const attempts: Attempt[] = []
  const waiting = messages.values()
  let open = 0
  let failures = 0

  async function sendNext(): Promise<void> {
    if (open >= connections || failures >= MAX_FAILURES || clock().getTime() > lastStart) return
    const { value: message } = waiting.next() as IteratorResult<Message, undefined>
    if (!message || (isSingle && open + attempts.length > 0)) return
    open++
    const outcome = await sendMessage(ctx, { url, secrets, message })
    open--
    const error =
      outcome.error ??
      (verifiedAt || outcome.isChallenge ? null : 'it did not answer the challenge')
    attempts.push({ ...outcome, error, message })
    const isEnd = outcome.status === null || outcome.status === GONE
    failures = error === null ? 0 : failures + (isEnd ? MAX_FAILURES : 1)
    await Promise.all(error === null ? [sendNext(), sendNext()] : [sendNext()])
  }
  await sendNext()
  return attempts
}
