/** Holds pieces and prices while customers pay, and how that ends. */
import { sql } from 'drizzle-orm'
import { formatEther } from 'viem/utils'
import { actsForAll, namespaceOf, writeAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { prune } from '../db/prune.ts'
import { heldPieces, reservations } from '../db/schema/orders.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'
import { ATTEMPTS, begin, type Call, requestInProgress } from '../orders/placing/attempt.ts'
import {
  type NamedOrder,
  type OrderData,
  type PlaceCtx,
  requireRows,
} from '../orders/placing/data.ts'
import { writeChecked } from '../orders/placing/guards.ts'
import { idempotentCall } from '../orders/placing/idempotency.ts'
import type { NewReservation, Reservation } from './schema.ts'

type Reserve = { reservations: readonly NewReservation[]; key?: string | undefined }

/** Milliseconds. So an NFT has few rows in `heldPieces`, however many reservations it has. */
const EXPIRY_STEP = 10_000

/**
 * Holds pieces and prices, all of them or none. A repeated call with an idempotency key returns the
 * first answer (`isReplay`).
 */
export async function reserve(ctx: PlaceCtx, { reservations: inputs, key }: Reserve) {
  const idempotency = key ? idempotentCall(key, { reservations: inputs }, ctx.now) : null
  const call: Call = { inputs, idempotency, listName: 'reservations' }
  for (let attempts = 0; attempts < ATTEMPTS; attempts++) {
    const { data, earlier } = await begin(ctx, call, attempts)
    if (earlier) {
      const reservations: Reservation[] = JSON.parse(earlier)
      return { reservations, isReplay: true }
    }
    const rows = inputs.map((input, i) => planRow(ctx.now, input, data.orders[i]))
    const reservations = rows.map(({ priceWei, ...shown }) => shown)
    const checked = { data, call: idempotency, result: JSON.stringify(reservations) }
    const statements = { rows: insertRows(ctx, data, rows) }
    const isWritten = await writeChecked(ctx, checked, statements)
    if (isWritten) return { reservations, isReplay: false }
  }
  throw requestInProgress()
}

function planRow(now: Date, { ttl, quantity }: NewReservation, named: NamedOrder | undefined) {
  const { id: listingId, nftId, priceCents, priceCurrency, priceWei } = requireRows(named).listing
  const expiry = Math.ceil((now.getTime() + ttl * 1000) / EXPIRY_STEP) * EXPIRY_STEP
  return {
    id: crypto.randomUUID(),
    listingId,
    nftId,
    quantity,
    priceCents,
    priceCurrency,
    priceEths: formatEther(BigInt(priceWei)),
    priceWei,
    expiresAt: new Date(expiry).toISOString(),
    createdAt: now.toISOString(),
  }
}

/** A trigger adds to what is held. */
const insertRows = (
  { db, caller }: PlaceCtx,
  { namespace }: OrderData,
  rows: readonly ReturnType<typeof planRow>[],
) => raw<never>(
  db,
)`INSERT INTO reservations (id, listingId, nftId, quantity, priceCents, priceCurrency,
    priceEths, priceWei, expiresAt, createdAt, namespace, placedBy)
  SELECT value ->> 'id', value ->> 'listingId', value ->> 'nftId', value ->> 'quantity',
    value ->> 'priceCents', value ->> 'priceCurrency', value ->> 'priceEths', value ->> 'priceWei',
    value ->> 'expiresAt', value ->> 'createdAt', ${namespace},
    ${caller.role === 'master' ? null : caller.userId}
  FROM json_each(${JSON.stringify(rows)})`

/**
 * Releases what a reservation holds. The tokens of its namespace and those that act for all may. A
 * reservation that is used, expired, released or unknown is released already: a call may be
 * repeated, and its answer tells nothing of them. Throws `unauthenticated`, `forbidden`, and
 * `not_found` if it is live and somebody else's.
 */
export async function release({ db, caller, now }: Ctx, id: string): Promise<void> {
  const mayRelease = sql`(${+actsForAll(caller)} OR namespace = ${namespaceOf(caller.tokenId)})`
  const isForeign = guard('not_found', 'there is no reservation of yours with this id')`
    EXISTS (SELECT 1 FROM reservations
      WHERE id = ${id} AND expiresAt > ${now.toISOString()} AND NOT ${mayRelease})`
  const removed = raw<never>(db)`DELETE FROM reservations WHERE id = ${id} AND ${mayRelease}`
  await writeAs(db, caller, [isForeign], { removed })
}

/** Milliseconds for which a reservation stays that has expired, for calls that are under way. */
const GRACE = 60 * 1000

/** Returns the statements that delete what nothing is held for any more. */
export function sweepReservations(db: Database, now: Date) {
  const before = new Date(now.getTime() - GRACE).toISOString()
  // Pieces first: deleting a reservation would change their row.
  return [heldPieces, reservations].map((table) => prune(db, table, sql`expiresAt < ${before}`))
}
