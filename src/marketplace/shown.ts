/** What everybody sees of NFTs and listings. */
import { sql } from 'drizzle-orm'
import { fillShopUrl } from '../catalogue/shop-url.ts'
import type { RowOf } from '../db/columns.ts'
import { listings, nfts, orderableStatuses } from '../db/schema/catalogue.ts'
import { isUnlimited } from '../db/stock.ts'
import type { Settings } from '../env.ts'
import { catalogueLimits } from '../limits.ts'
import { largestQuantity } from '../orders/placing/check.ts'
import { heldQuantity } from '../orders/reading/nft.ts'
import { toPublicUser, type UserRow } from './creators.ts'
import { artUrl, coverOf } from './pictures.ts'
import { hasImageSql } from './query.ts'

const description = sql<string | null>`substr(CASE 'text'
  WHEN json_type(${nfts.payload}, '$.metadata.description') THEN ${nfts.payload} ->> '$.metadata.description'
  WHEN json_type(${nfts.payload}, '$.description') THEN ${nfts.payload} ->> '$.description'
  END, 1, ${sql.raw(`${catalogueLimits.description.max}`)})`

/** The columns of an NFT. `chainIds`: JSON of the chain ids of networks by name. */
export const publicNftColumns = ({ now, chainIds }: Record<'now' | 'chainIds', string>) => ({
  id: nfts.id,
  externalId: nfts.externalId,
  title: nfts.title,
  description,
  coverKey: nfts.coverKey,
  hasImage: sql<0 | 1>`${hasImageSql}`,
  network: nfts.contractNetwork,
  contract: nfts.contractAddr,
  tokenId: nfts.tokenId,
  amountType: nfts.amountType,
  changedAt: nfts.changedAt,
  availableAmount: nfts.availableAmount,
  held: heldQuantity(sql`${nfts.id}`, now),
  maxPieces: sql<number | null>`(SELECT maxPieces FROM networks
    WHERE chainId = ${chainIds} ->> ${nfts.contractNetwork})`,
  amount: nfts.amount,
  price: nfts.price,
  currency: nfts.priceCurrency,
  status: nfts.status,
  missingFiles: nfts.missingFiles,
  isDue: sql<0 | 1>`${nfts.releaseAt} <= ${now}`,
})
type NftRow = RowOf<ReturnType<typeof publicNftColumns>>

export const publicListingColumns = {
  id: listings.id,
  externalId: listings.externalId,
  priceCents: listings.priceCents,
  priceCurrency: listings.priceCurrency,
  priceEths: listings.priceEths,
  amount: listings.amount,
  type: listings.type,
  active: listings.active,
  activeTill: listings.activeTill,
  updatedAt: listings.updatedAt,
}

export type UrlSettings = Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL'>

function imageUrl(settings: UrlSettings, nft: NftRow) {
  const cover = coverOf(settings, nft)
  if (cover && 'url' in cover) return cover.url
  return cover || nft.hasImage ? artUrl(settings.PUBLIC_URL, nft.id, 'page') : null
}

/** Whether an NFT is on sale. Otherwise it was withdrawn, and its art is not served. */
const isOnSale = ({ status, isDue }: NftRow): boolean =>
  orderableStatuses.includes(status) && isDue === 1

function stockOf({ nft, reason }: FoundNft) {
  const { amountType, availableAmount, held, maxPieces, missingFiles } = nft
  const available = isUnlimited(amountType) ? null : Math.max(availableAmount - held, 0)
  // In the order in which orders are checked.
  const ofStock = maxPieces === 0 ? 'quantity_above_limit' : available === 0 ? 'sold_out' : null
  const ofNft = isOnSale(nft) ? missingFiles > 0 && 'content_missing' : 'nft_not_released'
  const notSellableReason = ofNft || (reason ?? ofStock)
  return { available, sellable: notSellableReason === null, notSellableReason }
}

/** `reason`: why no listing, or the one that was found, takes orders; null if one does. */
type FoundNft = { nft: NftRow; creator: UserRow; reason: string | null }

const toListedNft = (settings: UrlSettings, { nft, creator }: FoundNft) => ({
  id: nft.id,
  externalId: nft.externalId,
  title: nft.title,
  description: isOnSale(nft) ? nft.description : null,
  imageUrl: isOnSale(nft) ? imageUrl(settings, nft) : null,
  network: nft.network,
  contract: nft.contract,
  tokenId: nft.tokenId,
  amountType: nft.amountType,
  listed: nft.status === 'released' && nft.isDue === 1,
  creator: toPublicUser(settings.PUBLIC_URL, creator),
})

/** Returns an NFT as the API shows it. */
export const toNft = (settings: UrlSettings, row: FoundNft) => ({
  ...toListedNft(settings, row),
  updatedAt: row.nft.changedAt,
  ...stockOf(row),
})

type FoundListing = FoundNft & {
  listing: RowOf<typeof publicListingColumns>
  seller: UserRow
  /** Its `shopUrl`, or else that of the seller. */
  shop: string | null
}

export function toListing(settings: UrlSettings, row: FoundListing) {
  const { nft, listing, seller, shop } = row
  const { amount, priceCents } = listing
  const limit = Math.min(largestQuantity({ amount, priceCents }), nft.maxPieces ?? Infinity)
  const pieces = isUnlimited(nft.amountType) ? Infinity : nft.amount
  const { id, externalId } = listing
  const stock = stockOf(row)
  const isAnyQuantity = (amount === null && nft.maxPieces === null) || limit >= pieces
  return {
    id,
    externalId,
    nft: toListedNft(settings, row),
    seller: toPublicUser(settings.PUBLIC_URL, seller),
    priceCents,
    priceCurrency: listing.priceCurrency,
    priceEths: listing.priceEths,
    maxPerOrder: isAnyQuantity ? null : limit,
    type: listing.type,
    active: listing.active,
    activeTill: listing.activeTill,
    shopUrl:
      shop && stock.sellable
        ? fillShopUrl(shop, { listingId: id, nftId: nft.id, externalId })
        : null,
    updatedAt: [listing.updatedAt, nft.changedAt].sort().at(-1),
    ...stock,
  }
}
