/** Loads the rows that placing orders depends on, in one trip. */
import { and, eq, inArray, isNull, sql } from 'drizzle-orm'
import { isLive } from '../addresses/schema.ts'
import { readAs } from '../auth/access.ts'
import { jsonValues } from '../db/client.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { networks } from '../db/schema/delivery.ts'
import { orders } from '../db/schema/orders.ts'
import { addresses, tokens, users } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import type { Caller, Ctx } from '../http/context.ts'
import type { OrderData } from './check.ts'
import { type IdempotentCall, selectStored } from './idempotency.ts'
import { listingColumns, nftColumns } from './nft.ts'
import { byId } from './order.ts'
import type { Plan } from './plan.ts'
import type { NewOrder } from './schema.ts'

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

type LoadCtx = Pick<Ctx, 'db' | 'caller'> & { settings: Pick<Settings, 'NETWORKS'> }

/** A row for each chain, of which there are few. */
const selectMaxPieces = prepared((db) =>
  db.select({ chainId: networks.chainId, maxPieces: networks.maxPieces }).from(networks),
)

/**
 * Loads the rows that the orders of a call name, and the response that is stored for its
 * idempotency key. Throws `unauthenticated`.
 */
export async function loadOrderData(
  { db, caller, settings }: LoadCtx,
  inputs: readonly NewOrder[],
  call: IdempotentCall | null,
) {
  const { tokenId } = caller
  const distinct = (ids: readonly number[]) => ({ ids: JSON.stringify([...new Set(ids)]) })
  const providerIds = JSON.stringify(inputs.flatMap(({ providerId }) => providerId ?? []))
  const [nfts, listings, buyers, placed, [token], limits, responses] = await readAs(db, caller, [
    nftsById(db, distinct(inputs.map(({ nftId }) => nftId))),
    listingsById(db, distinct(inputs.map(({ listingId }) => listingId))),
    buyersById(db, distinct(inputs.map(({ buyerUserId }) => buyerUserId))),
    ordersByProviderId(db, { tokenId, providerIds }),
    selectNamespace(db, { tokenId }),
    selectMaxPieces(db, {}),
    ...(call ? [selectStored(db, { ...call, tokenId })] : []),
  ])
  if (!token) throw new Error('a live token was not read')
  const maxPieces = new Map(limits.map(({ chainId, maxPieces }) => [chainId, maxPieces]))
  const data: OrderData = {
    nfts: byId(nfts),
    listings: byId(listings),
    buyers: byId(buyers),
    placed: new Map(placed.map(({ id, providerId }) => [providerId ?? '', id])),
    namespace: token.namespace,
    maxPieces: new Map(
      Object.entries(settings.NETWORKS).map(([network, { chainId }]) => [
        network,
        maxPieces.get(chainId) ?? Infinity,
      ]),
    ),
  }
  return { data, stored: responses?.[0] }
}

type Expected = { rows: string; count: number; role: string; userId: number; now: string }

const isOutdated = preparedCondition(
  (_, { rows, count, role, userId, now }: Placeholders<Expected>) =>
    sql`(SELECT count(*) FROM json_each(${rows}) AS expected
    JOIN listings ON listings.id = value ->> 'listingId' AND listings.nftId = value ->> 'nftId'
      AND listings.priceCents = value ->> 'priceCents' AND listings.priceWei = value ->> 'priceWei'
      AND listings.priceCurrency = value ->> 'priceCurrency'
      AND listings.active AND (listings.activeTill IS NULL OR listings.activeTill > ${now})
      AND (${role} = 'master' OR listings.sellerId = ${userId})
    JOIN nfts ON nfts.id = listings.nftId AND nfts.status = 'released' AND nfts.deletedAt IS NULL
    JOIN users ON users.id = value ->> 'buyerId' AND users.ethereumPublicAddr = value ->> 'wallet'
      AND users.walletChainId = value ->> 'walletChainId' AND users.removedAt IS NULL
    LEFT JOIN addresses ON addresses.id = value ->> 'billingAddressId'
    WHERE value ->> 'billingAddressId' IS NULL OR addresses.deletedAt IS NULL) < ${count}`,
)

/** Whether something that was checked, or that the response shows, has changed since it was read. */
export function hasChanged({ role, userId }: Caller, plan: Plan) {
  const listings = byId(plan.listings)
  const rows = plan.orders.map(({ order, item, billing, hidden }) => ({
    listingId: item.listingId,
    nftId: item.nftId,
    priceCents: item.priceCents,
    priceWei: listings.get(item.listingId)?.priceWei,
    priceCurrency: item.priceCurrency,
    buyerId: order.buyerId,
    wallet: item.ethRecipient ?? '',
    walletChainId: hidden.recipientChainId,
    ...billing,
  }))
  const expected = { rows: JSON.stringify(rows), count: rows.length, now: plan.placedAt }
  return isOutdated({ ...expected, role, userId })
}
