/** Holds pieces and prices while customers pay. */

import { formatEther } from 'viem/utils'
import { writeAs } from '../auth/access.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { beginAttempt } from '../orders/attempt.ts'
import type { NamedRows, OrderData } from '../orders/check.ts'
import { expectListing, guardsOf, isLostRace } from '../orders/guards.ts'
import { type IdempotentCall, idempotentCall, storeCall } from '../orders/idempotency.ts'
import { countAdded, takeDailyOrders } from '../orders/open-orders.ts'
import type { NewReservation, Reservation } from './schema.ts'

type ReserveCtx = Ctx & { settings: Pick<Settings, 'NETWORKS' | 'MAX_OPEN_ORDERS'> }
type Reserve = { reservations: readonly NewReservation[]; key?: string | undefined }

/** Milliseconds. So an NFT has few rows in `heldPieces`, however many reservations it has. */
const EXPIRY_STEP = 10_000

/**
 * Holds pieces and prices, all of them or none. A repeated call with an idempotency key returns the
 * first answer (`isReplay`). Takes the steps of `placeOnce` (`orders/place.ts`) with its own plan.
 */
export async function reserve(ctx: ReserveCtx, { reservations: inputs, key }: Reserve) {
  const call = key ? idempotentCall(key, { reservations: inputs }, ctx.now) : null
  const prefixOf = (i: number) => `reservations[${i}].`
  for (let attempt = 1; ; attempt++) {
    const { data, earlier } = await beginAttempt(ctx, { inputs, call, prefixOf, attempt })
    if (earlier) {
      const reservations: Reservation[] = JSON.parse(earlier)
      return { reservations, isReplay: true }
    }
    const rows = inputs.map((input, i) => planRow(ctx.now, input, data.rows[i]))
    if (await writeRows(ctx, { inputs, data, rows, call }))
      return { reservations: rows.map(({ priceWei, ...shown }) => shown), isReplay: false }
  }
}

function planRow(now: Date, { ttl, quantity }: NewReservation, rows: NamedRows | undefined) {
  if (!rows?.listing) throw new Error('the reservations were not checked')
  const { id: listingId, nftId, priceCents, priceCurrency, priceWei } = rows.listing
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

type Write = {
  inputs: readonly NewReservation[]
  data: OrderData
  rows: ReturnType<typeof planRow>[]
  call: IdempotentCall | null
}

/** Writes reservations. Returns false if another call has changed what they depend on. */
async function writeRows(ctx: ReserveCtx, { inputs, data, rows, call }: Write): Promise<boolean> {
  const { db, caller } = ctx
  const { namespace } = data
  const now = ctx.now.toISOString()
  const placedBy = caller.role === 'master' ? null : caller.userId
  const expected = data.rows.flatMap(({ listing }) => (listing ? expectListing(listing) : []))
  const result = JSON.stringify(rows.map(({ priceWei, ...shown }) => shown))
  try {
    await writeAs(db, caller, guardsOf(ctx, { inputs, data, expected }), {
      quotas: takeDailyOrders(ctx, countAdded(inputs)).uses,
      // A trigger adds to what is held.
      rows: raw<never>(db)`
        INSERT INTO reservations (id, listingId, nftId, quantity, priceCents, priceCurrency,
          priceEths, priceWei, expiresAt, createdAt, namespace, placedBy)
        SELECT value ->> 'id', value ->> 'listingId', value ->> 'nftId', value ->> 'quantity',
          value ->> 'priceCents', value ->> 'priceCurrency', value ->> 'priceEths',
          value ->> 'priceWei', value ->> 'expiresAt', value ->> 'createdAt', ${namespace}, ${placedBy}
        FROM json_each(${JSON.stringify(rows)})`,
      key: call ? storeCall(db, call, { namespace, now, result }) : undefined,
    })
    return true
  } catch (error) {
    if (isLostRace(error)) return false
    throw error
  }
}
