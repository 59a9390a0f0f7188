/** Loads the rows that placing orders depends on, in one trip. */
import { eq, sql } from 'drizzle-orm'
import { isLiveSql } from '../../addresses/schema.ts'
import { namespaceOf, readAs } from '../../auth/access.ts'
import { jsonValues } from '../../db/client.ts'
import { listings, nfts } from '../../db/schema/catalogue.ts'
import { networks } from '../../db/schema/delivery.ts'
import { orders, reservations } from '../../db/schema/orders.ts'
import { addresses, isGuestSql, tokens, users } from '../../db/schema/users.ts'
import { prepared } from '../../db/statements.ts'
import { isApprovedSql } from '../../identity/approval.ts'
import { heldQuantity, listingColumns, nftColumns } from '../reading/nft.ts'
import type { OrderBuyer, OrderData, PlaceCtx } from './data.ts'
import { selectOpen } from './guards.ts'
import { type IdempotentCall, selectStored } from './idempotency.ts'
import type { NewOrder } from './new-order.ts'

/** JSON arrays of ids, and of the operator's own ids. */
type Keys = { ids: string; externalIds: string }

const selectNfts = prepared(
  (db, { ids, externalIds, listed, now }: Keys & { listed: string; now: string }) =>
    db
      .select({
        ...nftColumns,
        externalId: nfts.externalId,
        missingFiles: nfts.missingFiles,
        held: heldQuantity(sql`nfts.id`, now).as('held'),
      })
      .from(nfts)
      .where(
        sql`id IN ${jsonValues(ids)} OR externalId IN ${jsonValues(externalIds)}
          OR id IN (SELECT nftId FROM listings
            WHERE id IN ${jsonValues(listed)} OR externalId IN ${jsonValues(listed)})`,
      ),
)

const selectListings = prepared((db, { ids, externalIds }: Keys) =>
  db
    .select({
      ...listingColumns,
      externalId: listings.externalId,
      obstacle: listings.obstacle,
      untriedUntil: listings.untriedUntil,
      isSellerApproved: sql<0 | 1>`${isApprovedSql(sql`listings.sellerId`)}`.as('isSellerApproved'),
    })
    .from(listings)
    .where(sql`id IN ${jsonValues(ids)} OR externalId IN ${jsonValues(externalIds)}`),
)

/** In the spelling of the partial indexes, so that SQLite uses them. */
const selectBuyers = prepared(
  (db, { ids, emails, wallets }: { ids: string; emails: string; wallets: string }) =>
    db
      .select({
        id: users.id,
        email: users.email,
        wallet: users.ethereumPublicAddr,
        walletChainId: users.walletChainId,
        isGuest: sql<0 | 1>`${isGuestSql('users')}`.as('isGuest'),
        billingAddressId: sql<number | null>`(SELECT min(addresses.id) FROM ${addresses}
          WHERE addresses.userId = users.id AND addresses.kind = 'billing' AND ${isLiveSql})`.as(
          'billingAddressId',
        ),
      })
      .from(users)
      .where(
        sql`(id IN ${jsonValues(ids)} OR email <> '' AND email IN ${jsonValues(emails)}
          OR ethereumPublicAddr <> '' AND ethereumPublicAddr IN ${jsonValues(wallets)})
          AND removedAt IS NULL`,
      ),
)

/** What was made in the namespace of a token. `names`: a JSON array. */
type Own = { names: string; tokenId: string; now: string }

const selectPlaced = prepared((db, { names, tokenId }: Own) =>
  db
    .select({
      orderId: orders.id,
      providerId: orders.providerId,
      custom: orders.custom,
      paid: orders.paid,
      email: users.email,
      wallet: users.ethereumPublicAddr,
      buyerRemovedAt: users.removedAt,
    })
    .from(orders)
    .innerJoin(users, eq(users.id, orders.buyerId))
    .where(sql`providerId IN ${jsonValues(names)} AND namespace = ${namespaceOf(tokenId)}`),
)

/** Live reservations, unless their sellers were removed since. */
const selectHolds = prepared((db, { names, tokenId, now }: Own) =>
  db
    .select()
    .from(reservations)
    .where(
      sql`id IN ${jsonValues(names)} AND namespace = ${namespaceOf(tokenId)} AND expiresAt > ${now}
        AND EXISTS (SELECT 1 FROM listings JOIN users ON users.id = listings.sellerId
          WHERE listings.id = reservations.listingId AND users.removedAt IS NULL)`,
    ),
)

const selectToken = prepared((db, { tokenId }: { tokenId: string }) =>
  db.select({ namespace: tokens.namespace }).from(tokens).where(eq(tokens.id, tokenId)),
)

/** A row for each chain, of which there are few. */
const selectLimits = prepared((db) =>
  db.select({ chainId: networks.chainId, maxPieces: networks.maxPieces }).from(networks),
)

/** Returns a map of rows by their ids, and by the operator's own ids, which are texts. */
const byKey = <Row extends { id: number; externalId: string }>(rows: readonly Row[]) =>
  new Map<unknown, Omit<Row, 'externalId'>>(
    rows.flatMap(({ externalId, ...row }) => [
      [row.id, row],
      [externalId, row],
    ]),
  )

/** Returns a function that finds the buyers whom an order may name. `chainId` is that of its NFT. */
function buyerFinder(buyers: readonly OrderBuyer[]) {
  const byKey = new Map<unknown, OrderBuyer>(
    buyers.flatMap((buyer) => [
      [buyer.id, buyer],
      [buyer.email, buyer],
    ]),
  )
  return ({ buyerUserId, buyer }: NewOrder, chainId: number | null): OrderBuyer[] =>
    buyer?.wallet
      ? ownersOf(buyer.wallet, buyers, chainId)
      : [buyerUserId ?? buyer?.userId ?? buyer?.email].flatMap((key) => byKey.get(key) ?? [])
}

/**
 * Returns whom an order names by a wallet: its contract on the chain of the NFT, else its key, else its
 * contract on another chain, to which this NFT cannot be delivered, else the guest of this chain.
 */
function ownersOf(
  wallet: string,
  buyers: readonly OrderBuyer[],
  chainId: number | null,
): OrderBuyer[] {
  const isHere = ({ walletChainId }: OrderBuyer) => walletChainId === (chainId ?? 0)
  const rank = (buyer: OrderBuyer) => {
    if (buyer.isGuest) return 3
    return isHere(buyer) ? 0 : buyer.walletChainId === 0 ? 1 : 2
  }
  return buyers
    .filter((buyer) => buyer.wallet === wallet && (!buyer.isGuest || isHere(buyer)))
    .toSorted((a, b) => rank(a) - rank(b))
}

/** A JSON array of the different values, without null. */
const distinct = (values: readonly (number | string | null | undefined)[]) =>
  JSON.stringify([...new Set(values)].filter((value) => (value ?? null) !== null))

type Load = {
  inputs: readonly NewOrder[]
  call?: IdempotentCall | null
  countsOpen?: boolean
}

export async function loadOrderData(
  ctx: PlaceCtx,
  { inputs, call = null, countsOpen = false }: Load,
): Promise<OrderData> {
  const { db, caller, settings } = ctx
  const { tokenId } = caller
  const now = ctx.now.toISOString()
  const unnamed = inputs.filter(({ nftId, nft }) => !nftId && !nft)
  const providerIds = distinct(inputs.map(({ providerId }) => providerId))
  const reservationIds = distinct(inputs.map(({ reservationId }) => reservationId))
  const rows = await readAs(db, caller, {
    nfts: selectNfts(db, {
      ids: distinct(inputs.map(({ nftId }) => nftId)),
      externalIds: distinct(inputs.map(({ nft }) => nft)),
      listed: distinct(unnamed.map(({ listingId, listing }) => listingId ?? listing)),
      now,
    }),
    listings: selectListings(db, {
      ids: distinct(inputs.map(({ listingId }) => listingId)),
      externalIds: distinct(inputs.map(({ listing }) => listing)),
    }),
    buyers: selectBuyers(db, {
      ids: distinct(inputs.map(({ buyerUserId, buyer }) => buyerUserId ?? buyer?.userId)),
      emails: distinct(inputs.map(({ buyer }) => buyer?.email)),
      wallets: distinct(inputs.map(({ buyer }) => buyer?.wallet)),
    }),
    placed: selectPlaced(db, { names: providerIds, tokenId, now }),
    holds: selectHolds(db, { names: reservationIds, tokenId, now }),
    tokens: selectToken(db, { tokenId }),
    limits: selectLimits(db, {}),
    stored: call ? selectStored(db, call, tokenId) : undefined,
    open: countsOpen ? selectOpen(ctx) : undefined,
  })
  const [token] = rows.tokens
  if (!token) throw new Error('a live token was not read')
  const nfts = byKey(rows.nfts.map(({ held, missingFiles, ...nft }) => nft))
  const listings = byKey(
    rows.listings.map(({ obstacle, untriedUntil, isSellerApproved, ...listing }) => listing),
  )
  const sales = new Map(
    rows.listings.map(({ id, obstacle, untriedUntil, isSellerApproved }) => [
      id,
      { obstacle, untriedUntil, isSellerApproved: isSellerApproved === 1 },
    ]),
  )
  const unusedHolds = new Map(rows.holds.map((hold) => [hold.id, hold]))
  const findBuyers = buyerFinder(rows.buyers)
  const maxPieces = new Map(rows.limits.map(({ chainId, maxPieces }) => [chainId, maxPieces]))
  return {
    orders: inputs.map((input) => {
      const listing = listings.get(input.listingId ?? input.listing)
      const nft = nfts.get(input.nftId ?? input.nft ?? listing?.nftId)
      const chainId = settings.NETWORKS[nft?.contractNetwork ?? '']?.chainId ?? null
      const hold = unusedHolds.get(input.reservationId ?? '')
      if (hold) unusedHolds.delete(hold.id)
      const buyers = findBuyers(input, chainId)
      return { input, nft, listing, ...(listing && sales.get(listing.id)), hold, chainId, buyers }
    }),
    placed: new Map(rows.placed.map((order) => [order.providerId ?? '', order])),
    namespace: token.namespace,
    missingFiles: new Map(rows.nfts.map(({ id, missingFiles }) => [id, missingFiles])),
    held: new Map(rows.nfts.map(({ id, held }) => [id, held])),
    maxPieces: new Map(
      Object.entries(settings.NETWORKS).map(([network, { chainId }]) => [
        network,
        maxPieces.get(chainId) ?? Infinity,
      ]),
    ),
    stored: rows.stored[0],
    open: rows.open[0]?.open,
  }
}
