/** What a network has for sale, as far as its contracts matter. */
import { and, eq, gt, inArray, isNull, max, or } from 'drizzle-orm'
import { listings, nfts, orderableStatuses } from '../../../src/db/schema/catalogue.ts'
import { users } from '../../../src/db/schema/users.ts'
import type { Sale } from '../../../src/delivery/sales.ts'
import type { SqliteDatabase } from '../database/remote.ts'
import type { Network } from './networks.ts'

/** Returns an NFT of each token contract and holder that can be bought, to try its delivery. */
export const findSamples = (
  db: SqliteDatabase,
  { name }: Pick<Network, 'name'>,
  now: Date,
): Promise<Sale[]> =>
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
    .where(
      and(
        eq(listings.active, true),
        eq(listings.type, 'regular'),
        or(isNull(listings.activeTill), gt(listings.activeTill, now.toISOString())),
        eq(nfts.contractNetwork, name),
        inArray(nfts.status, orderableStatuses),
        isNull(nfts.deletedAt),
        gt(nfts.availableAmount, 0),
      ),
    )
    .groupBy(nfts.contractAddr, nfts.fulfilment, users.ethereumPublicAddr)
    .orderBy(nfts.contractAddr, nfts.fulfilment)
