/** What an attempt to place or to reserve begins with: `place.ts` and `reservations/reserve.ts` go on. */
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, requireNone } from '../http/errors.ts'
import { findProblems, type OrderData, requireOwnListings } from './check.ts'
import { type IdempotentCall, requireSameCall } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { countAdded, requireRoom } from './open-orders.ts'

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

type AttemptCtx = Ctx & { settings: Pick<Settings, 'NETWORKS' | 'MAX_OPEN_ORDERS'> }

export type Attempt = {
  inputs: readonly NewOrder[]
  call: IdempotentCall | null
  /** Whether the call is done if an order has the number of its only one. */
  isNumbered?: boolean
  /** What the path of an issue begins with. */
  prefixOf?: (i: number) => string
  /** From 1. */
  attempt: number
}

/**
 * Loads what a call depends on, and throws what is wrong with it. Returns the data and, if the call was
 * done before, what it has made: JSON, ids of orders or reservations. Throws `request_in_progress`
 * after the last attempt.
 *
 * The write fails if the caller has too many open orders; only then, in the next attempt, it matters
 * how many.
 */
export async function beginAttempt(
  ctx: AttemptCtx,
  { inputs, call, isNumbered = false, prefixOf, attempt }: Attempt,
): Promise<{ data: OrderData; earlier: string | null }> {
  if (attempt > ATTEMPTS)
    throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
      'Retry-After': '1',
    })
  const isFirst = attempt === 1
  // A session only begins at the primary: its later reads may go to a replica.
  const db = isFirst ? ctx.db : ctx.db.$client.openPrimary()
  const data = await loadOrderData({ ...ctx, db }, { inputs, call, countsOpen: !isFirst })
  const problems = findProblems(ctx, inputs, data, prefixOf)
  requireOwnListings(problems)
  const numbered = isNumbered ? data.placed.get(inputs[0]?.providerId ?? '') : undefined
  if (numbered) return { data, earlier: JSON.stringify([numbered.orderId]) }
  if (call && data.stored) {
    requireSameCall(call, data.stored)
    return { data, earlier: data.stored.result }
  }
  requireNone(problems)
  requireRoom(ctx, data.open, countAdded(inputs))
  return { data, earlier: null }
}
