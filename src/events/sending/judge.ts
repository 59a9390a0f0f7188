/**
 * What the attempts of a batch mean for the endpoint and for the messages.
 *
 * A receiver that fails: after five rejections in a row, or one attempt without an answer, its endpoint
 * pauses, for 5 or 10 seconds first and 5 minutes at most, and gets one message after each pause: of those
 * that are due the one that became due last, else the next of the log (`events/sending/batch.ts`). So an hour of failure is about 20 attempts, or 15 if
 * nobody answers, while messages wait. A message that was tried is sent again on its own after `delays`:
 * ten attempts in three days. Then it is `failed`, until its owner sends it again. All others wait in the
 * log, in their order. Each accepted message takes 1 from the penalty: no pause follows it, and full
 * batches after at most 13. Another failure before that pauses the endpoint again. Owners are warned
 * after four days without success, and the endpoint is disabled after five (`events/failing.ts`); an
 * answer of 410 disables it at once.
 */
import type { WebhookEndpoint } from '../../db/schema/webhooks.ts'
import { webhookLimits } from '../../limits.ts'
import { HOUR, MINUTE, SECOND } from '../../time.ts'
import { type EventBatch, PAUSING_PENALTY, positionAfter } from './batch.ts'
import { type Attempt, GONE } from './send.ts'

/** Milliseconds after the first, second, … attempt of a message. There is none after the tenth. */
const delays = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]

/** Part of the delay that is added at most, so that messages that failed together spread out. */
const JITTER = 0.1
const MAX_RETRY_AFTER = 24 * HOUR
/** Milliseconds of the first pause of an endpoint, and of the longest. */
const FIRST_PAUSE = 5 * SECOND
/** With this `penalty` the pause is the longest. */
const MAX_PENALTY = 17

/** `health` is null if nothing was sent. */
export type Judgement = ReturnType<typeof judgeBatch>

type Judged = { batch: EventBatch; attempts: readonly Attempt[]; now: Date }

/**
 * Judges the attempts to send a batch. The position moves over what was sent, in the order of the
 * log: what failed is stored, and sent again on its own.
 */
export function judgeBatch(endpoint: WebhookEndpoint, { batch, attempts, now }: Judged) {
  const sent = attempts.map(({ message }) => message)
  return {
    position:
      sent.length === batch.messages.length ? batch.end : positionAfter(endpoint.position, sent),
    health: attempts.length > 0 ? judgeHealth(endpoint, attempts, now) : null,
    records: attempts.map(toRecord),
  }
}

/** Returns how the endpoint stands after the attempts. `isGone`: whether it wants no more messages. */
function judgeHealth(endpoint: WebhookEndpoint, attempts: readonly Attempt[], now: Date) {
  const penalty = penaltyAfter(endpoint.penalty, attempts)
  const isPaused = penalty >= PAUSING_PENALTY && penalty > endpoint.penalty
  const isChallenged = attempts.some(({ isChallenge }) => isChallenge)
  const at = now.toISOString()
  return {
    penalty: Math.min(penalty, MAX_PENALTY),
    pausedUntil: isPaused ? pauseUntil(penalty, now) : null,
    failingSince: attempts.some(isAccepted) ? null : (endpoint.failingSince ?? at),
    verifiedAt: endpoint.verifiedAt ?? (isChallenged ? at : null),
    isGone: attempts.some(({ status }) => status === GONE),
  }
}

const isAccepted = ({ error }: Attempt): boolean => error === null

/** Counts rejections in a row, over batches. A receiver that does not answer costs more than one that rejects. */
function penaltyAfter(penalty: number, attempts: readonly Attempt[]): number {
  const isPenalized = penalty >= PAUSING_PENALTY
  const hasAccepted = attempts.some(isAccepted)
  const isSilent = attempts.some(({ status }) => status === null)
  if (isSilent) return isPenalized ? penalty + 4 : PAUSING_PENALTY + 2
  if (isPenalized) return hasAccepted ? penalty - 1 : penalty + 2
  const rejections = attempts.length - 1 - attempts.findLastIndex(isAccepted)
  return Math.min(hasAccepted ? rejections : penalty + rejections, PAUSING_PENALTY)
}

/** Returns until when an endpoint gets only tests: twice as long for each two of `penalty`. */
function pauseUntil(penalty: number, now: Date): string {
  const pause = FIRST_PAUSE * 2 ** ((penalty - PAUSING_PENALTY) / 2)
  return new Date(now.getTime() + Math.min(pause, webhookLimits.pause.max)).toISOString()
}

/**
 * Returns an attempt, and the next state of its message. If the message has another `dueAt` by then than
 * when it was read (`claimedDueAt`), it was sent again meanwhile.
 */
function toRecord({ message, at, duration, status, error, retryAfter }: Attempt) {
  const tries = message.tries + 1
  const failedAt = new Date(at.getTime() + duration)
  const dueAt = error === null ? null : retryAt(tries, retryAfter, failedAt)
  return {
    id: message.id,
    claimedDueAt: message.dueAt,
    state: error === null ? 'delivered' : dueAt ? 'pending' : 'failed',
    tries,
    dueAt: dueAt?.toISOString() ?? null,
    attempt: { at, duration, status, error },
  }
}

/** Null: the message is given up. `retryAfter`: a header, which makes the delay longer, never shorter. */
function retryAt(tries: number, retryAfter: string | null, now: Date): Date | null {
  const delay = delays[tries - 1]
  if (delay === undefined) return null
  const asked = Math.min(parseRetryAfter(retryAfter, now), MAX_RETRY_AFTER)
  return new Date(now.getTime() + Math.max(delay * (1 + JITTER * Math.random()), asked))
}

/** Returns milliseconds; 0 without a valid header. RFC 9110, section 10.2.3: seconds or a date. */
function parseRetryAfter(header: string | null, now: Date): number {
  if (header === null) return 0
  const delay = /^\d+$/.test(header) ? Number(header) * SECOND : Date.parse(header) - now.getTime()
  return Number.isNaN(delay) ? 0 : delay
}
