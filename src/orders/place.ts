import { writeAs } from '../auth/access.ts'
import type { BoundStatement, Database, Statement } from '../db/client.ts'
import { hashOfSecret, makeKeys } from '../delivery/key.ts'
import type { Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { PlacedOrder } from './answer.ts'
import { checkOrders } from './check.ts'
import type { OrderInput } from './input.ts'
import { checkUsedProviderIds, loadOrderData } from './load.ts'
import { type Plan, placedOrders, planOrders, type WriteResult } from './plan.ts'
import {
  hasChanged,
  hasOtherSecret,
  insertPlan,
  nftIdsOf,
  selectWriteResult,
  storeSecretHash,
} from './statements.ts'

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

export type DeliverySettings = Pick<Settings, 'NETWORKS' | 'DELIVERY_KEY_SECRET'>

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
 * `unauthenticated`, `provider_id_used`, `request_in_progress`, `not_ready`, and what `checkOrders` throws.
 */
export async function placeOrders<Rows>(
  db: Database,
  caller: Caller,
  inputs: readonly OrderInput[],
  settings: DeliverySettings,
  now: Date,
  extension?: Extension<Rows>,
): Promise<PlacedOrder[]> {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const { data, namespace, extraRows } = await loadOrderData(db, caller, inputs, extension?.read)
    const known = extraRows && extension?.onRead(extraRows)
    if (known) return known
    // The write fails if a provider id is used, and only then it matters by which order.
    if (attempt > 1) await checkUsedProviderIds(db, namespace, inputs)
    checkOrders(inputs, data, caller, now)
    const sources = inputs.map(({ providerId }) => ({ namespace, providerId: providerId || null }))
    const keys = await makeKeys(settings.DELIVERY_KEY_SECRET, sources)
    const plan = planOrders(inputs, data, keys, settings.NETWORKS, now)
    const extraStatements = extension?.write(plan) ?? []
    const secretHash = hashOfSecret(settings.DELIVERY_KEY_SECRET)
    const write = { caller, namespace, plan, secretHash, extraStatements }
    const result = await writeOrders(db, write, now)
    if (result) return placedOrders(plan, result)
  }
  throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
    'Retry-After': '1',
  })
}

class LostRace extends Error {}

/** Stock, a provider id, a delivery key or an idempotency key that another call has taken since the first trip. */
const conflictMessage = /CHECK constraint failed: nfts_stock|UNIQUE constraint failed/

type Write = {
  caller: Caller
  namespace: string
  plan: Plan
  secretHash: string
  extraStatements: readonly Statement[]
}

const otherSecret = () =>
  new ApiError(
    'not_ready',
    'the secret DELIVERY_KEY_SECRET is not the one that this instance began with',
  )

/** Returns null, with nothing written, if another call came between the two trips. */
async function writeOrders(
  db: Database,
  { caller, namespace, plan, secretHash, extraStatements }: Write,
  date: Date,
): Promise<WriteResult | null> {
  const now = date.toISOString()
  try {
    const results = await writeAs(
      db,
      caller,
      [
        { when: hasOtherSecret({ hash: secretHash }), error: otherSecret },
        { when: hasChanged(plan, caller, now), error: () => new LostRace() },
      ],
      [
        storeSecretHash(db, { hash: secretHash }),
        ...insertPlan(db, plan, { now, namespace }),
        ...extraStatements,
        selectWriteResult(db, { nftIds: nftIdsOf(plan) }),
      ],
    )
    // Only the last statement returns a row.
    const [row] = results.flat()
    if (!row) throw new Error('the transaction returned no row')
    return JSON.parse(row.result)
  } catch (error) {
    if (error instanceof LostRace || conflictMessage.test(String(error))) return null
    throw error
  }
}
