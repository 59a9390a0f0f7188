/**
 * Guards of writing orders and reservations: what the first trip has found must still hold.
 *
 * What stops overselling: `check.ts` tells early what is sold out. What decides is the transaction that
 * writes: pieces that reservations hold are left to them (`refuseHeldPieces`), a hold that is used must
 * be live (`refuseEndedHolds`), `reduceStock` (`write.ts`) takes the pieces, and the CHECK `nfts_stock`
 * does not let them fall below zero. `nfts.availableAmount` is what is left, held pieces included: those
 * of a hold are free again when it is released or ends (`heldQuantity` in `nft.ts`). An import changes it
 * by the difference, never below what was sold and is held (`catalogue/problems.ts`).
 *
 * Pieces of an order return once: by a final cancellation (`cancel` in `delivery/rules/delivery-changes.ts`),
 * or when an operator who writes a delivery off asks for it (`writeOff` in `delivery/actions/actions.ts`). A
 * delivery that fails keeps them. If a fork undoes a final cancellation and the delivery is then made, its
 * pieces are taken again, and those that were sold meanwhile are missing: the only way to oversell, unless
 * the database is set back.
 */
import { not, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../../auth/access.ts'
import type { Guard, NamedStatements, Results } from '../../db/batch.ts'
import { violates } from '../../db/client.ts'
import { takeQuotas } from '../../db/quota.ts'
import { raw } from '../../db/statements.ts'
import { isUnlimitedSql } from '../../db/stock.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError, rateLimited } from '../../http/errors.ts'
import { isApprovedSql } from '../../identity/approval.ts'
import { orderLimits } from '../../limits.ts'
import { heldQuantity } from '../reading/nft.ts'
import { newBillingAddress } from './check.ts'
import { type OrderData, type PlaceCtx, requireRows } from './data.ts'
import { type IdempotentCall, storeCall } from './idempotency.ts'

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
const isLostRace = (error: unknown): boolean =>
  error instanceof LostRace || contested.some((constraint) => violates(error, constraint))

type Checked = {
  data: OrderData
  call: IdempotentCall | null
  /** What the call has made, for a call that repeats it: JSON. */
  result: SQL | string
  /** Guards besides those of this file. */
  guards?: readonly Guard[]
}

/**
 * Runs the statements of a call that was checked as one transaction, which also counts the call and
 * stores its key. Returns null if another call has changed what it depends on; nothing is written then.
 */
export async function writeChecked<const T extends NamedStatements>(
  ctx: PlaceCtx,
  { data, call, result, guards = [] }: Checked,
  statements: T,
): Promise<Results<T> | null> {
  const { db, caller } = ctx
  const now = ctx.now.toISOString()
  const added = countAdded(data)
  const daily = takeDailyOrders(ctx, added)
  const allGuards = [
    ...guards,
    refuseChanged(data, now),
    ...daily.guards,
    ...refuseHeldPieces(data, now),
    ...refuseEndedHolds(data, now),
    ...refuseTooManyOpen(ctx, added),
    ...refuseUnapproved(ctx),
  ]
  const { namespace } = data
  try {
    return await writeAs(db, caller, allGuards, {
      ...statements,
      quotas: daily.uses,
      key: call ? storeCall(db, call, { namespace, now, result }) : undefined,
    })
  } catch (error) {
    if (isLostRace(error)) return null
    throw error
  }
}

/**
 * Rejects a write if a listing has another seller or price than was read or is not for sale any more, its
 * NFT is not, or the buyer has changed. Whether somebody has the address of a new user by now is checked
 * by unique indexes.
 */
function refuseChanged({ orders }: OrderData, now: string): Guard {
  const expected = orders.map((order) => {
    const { input, buyers } = order
    const { listing } = requireRows(order)
    const [buyer] = buyers
    return {
      listingId: listing.id,
      nftId: listing.nftId,
      sellerId: listing.sellerId,
      priceCents: listing.priceCents,
      priceWei: listing.priceWei,
      priceCurrency: listing.priceCurrency,
      // What an order does not depend on is absent.
      reservationId: input.reservationId,
      userId: buyer?.id,
      email: input.buyer?.email,
      wallet: buyer?.wallet,
      walletChainId: buyer?.walletChainId,
      billingAddressId: newBillingAddress(input) ? undefined : buyer?.billingAddressId,
    }
  })
  const areAsRead = sql`(SELECT count(*) FROM json_each(${JSON.stringify(expected)}) AS expected
    JOIN listings ON listings.id = value ->> 'listingId' AND listings.nftId = value ->> 'nftId'
      AND listings.priceCents = value ->> 'priceCents' AND listings.priceWei = value ->> 'priceWei'
      AND listings.priceCurrency = value ->> 'priceCurrency'
      AND listings.sellerId = value ->> 'sellerId'
      AND (value ->> 'reservationId' IS NOT NULL OR listings.active
        AND listings.type = 'regular' AND (listings.activeTill IS NULL OR listings.activeTill > ${now}))
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status IN ('released', 'unlisted')
      AND nfts.deletedAt IS NULL AND (value ->> 'reservationId' IS NOT NULL OR nfts.missingFiles = 0)
    LEFT JOIN users ON users.id = value ->> 'userId' AND users.ethereumPublicAddr = value ->> 'wallet'
      AND users.walletChainId = value ->> 'walletChainId' AND users.removedAt IS NULL
      AND (value ->> 'email' IS NULL OR users.email = value ->> 'email')
    LEFT JOIN addresses ON addresses.id = value ->> 'billingAddressId'
    WHERE (value ->> 'userId' IS NULL OR users.id IS NOT NULL)
      AND (value ->> 'billingAddressId' IS NULL OR addresses.deletedAt IS NULL)) = ${expected.length}`
  return { when: not(areAsRead), error: lostRace }
}

/** Rejects a write if an order without a reservation takes pieces that any live reservation holds. */
function refuseHeldPieces({ orders }: OrderData, now: string): Guard[] {
  const quantities = new Map<number, number>()
  for (const { input, nft, hold } of orders)
    if (nft && !hold) quantities.set(nft.id, (quantities.get(nft.id) ?? 0) + input.quantity)
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
function refuseEndedHolds({ orders, namespace }: OrderData, now: string): Guard[] {
  const ids = orders.flatMap(({ hold }) => hold?.id ?? [])
  if (ids.length === 0) return []
  const liveCount = sql`(SELECT count(*) FROM reservations
      JOIN listings ON listings.id = reservations.listingId
      JOIN users ON users.id = listings.sellerId AND users.removedAt IS NULL
    WHERE reservations.id IN (SELECT value FROM json_each(${JSON.stringify(ids)}))
      AND reservations.namespace = ${namespace}
      AND reservations.expiresAt > max(${now}, strftime('%Y-%m-%dT%H:%M:%fZ', 'now')))`
  return [{ when: sql`${liveCount} < ${ids.length}`, error: lostRace }]
}

/** The orders and reservations that a call adds: an order takes the place of its reservation. */
const countAdded = ({ orders }: OrderData): number =>
  orders.filter(({ input }) => !input.reservationId).length

/** Orders that are not ended, and live reservations. In the spelling of the partial indexes. */
const openSql = ({ caller: { userId }, now }: Pick<Ctx, 'caller' | 'now'>) =>
  sql`((SELECT count(*) FROM deliveries WHERE placedBy = ${userId}
      AND state IN ('awaiting_wallet', 'queued', 'in_flight'))
    + (SELECT count(*) FROM reservations
      WHERE placedBy = ${userId} AND expiresAt > ${now.toISOString()}))`

/** Selects how many orders and reservations of the caller are open. */
export const selectOpen = (ctx: Ctx) =>
  raw<{ open: number }>(ctx.db)`SELECT ${openSql(ctx)} AS open`

/** Rejects `added` more orders and reservations of a user token that would exceed the limit. */
const refuseTooManyOpen = (ctx: PlaceCtx, added: number): Guard[] =>
  ctx.caller.role === 'master'
    ? []
    : [{ when: sql`${openSql(ctx)} > ${ctx.settings.MAX_OPEN_ORDERS - added}`, error: lostRace }]

/** Rejects a write of a user token whose user is not approved any more. */
const refuseUnapproved = ({ caller: { role, userId } }: PlaceCtx): Guard[] =>
  role === 'master' ? [] : [{ when: not(isApprovedSql(userId)), error: lostRace }]

/** Throws `too_many_open_orders` if `open` were counted and these orders would exceed the limit. */
export function requireRoom({ caller, settings }: PlaceCtx, data: OrderData): void {
  const { open } = data
  const limit = settings.MAX_OPEN_ORDERS
  const added = countAdded(data)
  if (caller.role === 'master' || open === undefined || open + added <= limit) return
  throw new ApiError(
    'too_many_open_orders',
    `you have ${open} orders and reservations that are not ended, and this call would add ${added}; the limit is ${limit}`,
  )
}

/** Takes the quota of `added` more orders and reservations of a user token: they may end at once. */
function takeDailyOrders({ db, caller, now, settings }: PlaceCtx, added: number) {
  if (caller.role === 'master') return takeQuotas(db, now, [])
  const limit = orderLimits.added.max * settings.MAX_OPEN_ORDERS
  const error = (seconds: number) =>
    rateLimited(`a user may add ${limit} orders and reservations a day`, seconds)
  const name = `orders:${caller.userId}`
  return takeQuotas(db, now, [{ name, per: 'day', limit, uses: added, error }])
}
