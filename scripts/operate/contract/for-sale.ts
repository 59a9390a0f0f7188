/** What a network has for sale, as far as its contracts matter. */
import { and, eq, gt, inArray, isNull, max, ne, or, sql } from 'drizzle-orm'
import { listings, nfts, orderableStatuses } from '../../../src/db/schema/catalogue.ts'
import { users } from '../../../src/db/schema/users.ts'
import type { Sale } from '../../../src/delivery/sales.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import type { Network } from './networks.ts'

/** An account that holds NFTs of a token contract for sale. Both come from the database. */
export type Holding = { token: string; holder: string }

/** A token contract of which NFTs are for sale, with the id of one of them. */
export type TokenForSale = { token: string; tokenId: string | null } & Pick<
  typeof nfts.$inferSelect,
  'fulfilment'
>

const isForSale = ({ name }: Network, now: Date) =>
  and(
    eq(listings.active, true),
    eq(listings.type, 'regular'),
    or(isNull(listings.activeTill), gt(listings.activeTill, now.toISOString())),
    eq(nfts.contractNetwork, name),
    inArray(nfts.status, orderableStatuses),
    isNull(nfts.deletedAt),
  )

/** Returns the holdings behind the listings of a network that can be bought. */
export function findHoldings(db: SqliteDatabase, network: Network, now: Date): Promise<Holding[]> {
  const holder = sql<string>`${network.treasury ?? users.ethereumPublicAddr}`
  return db
    .selectDistinct({ token: nfts.contractAddr, holder })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .innerJoin(users, eq(users.id, listings.sellerId))
    .where(and(isForSale(network, now), eq(nfts.fulfilment, 'transfer'), ne(holder, '')))
    .orderBy(nfts.contractAddr)
}

/** Returns an NFT of each token contract and holder that can be bought, to try its delivery. */
export const findSamples = (db: SqliteDatabase, network: Network, now: Date): Promise<Sale[]> =>
  db
    .select({
      network: nfts.contractNetwork,
      contract: nfts.contractAddr,
      tokenId: max(nfts.tokenId),
      fulfilment: nfts.fulfilment,
      holder: users.ethereumPublicAddr,
    })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .innerJoin(users, eq(users.id, listings.sellerId))
    .where(and(isForSale(network, now), gt(nfts.availableAmount, 0)))
    .groupBy(nfts.contractAddr, nfts.fulfilment, users.ethereumPublicAddr)
    .orderBy(nfts.contractAddr, nfts.fulfilment)

/** Returns the token contracts behind these listings. One has two rows if both kinds are for sale. */
export const findTokensForSale = (
  db: SqliteDatabase,
  network: Network,
  now: Date,
): Promise<TokenForSale[]> =>
  db
    .select({ token: nfts.contractAddr, tokenId: max(nfts.tokenId), fulfilment: nfts.fulfilment })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .where(and(isForSale(network, now), gt(nfts.availableAmount, 0)))
    .groupBy(nfts.contractAddr, nfts.fulfilment)
    .orderBy(nfts.contractAddr, nfts.fulfilment)
