/** What placing orders and reserving share: a trip that reads, and one that writes what was checked. */
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { countUse, requireQuota } from '../db/quota.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, requireNone } from '../http/errors.ts'
import { findProblems, type OrderData } from './check.ts'
import { hasEnded, lacksPieces } from './holds.ts'
import { type IdempotentCall, type Stored, selectStored } from './idempotency.ts'
import { loadOrderData } from './load.ts'
import type { NewOrder } from './new-order.ts'
import { dailyOrders, limitOpen, requireRoom, selectOpen } from './open-orders.ts'

/** How often a call starts again because another call changed what it had read. */
const ATTEMPTS = 3

/** Another call came between the two trips, or a guard holds. Nothing was written. */
export class LostRace extends Error {}

/**
 * What another call has taken since the first trip: stock, a provider id, a delivery or idempotency
 * key, or the address of a new user.
 */
const isConflict = (error: unknown) =>
  /CHECK constraint failed: nfts_stock|UNIQUE constraint failed/.test(String(error))

type TwoTripsCtx = Ctx & { settings: Pick<Settings, 'NETWORKS' | 'MAX_OPEN_ORDERS'> }

type Steps<Result> = {
  inputs: readonly NewOrder[]
  call: IdempotentCall | null
  /** What the paths of issues about an order begin with. */
  prefixOf: (i: number) => string
  /** Returns the result if an earlier call has written it. */
  findEarlier: (loaded: Loaded) => Result | null | Promise<Result | null>
  /** Writes what was checked with the statements, unless a guard stops it. */
  write: (data: OrderData, guards: readonly Guard[], statements: Statement[]) => Promise<Result>
}

export type Loaded = { data: OrderData; stored: Stored | undefined }

/**
 * Writes what a call asks for unless an earlier call has, in two trips: the first reads what it
 * depends on, the second writes unless that has changed. A call that loses a race starts again, at
 * the primary.
 *
 * Throws `unauthenticated`, `too_many_open_orders`, `rate_limited`, `request_in_progress`, the codes
 * of `findProblems`, and what `findEarlier` and `write` throw.
 */
export async function inTwoTrips<Result>(
  ctx: TwoTripsCtx,
  { inputs, call, prefixOf, findEarlier, write }: Steps<Result>,
): Promise<Result> {
  const { caller, now } = ctx
  const quotas = dailyOrders(ctx, countAdded(inputs))
  const read = async (db: Database) => {
    const select = call && selectStored(db, { ...call, tokenId: caller.tokenId })
    const { data, row: stored } = await loadOrderData({ ...ctx, db }, inputs, select)
    const problems = findProblems(ctx, inputs, data, prefixOf)
    // Before an earlier response is returned: the caller may have lost the listing since.
    if (problems.some(({ code }) => code === 'not_your_listing')) requireNone(problems)
    const earlier = await findEarlier({ data, stored })
    if (!earlier) requireNone(problems)
    return { data, earlier }
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    // A session only begins at the primary: its later reads may go to a replica.
    const db = attempt > 1 ? ctx.db.$client.openPrimary() : ctx.db
    const { data, earlier } = await read(db)
    if (earlier) return earlier
    // The write fails if too many orders are open. Only then it matters how many.
    if (attempt > 1 && caller.role !== 'master') {
      const [[row]] = await db.$client.openPrimary().batch([selectOpen(ctx)])
      requireRoom(ctx, row?.open ?? 0, countAdded(inputs))
    }
    try {
      const guards = quotas.map((quota) => requireQuota(quota, now))
      const uses = quotas.map((quota) => countUse(db, quota, now))
      return await write(data, [...guards, ...guardsOf(ctx, inputs, data)], uses)
    } catch (error) {
      if (!(error instanceof LostRace) && !isConflict(error)) throw error
    }
  }
  throw new ApiError('request_in_progress', 'other calls order the same NFTs; try again', {
    'Retry-After': '1',
  })
}

/** The orders and reservations that a call adds: an order takes the place of its reservation. */
export const countAdded = (inputs: readonly NewOrder[]): number =>
  inputs.filter(({ reservationId }) => !reservationId).length

/** Pieces that reservations of others hold are not taken, nor those of a reservation that has ended. */
function guardsOf(
  ctx: TwoTripsCtx,
  inputs: readonly NewOrder[],
  { named, namespace }: OrderData,
): Guard[] {
  const now = ctx.now.toISOString()
  const held = named.flatMap(({ hold }) => hold?.id ?? [])
  const free = new Map<number, number>()
  for (const [i, { nft, hold }] of named.entries())
    if (nft && !hold) free.set(nft.id, (free.get(nft.id) ?? 0) + (inputs[i]?.quantity ?? 0))
  const rows = [...free].map(([nftId, quantity]) => ({ nftId, quantity }))
  const ended = { ids: JSON.stringify(held), count: held.length, namespace, now }
  return [
    ...(rows.length > 0 ? [lacksPieces({ rows: JSON.stringify(rows), now })] : []),
    ...(held.length > 0 ? [hasEnded(ended)] : []),
    ...limitOpen(ctx, countAdded(inputs)),
  ].map((when) => ({ when, error: () => new LostRace() }))
}
