/** Reads what a placement depends on, in one trip. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { type BoundStatement, type Database, jsonValues } from '../db/client.ts'
import { columnsOf } from '../db/columns.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { addresses, listings, nfts, orders, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { Listing, Nft } from './answer.ts'
import type { OrderInput } from './input.ts'

type BuyerOffer = {
  id: number
  /** `''` if the buyer has no wallet. */
  wallet: string
  /** The live billing address with the lowest id. */
  billingAddressId: number | null
}

/** The rows that the orders of a request name. Rows that do not exist are absent. */
export type Offers = {
  nfts: Map<number, Nft>
  listings: Map<number, Listing>
  buyers: Map<number, BuyerOffer>
  /** Orders of the caller that already have one of the provider ids: provider id to order id. */
  usedProviderIds: Map<string, number>
}

type Ids = Placeholders<{ ids: string }>

const nftsById = prepared((db, { ids }: Ids) =>
  db
    .select(columnsOf(nfts, Nft()))
    .from(nfts)
    .where(inArray(nfts.id, jsonValues(ids))),
)

const listingsById = prepared((db, { ids }: Ids) =>
  db
    .select(columnsOf(listings, Listing()))
    .from(listings)
    .where(inArray(listings.id, jsonValues(ids))),
)

const buyersById = prepared((db, { ids }: Ids) => {
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
    .where(and(inArray(users.id, jsonValues(ids)), isNull(users.removedAt)))
})

const ordersByProviderId = prepared(
  (db, { userId, ids }: Placeholders<{ userId: number; ids: string }>) =>
    db
      .select({ providerId: sql<string>`${orders.providerId}`.as('providerId'), id: orders.id })
      .from(orders)
      .where(and(eq(orders.placedBy, userId), inArray(orders.providerId, jsonValues(ids)))),
)

/**
 * Reads the offers and, in the same trip, the rows of an `extra` statement. Throws
 * `unauthenticated`.
 */
export async function readOffers<Rows>(
  db: Database,
  caller: Caller,
  inputs: readonly OrderInput[],
  extra?: BoundStatement<Rows>,
): Promise<{ offers: Offers; extraRows?: Rows }> {
  const distinct = (values: readonly unknown[]) => JSON.stringify([...new Set(values)])
  const providerIds = inputs.flatMap(({ providerId }) => providerId ?? [])
  const statements = [
    nftsById(db, { ids: distinct(inputs.map(({ nftId }) => nftId)) }),
    listingsById(db, { ids: distinct(inputs.map(({ listingId }) => listingId)) }),
    buyersById(db, { ids: distinct(inputs.map(({ buyerUserId }) => buyerUserId)) }),
    ordersByProviderId(db, { userId: caller.userId, ids: distinct(providerIds) }),
  ] as const
  if (!extra) return { offers: toOffers(await readAs(db, caller, statements)) }
  const [nfts, listings, buyers, orders, extraRows] = await readAs(db, caller, [
    ...statements,
    extra,
  ])
  return { offers: toOffers([nfts, listings, buyers, orders]), extraRows }
}

type Rows = readonly [Nft[], Listing[], BuyerOffer[], { providerId: string; id: number }[]]

const toOffers = ([nfts, listings, buyers, orders]: Rows): Offers => ({
  nfts: byId(nfts),
  listings: byId(listings),
  buyers: byId(buyers),
  usedProviderIds: new Map(orders.map(({ providerId, id }) => [providerId, id])),
})

const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))
