/** Places paid orders, or checks whether they could be placed. */
import type { DueEndpoint } from '../events/wake.ts'
import { ApiError, requireNone } from '../http/errors.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import {
  findProblems,
  type ListName,
  type OrderData,
  type PlaceCtx,
  requireOwnListings,
} from './check.ts'
import { requireRoom } from './guards.ts'
import { type IdempotentCall, idempotentCall, requireSameCall } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { chainsToWake, planOrders } from './plan.ts'
import { readOrders } from './read.ts'
import { CheckedOrder, type PlacedOrder } from './schema.ts'
import { writePlan } from './write.ts'

/** The `sequence` of an order whose delivery has not changed yet. */
const FIRST_SEQUENCE = 1

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

export type Placement = {
  orders: PlacedOrder[]
  /** What the call depends on, as it was read. */
  data: OrderData
  /** Of one order, as summaries have it. */
  sequence: number | null
  /** Of the token that placed them. */
  tokenName: string
  /** Whether an earlier call has placed them. */
  isReplay: boolean
  /** The chains and the webhook endpoints that are to be woken. */
  chainIds: (number | null)[]
  endpoints: DueEndpoint[]
}

/**
 * Places paid orders, all of them or none. A repeated call with an idempotency key returns the orders
 * of the first one, as they are now.
 *
 * @example const { orders } = await placeOrders(c.var, { orders: input.json })
 */
export function placeOrders(
  ctx: PlaceCtx,
  { orders: inputs, key }: { orders: readonly NewOrder[]; key?: string | undefined },
): Promise<Placement> {
  const call = key ? idempotentCall(key, { orders: inputs }, ctx.now) : null
  return placeOnce(ctx, { inputs, call, listName: 'orders' })
}

/** A call that places or reserves. */
type Call = {
  inputs: readonly NewOrder[]
  call: IdempotentCall | null
  listName: ListName
  /** Whether the call is done if an order has the number of its only one. */
  isByNumber?: boolean
}

/**
 * Places orders, unless an earlier call has. Takes two trips: one reads what the orders depend on, the
 * other writes them unless another call has changed that, as its guards find. Then the steps begin
 * again. `reserve` (`reservations/reserve.ts`) takes the same steps, with rows of its own.
 *
 * `http/endpoint.ts` repeats as well: it calls a handler once more at the primary if it has thrown an
 * error of the API after a replica had answered. What is repeated here is a write that came too late.
 */
export async function placeOnce(ctx: PlaceCtx, options: Call): Promise<Placement> {
  for (let attempt = 1; ; attempt++) {
    const { data, earlier } = await beginAttempt(ctx, options, attempt)
    const tokenName = tokenNameOf(data.namespace)
    if (earlier) {
      const { orders, sequence } = await readPlaced(ctx, JSON.parse(earlier))
      return { orders, data, sequence, tokenName, isReplay: true, chainIds: [], endpoints: [] }
    }
    const plan = await planOrders(ctx, data)
    const written = await writePlan(ctx, { data, plan, call: options.call })
    const sequence = FIRST_SEQUENCE
    const chainIds = chainsToWake(plan)
    if (written) return { ...written, data, sequence, tokenName, isReplay: false, chainIds }
  }
}

/**
 * Loads what a call depends on, and throws what is wrong with it. Returns the data and, if the call was
 * done before, what it has made: JSON, ids of orders or reservations. Throws `request_in_progress`
 * after the last attempt. `attempt`: from 1.
 *
 * The write fails if the caller has too many open orders. They are counted from the second attempt on,
 * for the error that says how many.
 */
export async function beginAttempt(
  ctx: PlaceCtx,
  { inputs, call, listName, isByNumber = false }: Call,
  attempt: number,
): Promise<{ data: OrderData; earlier: string | null }> {
  if (attempt > ATTEMPTS)
    throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
      'Retry-After': '1',
    })
  const isFirst = attempt === 1
  // A new session for each attempt: only the first read of one is certain to be at the primary.
  const db = isFirst ? ctx.db : ctx.db.$client.openPrimary()
  const data = await loadOrderData({ ...ctx, db }, { inputs, call, countsOpen: !isFirst })
  const problems = findProblems(ctx, data, listName)
  requireOwnListings(problems)
  const placed = isByNumber ? data.placed.get(inputs[0]?.providerId ?? '') : undefined
  if (placed) return { data, earlier: JSON.stringify([placed.orderId]) }
  if (call && data.stored) {
    requireSameCall(call, data.stored)
    return { data, earlier: data.stored.result }
  }
  requireNone(problems)
  requireRoom(ctx, data)
  return { data, earlier: null }
}

/** Returns the orders of an earlier call as they are now, which a replica may not know yet. */
async function readPlaced(ctx: PlaceCtx, ids: readonly number[]) {
  const atPrimary = { ...ctx, db: ctx.db.$client.openPrimary() }
  const { orders, state } = await readOrders(atPrimary, ids.map(String))
  return {
    orders: orders.map(({ buyer: _, ...order }) => order),
    sequence: state?.sequence ?? null,
  }
}

/**
 * Checks orders as `placeOrders` does, in one trip, and writes nothing. Returns what they would sell
 * at which price.
 */
export async function checkOrders(ctx: PlaceCtx, inputs: readonly NewOrder[]) {
  const data = await loadOrderData(ctx, { inputs, countsOpen: true })
  requireNone(findProblems(ctx, data, 'orders'))
  requireRoom(ctx, data)
  const { orders } = await planOrders(ctx, data)
  return orders.map(({ item, order }) => CheckedOrder.parse({ ...item, ...order }))
}
