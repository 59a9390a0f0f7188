/** Places paid orders, or checks whether they could be placed. */
import type { Settings } from '../env.ts'
import type { DueEndpoint } from '../events/wake.ts'
import type { Ctx } from '../http/context.ts'
import { requireNone } from '../http/errors.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import { countAdded, inTwoTrips, type Loaded, LostRace } from './attempts.ts'
import { findProblems } from './check.ts'
import { deleteHolds } from './holds.ts'
import { type IdempotentCall, idempotentCall, replay, storeResponse } from './idempotency.ts'
import { expectListing, hasChanged, loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { requireRoom, selectOpen } from './open-orders.ts'
import { byId, requireRow } from './order.ts'
import { type Plan, placedOrders, planOrders } from './plan.ts'
import { CheckedOrder, type PlacedOrder } from './schema.ts'
import { writePlan } from './write.ts'

/** The `sequence` of an order whose delivery has not changed yet. */
const FIRST_SEQUENCE = 1

export type PlaceCtx = Ctx & {
  settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET' | 'MAX_OPEN_ORDERS' | 'PUBLIC_URL'>
}

export type Placement = {
  orders: PlacedOrder[]
  /** Of each order, as summaries have it; null if it is not known. */
  sequence: number | null
  /** The name of the token that placed them. */
  source: string
  /** Whether an earlier call has placed them. */
  isReplay: boolean
  /** The webhook endpoints that are to be woken. */
  endpoints: DueEndpoint[]
}

/**
 * Places paid orders, all of them or none. With an idempotency key, a repeated call returns the first
 * response. Throws `idempotency_key_reused`, `payload_too_large`, and what `placeOnce` throws.
 *
 * @example const { orders } = await placeOrders(c.var, { orders: c.req.valid('json') })
 */
export function placeOrders(
  ctx: PlaceCtx,
  { orders: inputs, key }: { orders: readonly NewOrder[]; key?: string | undefined },
): Promise<Placement> {
  const call = key ? idempotentCall(key, { orders: inputs }, ctx.now) : null
  return placeOnce(ctx, {
    inputs,
    call,
    findEarlier: ({ stored }) =>
      call && stored ? { orders: replay(ctx.caller, call, stored), sequence: null } : null,
  })
}

type Earlier = Pick<Placement, 'orders' | 'sequence'>

type Placing = {
  inputs: readonly NewOrder[]
  call: IdempotentCall | null
  /** Returns the orders if an earlier call has placed them. */
  findEarlier: (loaded: Loaded) => Earlier | null | Promise<Earlier | null>
  /** What the paths of issues about an order begin with. */
  prefixOf?: (i: number) => string
}

/**
 * Places orders unless an earlier call has. Throws `forbidden`, `not_ready`, and the errors of
 * `inTwoTrips`.
 */
export const placeOnce = (
  ctx: PlaceCtx,
  { inputs, call, findEarlier, prefixOf = (i) => `orders[${i}].` }: Placing,
): Promise<Placement> =>
  inTwoTrips<Placement>(ctx, {
    ...{ inputs, call, prefixOf },
    findEarlier: async (loaded) => {
      const earlier = await findEarlier(loaded)
      const source = tokenNameOf(loaded.data.namespace)
      return earlier && { ...earlier, source, isReplay: true, endpoints: [] }
    },
    write: async (data, guards, statements) => {
      const { db, caller } = ctx
      const { namespace } = data
      const plan = await planOrders(ctx, inputs, data)
      const ids = JSON.stringify(data.named.flatMap(({ hold }) => hold?.id ?? []))
      const rows = expectedRows(inputs, plan)
      const { written, endpoints } = await writePlan(ctx, {
        plan,
        namespace,
        guards: [{ when: hasChanged(ctx, rows), error: () => new LostRace() }, ...guards],
        others: [
          ...statements,
          ...(ids === '[]' ? [] : [deleteHolds(db, { ids })]),
          ...(call ? storeResponse(db, { namespace, plan }, call) : []),
        ],
      })
      return {
        orders: placedOrders(caller, plan, written),
        sequence: FIRST_SEQUENCE,
        source: tokenNameOf(namespace),
        isReplay: false,
        endpoints,
      }
    },
  })

/** What orders depend on, for `hasChanged`. */
function expectedRows(inputs: readonly NewOrder[], plan: Plan) {
  const listings = byId(plan.listings)
  return plan.orders.map(({ buyer, item, billing, hidden }, i) => ({
    ...expectListing(requireRow(listings, item.listingId)),
    reservationId: inputs[i]?.reservationId,
    email: inputs[i]?.buyer?.email,
    wallet: item.ethRecipient ?? '',
    walletChainId: hidden.recipientChainId,
    ...buyer,
    ...billing,
  }))
}

/**
 * Checks orders as `placeOrders` does, in one trip, and writes nothing. Returns what they would sell
 * at which price. Throws what `placeOrders` throws for them.
 */
export async function checkOrders(ctx: PlaceCtx, inputs: readonly NewOrder[]) {
  const { data, row } = await loadOrderData(ctx, inputs, selectOpen(ctx))
  requireNone(findProblems(ctx, inputs, data))
  requireRoom(ctx, row?.open ?? 0, countAdded(inputs))
  const { orders } = await planOrders(ctx, inputs, data)
  return orders.map(({ item, order }) => CheckedOrder.parse({ ...item, ...order }))
}
