/** Places paid orders. */
import { and, count, eq, type Placeholder, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { deliveries } from '../db/schema/delivery.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue, rejected } from '../http/errors.ts'
import type { DueEndpoint } from '../webhooks/wake.ts'
import { findProblems } from './check.ts'
import { idempotentCall, replay, storeResponse } from './idempotency.ts'
import { hasChanged, loadOrderData } from './load.ts'
import { placedOrders, planOrders } from './plan.ts'
import type { NewOrder, PlacedOrder } from './schema.ts'
import { LostRace, writePlan } from './write.ts'

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

type PlaceCtx = Ctx & {
  settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET' | 'MAX_OPEN_ORDERS'>
}

type Placement = {
  orders: PlacedOrder[]
  /** Whether an earlier call with the same idempotency key has placed them. */
  isReplay: boolean
  /** The webhook endpoints that are to be woken. */
  endpoints: DueEndpoint[]
}

/**
 * Places paid orders, all of them or none, in two trips: the first reads what they depend on, the
 * second writes them unless that has changed. A call that loses such a race starts again. With an
 * idempotency key, a repeated call returns the first response.
 *
 * Throws `unauthenticated`, `forbidden`, `too_many_open_orders`, `request_in_progress`, `not_ready`,
 * `idempotency_key_reused`, `payload_too_large`, and the codes of `findProblems`.
 *
 * @example const { orders } = await placeOrders(c.var, { orders: c.req.valid('json') })
 */
export async function placeOrders(
  ctx: PlaceCtx,
  { orders: inputs, key }: { orders: readonly NewOrder[]; key?: string | undefined },
): Promise<Placement> {
  const { db, caller, now } = ctx
  const call = key ? idempotentCall(key, inputs, now) : null
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { data, stored } = await loadOrderData(ctx, inputs, call)
    const problems = findProblems(ctx, inputs, data)
    // Before a stored response is returned: the caller may have lost the listing since.
    if (problems.some(({ code }) => code === 'not_your_listing')) requireNone(problems)
    if (call && stored)
      return { orders: replay(caller, call, stored), isReplay: true, endpoints: [] }
    requireNone(problems)
    // The write fails if too many orders are open. Only then it matters how many.
    if (attempt > 1) await checkOpenOrders(ctx, inputs.length)
    const plan = await planOrders(ctx, inputs, data)
    const { namespace } = data
    try {
      const { written, endpoints } = await writePlan(ctx, {
        plan,
        namespace,
        guards: [
          { when: hasChanged(caller, plan), error: () => new LostRace() },
          ...limitOpenOrders(ctx, inputs.length),
        ],
        others: call ? storeResponse(db, { namespace, plan }, call) : [],
      })
      return { orders: placedOrders(caller, plan, written), isReplay: false, endpoints }
    } catch (error) {
      if (!(error instanceof LostRace)) throw error
    }
  }
  throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
    'Retry-After': '1',
  })
}

function requireNone([first, ...others]: readonly Issue[]): void {
  if (first) throw rejected([first, ...others])
}

const countOpen = (db: Database, userId: Placeholder) =>
  db
    .select({ open: count() })
    .from(deliveries)
    .where(
      and(
        eq(deliveries.placedBy, userId),
        // In the spelling of the index `deliveries_open`, so that SQLite uses it.
        sql`${deliveries.state} IN ('awaiting_wallet', 'queued', 'in_flight')`,
      ),
    )

const openOrders = prepared((db, { userId }: Placeholders<{ userId: number }>) =>
  countOpen(db, userId),
)

const hasMoreOpen = preparedCondition(
  (db, { userId, most }: Placeholders<{ userId: number; most: number }>) =>
    sql`${countOpen(db, userId)} > ${most}`,
)

/** Limits the orders that all user tokens of a user together have under way. */
function limitOpenOrders({ caller, settings }: PlaceCtx, added: number): Guard[] {
  if (caller.role === 'master') return []
  const most = settings.MAX_OPEN_ORDERS - added
  return [{ when: hasMoreOpen({ userId: caller.userId, most }), error: () => new LostRace() }]
}

/** Throws `too_many_open_orders` if `added` orders would exceed the limit. */
async function checkOpenOrders({ db, caller, settings }: PlaceCtx, added: number): Promise<void> {
  if (caller.role === 'master') return
  const [[row]] = await db.batch([openOrders(db, { userId: caller.userId })])
  const open = row?.open ?? 0
  const limit = settings.MAX_OPEN_ORDERS
  if (open + added > limit)
    throw new ApiError(
      'too_many_open_orders',
      `you have ${open} orders that are not ended, and this call would add ${added}; the limit is ${limit}`,
    )
}
