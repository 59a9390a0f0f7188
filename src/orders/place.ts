/** Places paid orders, or checks whether they could be placed. */
import type { Settings } from '../env.ts'
import type { DueEndpoint } from '../events/wake.ts'
import type { Ctx } from '../http/context.ts'
import { requireNone } from '../http/errors.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import { type Attempt, beginAttempt } from './attempt.ts'
import { findProblems, type OrderData } from './check.ts'
import { idempotentCall } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { countAdded, requireRoom } from './open-orders.ts'
import { chainsToWake, placedOrders, planOrders } from './plan.ts'
import { readOrders } from './read.ts'
import { CheckedOrder, type PlacedOrder } from './schema.ts'
import { writePlan } from './write.ts'

/** The `sequence` of an order whose delivery has not changed yet. */
const FIRST_SEQUENCE = 1

export type PlaceCtx = Ctx & {
  settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET' | 'MAX_OPEN_ORDERS' | 'PUBLIC_URL'>
}

export type Placement = {
  orders: PlacedOrder[]
  /** What the call depends on, as it was read. */
  data: OrderData
  /** Of one order, as summaries have it. */
  sequence: number | null
  /** The name of the token that placed them. */
  source: string
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
export const placeOrders = (
  ctx: PlaceCtx,
  { orders: inputs, key }: { orders: readonly NewOrder[]; key?: string | undefined },
): Promise<Placement> =>
  placeOnce(ctx, {
    inputs,
    call: key ? idempotentCall(key, { orders: inputs }, ctx.now) : null,
  })

/**
 * Places orders, unless an earlier call has. Takes two trips: one reads what the orders depend on, the
 * other writes them unless another call has changed that, as its guards find. Then the steps begin
 * again. `reserve` (`reservations/reserve.ts`) takes the same steps, with a plan of its own.
 *
 * `http/endpoint.ts` repeats as well: it calls a handler once more at the primary if it has thrown an
 * error of the API after a replica had answered. What is repeated here is a write that came too late.
 */
export async function placeOnce(
  ctx: PlaceCtx,
  { inputs, call, ...options }: Omit<Attempt, 'attempt'>,
): Promise<Placement> {
  for (let attempt = 1; ; attempt++) {
    const { data, earlier } = await beginAttempt(ctx, { inputs, call, ...options, attempt })
    if (earlier) return await readPlaced(ctx, data, JSON.parse(earlier))
    const plan = await planOrders(ctx, inputs, data)
    const written = await writePlan(ctx, { inputs, data, plan, call })
    if (written)
      return {
        orders: placedOrders(ctx.caller, plan, written),
        data,
        sequence: FIRST_SEQUENCE,
        source: tokenNameOf(data.namespace),
        isReplay: false,
        chainIds: chainsToWake(plan),
        endpoints: written.endpoints,
      }
  }
}

/** Returns the orders of an earlier call as they are now, which a replica may not know yet. */
async function readPlaced(
  ctx: PlaceCtx,
  data: OrderData,
  ids: readonly number[],
): Promise<Placement> {
  const atPrimary = { ...ctx, db: ctx.db.$client.openPrimary() }
  const { orders, state } = await readOrders(atPrimary, ids.map(String))
  return {
    orders: orders.map(({ buyer: _, ...order }) => order),
    data,
    sequence: state?.sequence ?? null,
    source: tokenNameOf(data.namespace),
    isReplay: true,
    chainIds: [],
    endpoints: [],
  }
}

/**
 * Checks orders as `placeOrders` does, in one trip, and writes nothing. Returns what they would sell
 * at which price.
 */
export async function checkOrders(ctx: PlaceCtx, inputs: readonly NewOrder[]) {
  const data = await loadOrderData(ctx, { inputs, countsOpen: true })
  requireNone(findProblems(ctx, inputs, data))
  requireRoom(ctx, data.open, countAdded(inputs))
  const { orders } = await planOrders(ctx, inputs, data)
  return orders.map(({ item, order }) => CheckedOrder.parse({ ...item, ...order }))
}
