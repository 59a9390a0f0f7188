/** What the attempts of a batch mean for the endpoint and for the messages. */
import type { Leased } from './lease.ts'
import { type Batch, type Message, positionAfter } from './message.ts'
import { pauseUntil, retryAt } from './retry.ts'
import type { Outcome } from './send.ts'

/** Failures in a row after which the rest of a batch has to wait. */
export const MAX_FAILURES = 5

/** 410 Gone: the receiver wants no more messages. */
export const GONE = 410

/** So many failures that no pause is longer. */
const MOST_FAILURES = 14

export type Attempt = Outcome & { message: Message }

/** An attempt, and the next state of its message. */
type MessageRecord = {
  id: number
  /** `dueAt` of the message when it was read. Another one means that it was sent again meanwhile. */
  claimedDueAt: string | null
  state: 'pending' | 'delivered' | 'failed'
  tries: number
  dueAt: string | null
  attempt: { at: Date; duration: number; status: number | null; error: string | null }
}

/** How the endpoint stands after the attempts. */
export type Health = {
  failures: number
  pausedUntil: string | null
  failingSince: string | null
  verifiedAt: string | null
  /** Whether it wants no more messages. */
  isGone: boolean
}

export type Verdict = {
  position: number
  /** Null if nothing was sent. */
  health: Health | null
  records: MessageRecord[]
}

type Sent = { batch: Batch; attempts: readonly Attempt[]; now: Date }

/**
 * Judges the attempts to send a batch. The position moves over what was sent, in the order of the
 * log: what failed is stored, and sent again on its own.
 */
export function judge(endpoint: Leased, { batch, attempts, now }: Sent): Verdict {
  const sent = attempts.map(({ message }) => message)
  return {
    position:
      sent.length === batch.messages.length ? batch.end : positionAfter(endpoint.position, sent),
    health: attempts.length > 0 ? judgeHealth(endpoint, attempts, now) : null,
    records: attempts.map(toRecord),
  }
}

function judgeHealth(endpoint: Leased, attempts: readonly Attempt[], now: Date): Health {
  const hasAccepted = attempts.some(({ error }) => error === null)
  const added = addedFailures(endpoint, attempts, hasAccepted)
  const failures = Math.min(Math.max(endpoint.failures + added, 0), MOST_FAILURES)
  const at = now.toISOString()
  return {
    failures,
    pausedUntil: added > 0 ? pauseUntil(failures, now).toISOString() : null,
    failingSince: hasAccepted ? null : (endpoint.failingSince ?? at),
    verifiedAt:
      endpoint.verifiedAt ?? (attempts.some(({ isChallenge }) => isChallenge) ? at : null),
    isGone: attempts.some(({ status }) => status === GONE),
  }
}

/** A receiver that does not answer costs more than one that rejects, so it is tried less often. */
function addedFailures(
  { failures }: Leased,
  attempts: readonly Attempt[],
  hasAccepted: boolean,
): number {
  if (attempts.some(({ status }) => status === null)) return 4
  if (hasAccepted) return -1
  return failures > 0 || attempts.length >= MAX_FAILURES ? 2 : -1
}

function toRecord({ message, at, duration, status, error, retryAfter }: Attempt): MessageRecord {
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
