/** What placing orders depends on, read in one trip. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { type Database, each } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, listings, nfts, orders, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { readAs } from '../identity/caller.ts'
import { type Listing, type Nft, shown } from './answer.ts'
import type { Element } from './input.ts'
import { type Kept, kept, type Repeatable } from './repeat.ts'
import { byId } from './rows.ts'

export type BuyerFacts = {
  id: number
  /** `''` for none. */
  wallet: string
  /** The live billing address with the lowest id. */
  billingAddressId: number | null
}

export type Facts = {
  nfts: Map<number, Nft>
  listings: Map<number, Listing>
  buyers: Map<number, BuyerFacts>
  /** The caller's orders by the `providerId` that they have of those asked for. */
  providerIds: Map<string, number>
  /** What the same call was answered before. */
  kept: Kept | null
}

type Ids = Placeholders<{ ids: string }>

const nftsById = prepared((db, at: Ids) =>
  db
    .select(shown.nft)
    .from(nfts)
    .where(inArray(nfts.id, each(at.ids))),
)

const listingsById = prepared((db, at: Ids) =>
  db
    .select(shown.listing)
    .from(listings)
    .where(inArray(listings.id, each(at.ids))),
)

const buyersById = prepared((db, at: Ids) => {
  const firstBillingAddress = db
    .select({ id: sql`min(${addresses.id})` })
    .from(addresses)
    .where(
      and(
        eq(addresses.userId, users.id),
        eq(addresses.kind, sql`'billing'`),
        isNull(addresses.deletedAt),
      ),
    )
  return db
    .select({
      id: users.id,
      wallet: users.ethereumPublicAddr,
      billingAddressId: sql<number | null>`${firstBillingAddress}`.as('billingAddressId'),
    })
    .from(users)
    .where(and(inArray(users.id, each(at.ids)), isNull(users.removedAt)))
})

const usedProviderIds = prepared((db, at: Placeholders<{ caller: number; providerIds: string }>) =>
  db
    .select({ providerId: sql<string>`${orders.providerId}`, id: orders.id })
    .from(orders)
    .where(and(eq(orders.placedBy, at.caller), inArray(orders.providerId, each(at.providerIds)))),
)

/** Throws `unauthenticated`. */
export async function readFacts(
  db: Database,
  caller: Caller,
  elements: readonly Element[],
  call: Repeatable | null,
  now: Date,
): Promise<Facts> {
  const distinct = (field: 'nftId' | 'listingId' | 'buyerUserId' | 'providerId') =>
    JSON.stringify([...new Set(elements.map((element) => element[field] ?? null))])
  const always = [
    nftsById(db, { ids: distinct('nftId') }),
    listingsById(db, { ids: distinct('listingId') }),
    buyersById(db, { ids: distinct('buyerUserId') }),
  ] as const
  const isPlain = !call && elements.every(({ providerId }) => !providerId)
  const [nftRows, listingRows, buyerRows, orderRows, keptRows] = isPlain
    ? [...(await readAs(db, caller, always)), [], []]
    : await readAs(db, caller, [
        ...always,
        usedProviderIds(db, { caller: caller.userId, providerIds: distinct('providerId') }),
        kept(db, call, now),
      ])
  return {
    nfts: byId(nftRows),
    listings: byId(listingRows),
    buyers: byId(buyerRows),
    providerIds: new Map(orderRows.map(({ providerId, id }) => [providerId, id])),
    kept: keptRows[0] ?? null,
  }
}
