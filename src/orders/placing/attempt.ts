/** Repeats the steps of a call that places or reserves while other calls change what it has read. */
import { ApiError, requireNone } from '../../http/errors.ts'
import { findProblems, type OrderListName, requireOwnListings } from './check.ts'
import type { OrderData, PlaceCtx } from './data.ts'
import { requireRoom } from './guards.ts'
import { type IdempotentCall, requireSameCall } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'

/** How often a call begins at most. */
export const ATTEMPTS = 3

/** A call that places or reserves. */
export type Call = {
  inputs: readonly NewOrder[]
  /** Null without an `Idempotency-Key`. */
  idempotency: IdempotentCall | null
  listName: OrderListName
  /** Whether the call is done if an order has the number of its only one. */
  isByNumber?: boolean
}

/**
 * What a call depends on, and if it was done before, what it has made: JSON, ids of orders or
 * reservations.
 */
type Begun = { data: OrderData; earlier: string | null }

/**
 * Loads what a call depends on, and throws what is wrong with it. What the call has to write then is refused if
 * another call has changed what was read, and the call begins again. `attempts`: how often it has begun before.
 *
 * The write fails if the caller has too many open orders. They are counted from the second attempt on,
 * for the error that says how many.
 *
 * `http/endpoint.ts` repeats as well: it calls a handler once more at the primary if it has thrown an
 * error of the API after a replica had answered. What is repeated here is a write that came too late.
 */
export async function begin(
  ctx: PlaceCtx,
  { inputs, idempotency, listName, isByNumber = false }: Call,
  attempts: number,
): Promise<Begun> {
  const isFirst = attempts === 0
  // A new session for each attempt: only the first read of one is certain to be at the primary.
  const db = isFirst ? ctx.db : ctx.db.$client.openPrimary()
  const data = await loadOrderData(
    { ...ctx, db },
    { inputs, call: idempotency, countsOpen: !isFirst },
  )
  const problems = findProblems(ctx, data, listName)
  requireOwnListings(problems)
  const placed = isByNumber ? data.placed.get(inputs[0]?.providerId ?? '') : undefined
  if (placed) return { data, earlier: JSON.stringify([placed.orderId]) }
  if (idempotency && data.stored) {
    requireSameCall(idempotency, data.stored)
    return { data, earlier: data.stored.result }
  }
  requireNone(problems)
  requireRoom(ctx, data)
  return { data, earlier: null }
}

/** The error after the last attempt. */
export const requestInProgress = () =>
  new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
    'Retry-After': '1',
  })
