/** Holds pieces and prices while customers pay. */
import { sql } from 'drizzle-orm'
import { formatEther } from 'viem/utils'
import { writeAs } from '../auth/access.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { inTwoTrips, LostRace } from '../orders/attempts.ts'
import type { Named } from '../orders/check.ts'
import { idempotentCall, requireSameCall, storeJson } from '../orders/idempotency.ts'
import { expectListing, hasChanged } from '../orders/load.ts'
import { type NewReservation, Reservation } from './schema.ts'

type ReserveCtx = Ctx & { settings: Pick<Settings, 'NETWORKS' | 'MAX_OPEN_ORDERS'> }
/** `isReplay`: whether an earlier call with the same idempotency key has made them. */
type Reserved = { reservations: Reservation[]; isReplay: boolean }
type Reserve = { reservations: readonly NewReservation[]; key?: string | undefined }

/** Milliseconds. So an NFT has few rows in `heldPieces`, however many reservations it has. */
const EXPIRY_STEP = 10_000

/**
 * Holds pieces and prices, all of them or none. With an idempotency key, a repeated call returns the
 * first response. Throws the errors of `inTwoTrips`.
 */
export function reserve(ctx: ReserveCtx, { reservations: inputs, key }: Reserve) {
  const { db, caller } = ctx
  const now = ctx.now.toISOString()
  const call = key ? idempotentCall(key, { reservations: inputs }, ctx.now) : null
  return inTwoTrips<Reserved>(ctx, {
    ...{ inputs, call, prefixOf: (i) => `reservations[${i}].` },
    findEarlier: ({ stored }) => {
      if (!call || !stored) return null
      requireSameCall(call, stored)
      return { reservations: JSON.parse(stored.plan), isReplay: true }
    },
    write: async ({ named, namespace }, guards, statements) => {
      const rows = inputs.map((input, i) => planRow(ctx.now, input, named[i]))
      const reservations = rows.map(({ priceWei, ...shown }) => shown)
      const listings = named.flatMap(({ listing }) => (listing ? expectListing(listing) : []))
      const placedBy = caller.role === 'master' ? null : caller.userId
      const stored = { namespace, plan: JSON.stringify(reservations), nftIds: '[]', now }
      await writeAs(
        db,
        caller,
        [{ when: hasChanged(ctx, listings), error: () => new LostRace() }, ...guards],
        [
          ...statements,
          insertRows(db, { rows: JSON.stringify(rows), namespace, placedBy }),
          ...(call ? [storeJson(db, stored, call)] : []),
        ],
      )
      return { reservations, isReplay: false }
    },
  })
}

function planRow(now: Date, { ttl, quantity }: NewReservation, named: Named | undefined) {
  if (!named?.listing) throw new Error('the reservations were not checked')
  const { id: listingId, nftId, priceCents, priceCurrency, priceWei } = named.listing
  const expiry = Math.ceil((now.getTime() + ttl * 1000) / EXPIRY_STEP) * EXPIRY_STEP
  return {
    ...{ id: crypto.randomUUID(), listingId, nftId, quantity },
    ...{ priceCents, priceCurrency, priceEths: formatEther(BigInt(priceWei)), priceWei },
    ...{ expiresAt: new Date(expiry).toISOString(), createdAt: now.toISOString() },
  }
}

type Rows = { rows: string; namespace: string; placedBy: number | null }

const columns = [...Object.keys(Reservation.shape), 'priceWei']

/** A trigger adds to what is held. */
const insertRows = prepared((db, { rows, namespace, placedBy }: Placeholders<Rows>) =>
  db.all<never>(sql`INSERT INTO reservations (${sql.raw(columns.join())}, namespace, placedBy)
    SELECT ${sql.raw(columns.map((name) => `value ->> '${name}'`).join())}, ${namespace}, ${placedBy}
    FROM json_each(${rows})`),
)
