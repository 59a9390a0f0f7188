/** Loads the rows that placing orders depends on, in one trip. */
import { eq, type Placeholder, sql } from 'drizzle-orm'
import { isLive } from '../addresses/schema.ts'
import { readAs } from '../auth/access.ts'
import { type BoundStatement, jsonValues } from '../db/client.ts'
import { type Placeholders, preparedCondition, preparedTables } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { networks } from '../db/schema/delivery.ts'
import { orders } from '../db/schema/orders.ts'
import { addresses, tokens, users } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import type { Buyer, OrderData } from './check.ts'
import { selectHolds } from './holds.ts'
import type { NewOrder } from './new-order.ts'
import { type Listing, listingColumns, nftColumns } from './nft.ts'
import { heldQuantity } from './stock.ts'

/** Lists are JSON arrays. */
type Values = {
  nftIds: string
  listingIds: string
  /** The operator's own ids. */
  nfts: string
  listings: string
  /** Ids of both kinds, of listings whose NFTs are not named. */
  listed: string
  buyerIds: string
  emails: string
  wallets: string
  providerIds: string
  reservationIds: string
  tokenId: string
  now: string
}

const hasKey = (ids: Placeholder, externalIds: Placeholder) =>
  sql`(id IN ${jsonValues(ids)} OR externalId IN ${jsonValues(externalIds)})`

const selectNamed = preparedTables((db, values: Placeholders<Values>) => {
  const listed = sql`(SELECT nftId FROM listings WHERE ${hasKey(values.listed, values.listed)})`
  const firstBillingAddress = sql<number | null>`(SELECT min(addresses.id) FROM ${addresses}
    WHERE addresses.userId = users.id AND addresses.kind = 'billing' AND ${isLive})`
  // In the spelling of the partial indexes, so that SQLite uses them.
  const isNamed = sql`(id IN ${jsonValues(values.buyerIds)}
    OR email <> '' AND email IN ${jsonValues(values.emails)}
    OR ethereumPublicAddr <> '' AND ethereumPublicAddr IN ${jsonValues(values.wallets)})`
  const namespace = sql`(SELECT namespace FROM ${tokens} WHERE id = ${values.tokenId})`
  const selects = {
    nfts: db
      .select({
        ...{ ...nftColumns, externalId: nfts.externalId },
        held: heldQuantity(sql`nfts.id`, values.now).as('held'),
      })
      .from(nfts)
      .where(sql`${hasKey(values.nftIds, values.nfts)} OR id IN ${listed}`),
    listings: db
      .select({
        ...listingColumns,
        ...{ externalId: listings.externalId, obstacle: listings.obstacle },
      })
      .from(listings)
      .where(hasKey(values.listingIds, values.listings)),
    buyers: db
      .select({
        id: users.id,
        email: users.email,
        wallet: users.ethereumPublicAddr,
        walletChainId: users.walletChainId,
        billingAddressId: firstBillingAddress.as('billingAddressId'),
      })
      .from(users)
      .where(sql`${isNamed} AND removedAt IS NULL`),
    placed: db
      .select({
        ...{ id: orders.id, providerId: orders.providerId, custom: orders.custom },
        ...{ email: users.email, wallet: users.ethereumPublicAddr },
        buyerRemovedAt: users.removedAt,
      })
      .from(orders)
      .innerJoin(users, eq(users.id, orders.buyerId))
      .where(sql`providerId IN ${jsonValues(values.providerIds)} AND namespace = ${namespace}`),
    holds: selectHolds(db, { ids: values.reservationIds, namespace, now: values.now }),
    namespaces: db
      .select({ namespace: tokens.namespace })
      .from(tokens)
      .where(eq(tokens.id, values.tokenId)),
    // A row for each chain, of which there are few.
    limits: db.select({ chainId: networks.chainId, maxPieces: networks.maxPieces }).from(networks),
  }
  return { selects }
})

/** Returns a map of rows by their ids, and by the operator's own ids, which are texts. */
const byKey = <Row extends { id: number; externalId: string }>(rows: readonly Row[]) =>
  new Map<unknown, Omit<Row, 'externalId'>>(
    rows.flatMap(({ externalId, ...row }) => [
      [row.id, row],
      [externalId, row],
    ]),
  )

/** Returns a function that finds the buyers whom an order may name. `chainId` is that of its NFT. */
function buyerFinder(buyers: readonly Buyer[]) {
  const byKey = new Map<unknown, Buyer>(
    buyers.flatMap((buyer) => [
      [buyer.id, buyer],
      [buyer.email, buyer],
      [`${buyer.walletChainId}:${buyer.wallet}`, buyer],
    ]),
  )
  return ({ buyerUserId, buyer }: NewOrder, chainId: number | undefined): Buyer[] => {
    const keys = buyer?.wallet
      ? [`${chainId}:${buyer.wallet}`, `0:${buyer.wallet}`]
      : [buyerUserId ?? buyer?.userId ?? buyer?.email]
    return keys.flatMap((key) => byKey.get(key) ?? [])
  }
}

/** A JSON array of the different values, without null. */
const distinct = (values: readonly (number | string | null | undefined)[]) =>
  JSON.stringify([...new Set(values)].filter((value) => (value ?? null) !== null))

type LoadCtx = Ctx & { settings: Pick<Settings, 'NETWORKS'> }

/**
 * Loads the rows that a call depends on. `also` is another statement of the trip, whose first row is
 * returned. Throws `unauthenticated`.
 */
export async function loadOrderData<Row>(
  { db, caller, now: at, settings }: LoadCtx,
  inputs: readonly NewOrder[],
  also: BoundStatement<Row[]> | null,
) {
  const unnamed = inputs.filter(({ nftId, nft }) => !nftId && !nft)
  const statement = selectNamed(db, {
    nftIds: distinct(inputs.map(({ nftId }) => nftId)),
    listingIds: distinct(inputs.map(({ listingId }) => listingId)),
    nfts: distinct(inputs.map(({ nft }) => nft)),
    listings: distinct(inputs.map(({ listing }) => listing)),
    listed: distinct(unnamed.map(({ listingId, listing }) => listingId ?? listing)),
    buyerIds: distinct(inputs.map(({ buyerUserId, buyer }) => buyerUserId ?? buyer?.userId)),
    emails: distinct(inputs.map(({ buyer }) => buyer?.email)),
    wallets: distinct(inputs.map(({ buyer }) => buyer?.wallet)),
    providerIds: distinct(inputs.map(({ providerId }) => providerId)),
    reservationIds: distinct(inputs.map(({ reservationId }) => reservationId)),
    tokenId: caller.tokenId,
    now: at.toISOString(),
  })
  const [{ nfts, listings, buyers, placed, holds, namespaces, limits }, rows] = await readAs(
    db,
    caller,
    [statement, ...(also ? [also] : [])],
  )
  const [token] = namespaces
  if (!token) throw new Error('a live token was not read')
  const maxPieces = new Map(limits.map(({ chainId, maxPieces }) => [chainId, maxPieces]))
  const nftsByKey = byKey(nfts.map(({ held, ...nft }) => nft))
  const listingsByKey = byKey(listings.map(({ obstacle, ...listing }) => listing))
  const obstacles = new Map(listings.map(({ id, obstacle }) => [id, obstacle]))
  const unusedHolds = new Map(holds.map((hold) => [hold.id, hold]))
  const findBuyers = buyerFinder(buyers)
  const data: OrderData = {
    named: inputs.map((input) => {
      const listing = listingsByKey.get(input.listingId ?? input.listing)
      const nft = nftsByKey.get(input.nftId ?? input.nft ?? listing?.nftId)
      const chainId = settings.NETWORKS[nft?.contractNetwork ?? '']?.chainId
      const hold = unusedHolds.get(input.reservationId ?? '')
      if (hold) unusedHolds.delete(hold.id)
      const obstacle = listing && obstacles.get(listing.id)
      return { nft, listing, obstacle, hold, buyers: findBuyers(input, chainId) }
    }),
    placed: new Map(placed.map((order) => [order.providerId ?? '', order])),
    namespace: token.namespace,
    held: new Map(nfts.map(({ id, held }) => [id, held])),
    maxPieces: new Map(
      Object.entries(settings.NETWORKS).map(([network, { chainId }]) => [
        network,
        maxPieces.get(chainId) ?? Infinity,
      ]),
    ),
  }
  return { data, row: rows?.[0] }
}

type Expected = { rows: string; count: number; now: string }

const isOutdated = preparedCondition(
  (_, { rows, count, now }: Placeholders<Expected>) =>
    sql`(SELECT count(*) FROM json_each(${rows}) AS expected
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
      AND (value ->> 'billingAddressId' IS NULL OR addresses.deletedAt IS NULL)) < ${count}`,
)

/** A listing as it was read, for `hasChanged`. */
export const expectListing = ({ id: listingId, ...listing }: Listing) => {
  const { nftId, sellerId, priceCents, priceWei, priceCurrency } = listing
  return { listingId, nftId, sellerId, priceCents, priceWei, priceCurrency }
}

/**
 * Whether something that was checked, or that the response shows, has changed since it was read.
 * Whether somebody has the address of a new user by now is checked by unique indexes.
 */
export const hasChanged = (
  { now }: Pick<Ctx, 'now'>,
  rows: readonly ReturnType<typeof expectListing>[],
) => isOutdated({ rows: JSON.stringify(rows), count: rows.length, now: now.toISOString() })
