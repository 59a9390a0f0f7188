/** What a network has for sale, as far as its contracts matter. */
import { and, eq, gt, inArray, isNull, or, type SQL, sql } from 'drizzle-orm'
import { listings, nfts, orderableStatuses } from '../../../src/db/schema/catalogue.ts'
import { users } from '../../../src/db/schema/users.ts'
import type { Sale } from '../../../src/delivery/sales.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import type { Network } from './networks.ts'

/** Listings that are active, of NFTs that have pieces left. */
export const isForSale = (now: Date): SQL | undefined =>
  and(
    eq(listings.active, true),
    or(isNull(listings.activeTill), gt(listings.activeTill, now.toISOString())),
    isNull(nfts.deletedAt),
    gt(nfts.availableAmount, 0),
  )

/**
 * Returns an NFT of each token contract and holder that can be bought, to try its delivery: that with the
 * highest id, which is the last of a batch.
 */
export const findSamples = (
  db: SqliteDatabase,
  { name }: Pick<Network, 'name'>,
  now: Date,
): Promise<Sale[]> =>
  db
    .select({
      network: nfts.contractNetwork,
      contract: nfts.contractAddr,
      tokenId: sql<string | null>`nullif(ltrim(max(printf('%78s', ${nfts.tokenId}))), '')`,
      fulfilment: nfts.fulfilment,
      heldBySeller: nfts.heldBySeller,
      seller: users.ethereumPublicAddr,
    })
    .from(listings)
    .innerJoin(nfts, eq(nfts.id, listings.nftId))
    .innerJoin(users, eq(users.id, listings.sellerId))
    .where(
      and(
        isForSale(now),
        eq(listings.type, 'regular'),
        eq(nfts.contractNetwork, name),
        inArray(nfts.status, orderableStatuses),
        eq(nfts.recipients, 'anybody'),
      ),
    )
    .groupBy(nfts.contractAddr, nfts.fulfilment, nfts.heldBySeller, users.ethereumPublicAddr)
    .orderBy(nfts.contractAddr, nfts.fulfilment, nfts.heldBySeller)
