/** What placing orders depends on, read in one trip. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { type Database, each } from '../db/client.ts'
import { packed } from '../db/packed.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, listings, nfts, orders, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { preparedAs, readAs } from '../identity/caller.ts'
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

const listing = packed('listing', shown.listing)
const nft = packed('nft', shown.nft)

/** The listing and the NFT that an element names, each of them null when there is none. */
const offersOf = prepared(
  (db, at: Placeholders<{ pairs: string }>) =>
    db
      .select({ ...listing.selection, ...nft.selection })
      .from(sql`json_each(${at.pairs}) AS pair`)
      .leftJoin(listings, eq(listings.id, sql`pair.value ->> 0`))
      .leftJoin(nfts, eq(nfts.id, sql`pair.value ->> 1`)),
  (row) => ({ listing: listing.orNull(row), nft: nft.orNull(row) }),
)

const buyersById = preparedAs(
  (db, live, at: Placeholders<{ ids: string }>) => {
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
        wallet: sql`${users.ethereumPublicAddr}`.as('wallet'),
        billingAddressId: sql`${firstBillingAddress}`.as('billingAddressId'),
      })
      .from(live)
      .leftJoin(users, and(inArray(users.id, each(at.ids)), isNull(users.removedAt)))
  },
  (row) => (row.id === null ? null : (row as BuyerFacts)),
)

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
  const distinct = (values: readonly unknown[]) => JSON.stringify([...new Set(values)])
  const pairs = new Map(
    elements.map(({ listingId, nftId }) => [`${listingId} ${nftId}`, [listingId, nftId]]),
  )
  const always = [
    buyersById(db, caller, { ids: distinct(elements.map(({ buyerUserId }) => buyerUserId)) }),
    offersOf(db, { pairs: JSON.stringify([...pairs.values()]) }),
  ] as const
  const providerIds = elements.flatMap(({ providerId }) => providerId ?? [])
  const [buyerRows, offers, orderRows, keptRows] =
    call || providerIds.length > 0
      ? await readAs(db, [
          ...always,
          usedProviderIds(db, { caller: caller.userId, providerIds: distinct(providerIds) }),
          kept(db, call, now),
        ])
      : [...(await readAs(db, always)), [], []]
  return {
    nfts: byId(offers.flatMap(({ nft }) => nft ?? [])),
    listings: byId(offers.flatMap(({ listing }) => listing ?? [])),
    buyers: byId(buyerRows.flatMap((buyer) => buyer ?? [])),
    providerIds: new Map(orderRows.map(({ providerId, id }) => [providerId, id])),
    kept: keptRows[0] ?? null,
  }
}
