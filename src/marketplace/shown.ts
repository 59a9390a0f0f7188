/** What everybody sees of NFTs and listings. */
import { sql } from 'drizzle-orm'
import type { RowOf } from '../db/columns.ts'
import { listings, nfts, orderableStatuses } from '../db/schema/catalogue.ts'
import { isUnlimited } from '../db/stock.ts'
import type { Settings } from '../env.ts'
import { catalogueLimits } from '../http/limits.ts'
import { artUrl, coverUrl } from '../http/links.ts'
import { largestQuantity } from '../orders/check.ts'
import { heldQuantity } from '../orders/nft.ts'
import { toPublicUser, type UserRow } from './creators.ts'
import { hasImageSql } from './query.ts'

const description = sql<string | null>`substr(CASE 'text'
  WHEN json_type(${nfts.payload}, '$.metadata.description') THEN ${nfts.payload} ->> '$.metadata.description'
  WHEN json_type(${nfts.payload}, '$.description') THEN ${nfts.payload} ->> '$.description'
  END, 1, ${sql.raw(`${catalogueLimits.description.max}`)})`

/** The columns of an NFT. `chainIds`: JSON of the chain ids of networks by name. */
export const nftColumns = ({ now, chainIds }: Record<'now' | 'chainIds', string>) => ({
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
  isDue: sql<0 | 1>`${nfts.releaseAt} <= ${now}`,
})
type NftRow = RowOf<ReturnType<typeof nftColumns>>

/** Why a listing may take no orders. */
export const termColumns = ({ now }: Record<'now', string>) => ({
  type: listings.type,
  active: listings.active,
  hasEnded: sql<0 | 1 | null>`${listings.activeTill} <= ${now}`,
  obstacle: listings.obstacle,
})
type Terms = RowOf<ReturnType<typeof termColumns>>

export const listingColumns = {
  id: listings.id,
  externalId: listings.externalId,
  priceCents: listings.priceCents,
  priceCurrency: listings.priceCurrency,
  priceEths: listings.priceEths,
  amount: listings.amount,
  activeTill: listings.activeTill,
  updatedAt: listings.updatedAt,
}

/** Returns why a listing takes no orders; null if it does. In the order in which orders are checked. */
export function reasonOf({ type, active, hasEnded, obstacle }: Terms): string | null {
  if (type === 'auction') return 'listing_is_auction'
  if (!active) return 'listing_inactive'
  return hasEnded ? 'listing_ended' : obstacle
}

export type UrlSettings = Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL'>

function imageUrl({ PUBLIC_URL, COVERS_URL }: UrlSettings, { id, coverKey, hasImage }: NftRow) {
  if (COVERS_URL && coverKey) return coverUrl(COVERS_URL, coverKey)
  return hasImage ? artUrl(PUBLIC_URL, id, 'page') : null
}

/** Whether an NFT is on sale. Otherwise it was withdrawn, and its art is not served. */
const isOnSale = ({ status, isDue }: NftRow): boolean =>
  orderableStatuses.includes(status) && isDue === 1

/** `reason`: why no listing takes orders; null if one does. */
function stockOf(nft: NftRow, reason: string | null) {
  const { amountType, availableAmount, held, maxPieces } = nft
  const available = isUnlimited(amountType) ? null : Math.max(availableAmount - held, 0)
  // In the order in which orders are checked.
  const ofStock = maxPieces === 0 ? 'quantity_above_limit' : available === 0 ? 'sold_out' : null
  const notSellableReason = isOnSale(nft) ? (reason ?? ofStock) : 'nft_not_released'
  return { available, sellable: notSellableReason === null, notSellableReason }
}

type FoundNft = { nft: NftRow; creator: UserRow }

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

/** Returns an NFT as the API shows it. `reasons`: those of its listings. */
export function toNft(settings: UrlSettings, row: FoundNft, reasons: readonly (string | null)[]) {
  const [first = 'listing_not_found'] = reasons.toSorted()
  const reason = reasons.includes(null) ? null : first
  const updatedAt = row.nft.changedAt
  return { ...toListedNft(settings, row), updatedAt, ...stockOf(row.nft, reason) }
}

type FoundListing = FoundNft & {
  listing: RowOf<typeof listingColumns>
  terms: Terms
  seller: UserRow
}

export function toListing(settings: UrlSettings, row: FoundListing) {
  const { nft, listing, terms, seller } = row
  const { amount, priceCents } = listing
  const limit = Math.min(largestQuantity({ amount, priceCents }), nft.maxPieces ?? Infinity)
  const pieces = nft.amountType === 'unlimited' ? Infinity : nft.amount
  const isAnyQuantity = (amount === null && nft.maxPieces === null) || limit >= pieces
  return {
    id: listing.id,
    externalId: listing.externalId,
    nft: toListedNft(settings, row),
    seller: toPublicUser(settings.PUBLIC_URL, seller),
    priceCents,
    priceCurrency: listing.priceCurrency,
    priceEths: listing.priceEths,
    maxPerOrder: isAnyQuantity ? null : limit,
    type: terms.type,
    active: terms.active,
    activeTill: listing.activeTill,
    updatedAt: [listing.updatedAt, nft.changedAt].sort().at(-1),
    ...stockOf(nft, reasonOf(terms)),
  }
}
