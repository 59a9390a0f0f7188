/** One run: takes the lease of an endpoint, sends batches while it is its turn, returns the lease. */
import type { Database } from '../../db/client.ts'
import type { Settings } from '../../env.ts'
import { log } from '../../log.ts'
import { reportGone } from '../failing.ts'
import { eventName } from '../id.ts'
import { type WebhookQueues, wakeEndpoints } from '../wake.ts'
import { readBatch } from './batch.ts'
import { commit } from './commit.ts'
import { type Attempt, judge } from './judge.ts'
import { isAnotherWaiting, type Leased, releaseLease, takeLease } from './lease.ts'
import { type SendCtx, sendBatch } from './send-batch.ts'

/**
 * Batches of a call, which the endpoints share: D1 allows 1,000 statements in a call, of which a batch
 * takes ten, and the platform 10,000 requests.
 */
const MAX_BATCHES = 90

/** Milliseconds for which a run goes on, and for which it does if another endpoint waits. */
const MAX_RUN = 60_000
const MAX_SHARED_RUN = 5000

/** `endpoints` also share the batches of a call. With `isSingle`, the queue sends the other messages. */
export type RunCtx = SendCtx & {
  db: Database
  settings: Settings
  queues: WebhookQueues
  email: SendEmail
}

/** Sends batches to an endpoint until nothing is due or its turn is over. */
export async function runEndpoint(ctx: RunCtx, endpointId: string): Promise<void> {
  const { db, clock } = ctx
  const startedAt = clock()
  let endpoint = await takeLease(db, endpointId, startedAt)
  if (!endpoint) return
  const { wakeAt } = endpoint
  for (let batches = 1; ; batches++) {
    const batch = await readBatch(db, endpoint, clock())
    if (batch.messages.length === 0 && batch.end === endpoint.position) break
    const attempts = await sendBatch(ctx, endpoint, batch.messages)
    const now = clock()
    logFailures(endpointId, attempts)
    const verdict = judge(endpoint, { batch, attempts, now })
    endpoint = await commit(db, endpoint, { verdict, now })
    if (!endpoint) return
    const { disabledAt, disabledReason } = endpoint
    if (disabledReason === 'gone' && disabledAt === now.toISOString())
      await reportGone({ ...ctx, now }, endpointId)
    if (disabledAt !== null || (await isTurnOver(ctx, endpoint, { startedAt, batches }))) break
  }
  await endRun(ctx, endpoint, wakeAt)
}

type Turn = { startedAt: Date; batches: number }

/** A run goes on for a minute, but leaves its turn to another endpoint that waits. */
async function isTurnOver(
  { db, clock, endpoints, isSingle }: RunCtx,
  endpoint: Leased,
  { startedAt, batches }: Turn,
): Promise<boolean> {
  const now = clock()
  const elapsed = now.getTime() - startedAt.getTime()
  if (isSingle || elapsed >= MAX_RUN) return true
  if (batches >= Math.floor(MAX_BATCHES / endpoints)) return true
  return elapsed >= MAX_SHARED_RUN && (await isAnotherWaiting(db, endpoint, now))
}

/**
 * Returns the lease, and wakes who is next: another endpoint of the user, and the endpoint itself if
 * it is due soon, unless a message of the queue was planned for that before (`plannedAt`).
 */
async function endRun(
  { db, queues, clock }: RunCtx,
  endpoint: Leased,
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

function logFailures(endpointId: string, attempts: readonly Attempt[]): void {
  for (const { message, status, error } of attempts)
    if (error !== null)
      log.info('webhook_failed', {
        endpointId,
        messageId: eventName(message.id),
        attempt: message.tries + 1,
        status,
        reason: error,
      })
}
