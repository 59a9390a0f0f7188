/**
 * Guards of writing orders and reservations: what the first trip has found must still hold.
 *
 * What stops overselling: `check.ts` tells early what is sold out. What decides is the transaction that
 * writes: pieces that others hold are left to them (`refuseHeldPieces`), a hold must be live
 * (`refuseEndedHolds`), `reduceStock` (`write.ts`) takes the pieces, and the CHECK `nfts_stock` does not
 * let them fall below zero. `nfts.availableAmount` is what is left, held pieces included. An import
 * changes it by the difference, never below what was sold and is held (`catalogue/problems.ts`). Pieces
 * return once: by a final cancellation (`writeStock` in `delivery/store/store.ts`), or when an operator
 * writes an item off (`writeOff` in `delivery/admin/actions.ts`). If a fork undoes a final cancellation
 * and the item is then delivered, its pieces are taken again, and those that were sold meanwhile are
 * missing: the only way to oversell.
 */
import { sql } from 'drizzle-orm'
import type { Guard } from '../db/batch.ts'
import { violates } from '../db/client.ts'
import { isUnlimitedSql } from '../db/stock.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import type { OrderData } from './check.ts'
import type { NewOrder } from './new-order.ts'
import { heldQuantity, type Listing } from './nft.ts'
import { countAdded, refuseTooManyOpen, takeDailyOrders } from './open-orders.ts'

/**
 * Another call has changed what this one had read, or the caller may have too many open orders, which
 * the next attempt counts. Nothing was written.
 */
class LostRace extends Error {}

const lostRace = () => new LostRace()

/** What fails if another call has taken the stock, an order number, a key, or a new user's address. */
const contested = [
  'nfts_stock',
  'orders.providerId',
  'idempotencyKeys.day',
  'users.email',
  'users.ethereumPublicAddr',
]

/** Whether another call has taken what this one needs since it was read. */
export const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace || contested.some((constraint) => violates(error, constraint))

/** The rows on which an order or a reservation depends. Absent: it does not depend on one. */
type Expected = ReturnType<typeof expectListing> & {
  reservationId?: string | undefined
  userId?: number
  /** With the user. `''` and 0: none. */
  wallet?: string
  walletChainId?: number
  email?: string | undefined
  billingAddressId?: number
}

/** A listing as it was read. */
export const expectListing = ({ id: listingId, ...listing }: Listing) => {
  const { nftId, sellerId, priceCents, priceWei, priceCurrency } = listing
  return { listingId, nftId, sellerId, priceCents, priceWei, priceCurrency }
}

type GuardCtx = Ctx & { settings: Pick<Settings, 'MAX_OPEN_ORDERS'> }

type Checked = { inputs: readonly NewOrder[]; data: OrderData; expected: readonly Expected[] }

/** The guards of a call that was checked. */
export function guardsOf(ctx: GuardCtx, { inputs, data, expected }: Checked): Guard[] {
  const now = ctx.now.toISOString()
  const added = countAdded(inputs)
  return [
    refuseChanged(expected, now),
    ...takeDailyOrders(ctx, added).guards,
    ...refuseHeldPieces(inputs, data, now),
    ...refuseEndedHolds(data, now),
    ...refuseTooManyOpen(ctx, added, lostRace),
  ]
}

/**
 * Rejects a write if something that was checked, or that the response shows, has changed since it was
 * read. Whether somebody has the address of a new user by now is checked by unique indexes.
 */
const refuseChanged = (expected: readonly Expected[], now: string): Guard => ({
  when: sql`(SELECT count(*) FROM json_each(${JSON.stringify(expected)}) AS expected
    JOIN listings ON listings.id = value ->> 'listingId' AND listings.nftId = value ->> 'nftId'
      AND listings.priceCents = value ->> 'priceCents' AND listings.priceWei = value ->> 'priceWei'
      AND listings.priceCurrency = value ->> 'priceCurrency'
      AND listings.sellerId = value ->> 'sellerId'
      AND (value ->> 'reservationId' IS NOT NULL OR listings.active
        AND listings.type = 'regular' AND (listings.activeTill IS NULL OR listings.activeTill > ${now}))
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status IN ('released', 'unlisted')
      AND nfts.deletedAt IS NULL
    LEFT JOIN users ON users.id = value ->> 'userId' AND users.ethereumPublicAddr = value ->> 'wallet'
      AND users.walletChainId = value ->> 'walletChainId' AND users.removedAt IS NULL
      AND (value ->> 'email' IS NULL OR users.email = value ->> 'email')
    LEFT JOIN addresses ON addresses.id = value ->> 'billingAddressId'
    WHERE (value ->> 'userId' IS NULL OR users.id IS NOT NULL)
      AND (value ->> 'billingAddressId' IS NULL OR addresses.deletedAt IS NULL)) < ${expected.length}`,
  error: lostRace,
})

/** Rejects a write that takes pieces which reservations of others hold. */
function refuseHeldPieces(inputs: readonly NewOrder[], { rows }: OrderData, now: string): Guard[] {
  const quantities = new Map<number, number>()
  for (const [i, { nft, hold }] of rows.entries())
    if (nft && !hold)
      quantities.set(nft.id, (quantities.get(nft.id) ?? 0) + (inputs[i]?.quantity ?? 0))
  const taken = [...quantities].map(([nftId, quantity]) => ({ nftId, quantity }))
  if (taken.length === 0) return []
  const lacksPieces = sql`EXISTS (SELECT 1 FROM json_each(${JSON.stringify(taken)})
      JOIN nfts ON nfts.id = value ->> 'nftId'
    WHERE NOT ${isUnlimitedSql('nfts')}
      AND nfts.availableAmount - ${heldQuantity(sql`nfts.id`, now)} < value ->> 'quantity')`
  return [{ when: lacksPieces, error: lostRace }]
}

/**
 * Rejects a write if one of its reservations is not live any more. Also by the clock of D1: a call that
 * was under way when the hold ended must not take pieces that are somebody else's since.
 */
function refuseEndedHolds({ rows, namespace }: OrderData, now: string): Guard[] {
  const ids = rows.flatMap(({ hold }) => hold?.id ?? [])
  if (ids.length === 0) return []
  const liveCount = sql`(SELECT count(*) FROM reservations
      JOIN listings ON listings.id = reservations.listingId
      JOIN users ON users.id = listings.sellerId AND users.removedAt IS NULL
    WHERE reservations.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND reservations.namespace = ${namespace}
      AND reservations.expiresAt > max(${now}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))`
  return [{ when: sql`${liveCount} < ${ids.length}`, error: lostRace }]
}
