import { writeAs } from '../auth/access.ts'
import type { BoundStatement, Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { hashOfSecret, makeKeys } from '../delivery/key.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, type Issue, rejected } from '../http/errors.ts'
import type { PlacedOrder } from './answer.ts'
import { problemsOf } from './check.ts'
import type { OrderInput } from './input.ts'
import { loadOrderData } from './load.ts'
import { checkOpenOrders, hasMoreOpen } from './open-orders.ts'
import { type Plan, placedOrders, planOrders, type WriteResult } from './plan.ts'
import {
  hasChanged,
  hasOtherSecret,
  insertPlan,
  nftIdsOf,
  selectWritten,
  storeSecretHash,
} from './statements.ts'

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

export type OrderSettings = Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET' | 'MAX_OPEN_ORDERS'>

export type Placement = {
  orders: PlacedOrder[]
  /** Whether an earlier call has placed them. */
  isReplay: boolean
  /** The webhook endpoints that have to be told of them. */
  endpointIds: string[]
}

/** Statements of a function that wraps `placeOrders`. They run in its two trips. */
export type Extension<Rows> = {
  read: BoundStatement<Rows>
  /** Receives the rows of `read`. Orders that it returns are the response; nothing is placed. */
  onRead: (rows: Rows) => PlacedOrder[] | null
  write: (plan: Plan) => Statement[]
}

/**
 * Places paid orders, all of them or none, in two trips: the first reads what they depend on, the
 * second writes them unless that has changed. A call that loses such a race starts again. Throws
 * `unauthenticated`, `forbidden`, `too_many_open_orders`, `request_in_progress`, `not_ready`, and the
 * codes of `problemsOf`.
 */
export async function placeOrders<Rows>(
  db: Database,
  caller: Caller,
  inputs: readonly OrderInput[],
  settings: OrderSettings,
  now: Date,
  extension?: Extension<Rows>,
): Promise<Placement> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { data, namespace, extraRows } = await loadOrderData(db, caller, inputs, extension?.read)
    const problems = problemsOf(inputs, data, caller, now)
    // Before a stored response is returned: the caller may have lost the listing since.
    if (problems.some(({ code }) => code === 'not_your_listing')) requireNone(problems)
    const known = extraRows && extension?.onRead(extraRows)
    if (known) return { orders: known, isReplay: true, endpointIds: [] }
    requireNone(problems)
    // The write fails if too many orders are open. Only then it matters how many.
    if (attempt > 1) await checkOpenOrders(db, caller, inputs.length, settings.MAX_OPEN_ORDERS)
    const sources = inputs.map(({ providerId }) => ({ namespace, providerId: providerId || null }))
    const keys = await makeKeys(settings.DELIVERY_KEY_SECRET, sources)
    const plan = planOrders(inputs, data, keys, settings.NETWORKS, now)
    const extraStatements = extension?.write(plan) ?? []
    const secretHash = hashOfSecret(settings.DELIVERY_KEY_SECRET)
    const mostOpen = settings.MAX_OPEN_ORDERS - inputs.length
    const write = { caller, namespace, plan, secretHash, mostOpen, extraStatements }
    const written = await writeOrders(db, write, now)
    if (written) {
      const orders = placedOrders(caller, plan, written.result)
      return { orders, isReplay: false, endpointIds: written.endpointIds }
    }
  }
  throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
    'Retry-After': '1',
  })
}

function requireNone([first, ...others]: readonly Issue[]): void {
  if (first) throw rejected([first, ...others])
}

class LostRace extends Error {}

/** Stock, a provider id, a delivery key or an idempotency key that another call has taken since the first trip. */
const conflictMessage = /CHECK constraint failed: nfts_stock|UNIQUE constraint failed/

const limitOpen = ({ userId }: Caller, most: number): Guard => ({
  when: hasMoreOpen({ userId, most }),
  error: () => new LostRace(),
})

type Write = {
  caller: Caller
  namespace: string
  plan: Plan
  secretHash: string
  /** Orders that the user of a user token may have under way before these. */
  mostOpen: number
  extraStatements: readonly Statement[]
}

const otherSecret = () =>
  new ApiError(
    'not_ready',
    'the secret DELIVERY_KEY_SECRET is not the one that this instance began with',
  )

/**
 * Returns null, with nothing written, if another call came between the two trips, or if too many
 * orders are open.
 */
async function writeOrders(
  db: Database,
  { caller, namespace, plan, secretHash, mostOpen, extraStatements }: Write,
  date: Date,
): Promise<{ result: WriteResult; endpointIds: string[] } | null> {
  const now = date.toISOString()
  try {
    const results = await writeAs(
      db,
      caller,
      [
        { when: hasOtherSecret({ hash: secretHash }), error: otherSecret },
        { when: hasChanged(plan, caller, now), error: () => new LostRace() },
        ...(caller.role === 'master' ? [] : [limitOpen(caller, mostOpen)]),
      ],
      [
        storeSecretHash(db, { hash: secretHash }),
        ...insertPlan(db, plan, caller, { now, namespace }),
        ...extraStatements,
        selectWritten(db, { nftIds: nftIdsOf(plan), orderCount: plan.orders.length }),
      ],
    )
    // Only the last statement returns a row.
    const [row] = results.flat()
    if (!row) throw new Error('the transaction returned no row')
    return { result: JSON.parse(row.result), endpointIds: JSON.parse(row.endpointIds) }
  } catch (error) {
    if (error instanceof LostRace || conflictMessage.test(String(error))) return null
    throw error
  }
}
