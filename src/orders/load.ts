/** Loads the rows that a placement depends on, in one trip. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { isLive } from '../addresses/schema.ts'
import { readAs } from '../auth/access.ts'
import { type BoundStatement, type Database, jsonValues } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { orders } from '../db/schema/orders.ts'
import { addresses, tokens, users } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import type { Listing, Nft } from './answer.ts'
import { listingColumns, nftColumns } from './columns.ts'
import type { OrderInput } from './input.ts'

type Buyer = {
  id: number
  /** `''` if the buyer has no wallet. */
  wallet: string
  /** The chain of a wallet that is a contract; 0 for a wallet with a key. */
  walletChainId: number
  /** The live billing address with the lowest id. */
  billingAddressId: number | null
}

/** The rows that the orders of a call name. Rows that do not exist are absent. */
export type OrderData = {
  nfts: Map<number, Nft>
  listings: Map<number, Listing>
  buyers: Map<number, Buyer>
  /** Orders of earlier calls in the namespace: provider id to order id. */
  placed: Map<string, number>
}

type Ids = Placeholders<{ ids: string }>

const nftsById = prepared((db, { ids }: Ids) =>
  db
    .select(nftColumns)
    .from(nfts)
    .where(inArray(nfts.id, jsonValues(ids))),
)

const listingsById = prepared((db, { ids }: Ids) =>
  db
    .select(listingColumns)
    .from(listings)
    .where(inArray(listings.id, jsonValues(ids))),
)

const buyersById = prepared((db, { ids }: Ids) => {
  const firstBillingAddress = db
    .select({ id: sql`min(${addresses.id})` })
    .from(addresses)
    .where(and(eq(addresses.userId, users.id), eq(addresses.kind, sql`'billing'`), isLive))
  return db
    .select({
      id: users.id,
      wallet: users.ethereumPublicAddr,
      walletChainId: users.walletChainId,
      billingAddressId: sql<number | null>`${firstBillingAddress}`.as('billingAddressId'),
    })
    .from(users)
    .where(and(inArray(users.id, jsonValues(ids)), isNull(users.removedAt)))
})

const ordersByProviderId = prepared(
  (db, { tokenId, providerIds }: Placeholders<{ tokenId: string; providerIds: string }>) =>
    db
      .select({ id: orders.id, providerId: orders.providerId })
      .from(orders)
      .where(
        and(
          inArray(orders.providerId, jsonValues(providerIds)),
          eq(orders.namespace, sql`(SELECT namespace FROM ${tokens} WHERE id = ${tokenId})`),
        ),
      ),
)

const selectNamespace = prepared((db, { tokenId }: Placeholders<{ tokenId: string }>) =>
  db.select({ namespace: tokens.namespace }).from(tokens).where(eq(tokens.id, tokenId)),
)

/**
 * Loads the data, the namespace of the caller's token and, in the same trip, the rows of an `extra`
 * statement. Throws `unauthenticated`.
 */
export async function loadOrderData<Rows>(
  db: Database,
  caller: Caller,
  inputs: readonly OrderInput[],
  extra?: BoundStatement<Rows>,
): Promise<{ data: OrderData; namespace: string; extraRows?: Rows }> {
  const distinct = (ids: readonly number[]) => ({ ids: JSON.stringify([...new Set(ids)]) })
  const { tokenId } = caller
  const providerIds = JSON.stringify(inputs.flatMap(({ providerId }) => providerId ?? []))
  const statements = [
    nftsById(db, distinct(inputs.map(({ nftId }) => nftId))),
    listingsById(db, distinct(inputs.map(({ listingId }) => listingId))),
    buyersById(db, distinct(inputs.map(({ buyerUserId }) => buyerUserId))),
    selectNamespace(db, { tokenId }),
    ordersByProviderId(db, { tokenId, providerIds }),
  ] as const
  if (!extra) return toLoaded(await readAs(db, caller, statements))
  const [nfts, listings, buyers, tokens, placed, extraRows] = await readAs(db, caller, [
    ...statements,
    extra,
  ])
  return { ...toLoaded([nfts, listings, buyers, tokens, placed]), extraRows }
}

type Placed = { id: number; providerId: string | null }
type Results = readonly [Nft[], Listing[], Buyer[], { namespace: string }[], Placed[]]

function toLoaded([nfts, listings, buyers, [token], placed]: Results) {
  if (!token) throw new Error('a live token was not read')
  const data = {
    nfts: byId(nfts),
    listings: byId(listings),
    buyers: byId(buyers),
    placed: new Map(placed.map(({ id, providerId }) => [providerId ?? '', id])),
  }
  return { data, namespace: token.namespace }
}

const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))
