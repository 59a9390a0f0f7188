/** Places paid orders, or checks whether they could be placed. */

import { parseNamespace } from '../../auth/sources.ts'
import type { DueEndpoint } from '../../events/wake.ts'
import { requireNone } from '../../http/errors.ts'
import { readOrders } from '../reading/read.ts'
import { CheckedOrder, type PlacedOrder } from '../reading/schema.ts'
import { ATTEMPTS, begin, type Call, requestInProgress } from './attempt.ts'
import { findProblems } from './check.ts'
import type { OrderData, PlaceCtx } from './data.ts'
import { requireRoom } from './guards.ts'
import { idempotentCall } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { chainsToWake, planOrders } from './plan.ts'
import { writePlan } from './write.ts'

/** The `sequence` of an order whose delivery has not changed yet. */
const FIRST_SEQUENCE = 1

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
  const idempotency = key ? idempotentCall(key, { orders: inputs }, ctx.now) : null
  return placeOnce(ctx, { inputs, idempotency, listName: 'orders' })
}

/**
 * Places orders, unless an earlier call has. Takes two trips: one reads what the orders depend on, the
 * other writes them unless another call has changed that, as its guards find. Then the steps begin
 * again. Throws `request_in_progress` after the last attempt.
 */
export async function placeOnce(ctx: PlaceCtx, call: Call): Promise<Placement> {
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const { data, earlier } = await begin(ctx, call, attempts)
    const tokenName = parseNamespace(data.namespace).name
    if (earlier) {
      const { orders, sequence } = await readPlaced(ctx, JSON.parse(earlier))
      return { orders, data, sequence, tokenName, isReplay: true, chainIds: [], endpoints: [] }
    }
    const plan = await planOrders(ctx, data)
    const written = await writePlan(ctx, { data, plan, call: call.idempotency })
    const sequence = FIRST_SEQUENCE
    const chainIds = chainsToWake(plan)
    if (written) return { ...written, data, sequence, tokenName, isReplay: false, chainIds }
  }
  throw requestInProgress()
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
  return orders.map(({ orderItem, order }) => CheckedOrder.parse({ ...orderItem, ...order }))
}
