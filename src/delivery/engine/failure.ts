/** When an item that cannot be delivered waits, and when it fails. */
import type { Reason } from '../reasons.ts'
import { fail, type Move, wait } from './moves.ts'
import type { Item } from './state.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** Delay between two checks of an item that cannot be delivered, in milliseconds: grows with each. */
const FIRST_DELAY = 15 * SECOND
const MAX_DELAY = HOUR

/** Delay after an inconclusive check, in milliseconds. */
export const LATER = 30 * SECOND

export type Problem = Reason & {
  /** `holder`: the holder has not approved the contract or lacks the token, and often corrects that. */
  cause: 'holder' | 'item'
}

/** Milliseconds for which an item has to fail before it is `failed`. */
const LIMIT = { holder: 24 * HOUR, item: 10 * MINUTE }

/** Since when the item fails for this reason. */
function failingSince(item: Item, { reasonCode }: Problem, now: Date): Date {
  const isSame = item.reasonCode === reasonCode
  // A failure in a transaction is followed by the same failure in a simulation.
  return item.failingSince && (isSame || item.tries > 0) ? new Date(item.failingSince) : now
}

/** Whether the item has failed long enough to be `failed`, or has failed in a transaction. */
export function isOverdue(item: Item, problem: Problem, now: Date): boolean {
  if (problem.cause === 'item' && item.tries > 0) return true
  const elapsed = now.getTime() - failingSince(item, problem, now).getTime()
  return elapsed >= LIMIT[problem.cause]
}

/** `isConfirmed`: a second node gives the same result, or the network has only one node. */
export function judge(item: Item, problem: Problem, isConfirmed: boolean, now: Date): Move {
  if (isConfirmed && isOverdue(item, problem, now)) return fail(item, problem)
  const since = failingSince(item, problem, now)
  const elapsed = now.getTime() - since.getTime()
  const delay = Math.min(MAX_DELAY, Math.max(FIRST_DELAY, elapsed))
  const limit = since.getTime() + LIMIT[problem.cause]
  const next = now.getTime() + delay
  const at = new Date(limit > now.getTime() ? Math.min(next, limit) : next)
  return wait(item, problem, since.toISOString(), at)
}
