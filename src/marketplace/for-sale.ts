/** NFTs and listings as everybody sees them. */

import { type SQL, sql } from 'drizzle-orm'
import { prepared } from '../db/batch.ts'
import type { Settings } from '../env.ts'
import { artUrl, coverUrl } from '../http/links.ts'
import { largestQuantity } from '../orders/check.ts'
import { heldQuantity } from '../orders/stock.ts'
import {
  at,
  candidates,
  type Driver,
  drivers,
  hasImage,
  matchesNft,
  type V,
  WINDOW,
} from './candidates.ts'
import { toPublicUser, type UserRow } from './creators.ts'

/** Characters of a description. */
export const MAX_DESCRIPTION = 2000

/** Why a listing takes no orders; an empty text if it does. The best one sorts first. */
const obstacle = (listing: string, v: V) => sql`CASE
  WHEN ${sql.raw(listing)}.type = 'auction' THEN 'listing_is_auction'
  WHEN NOT ${sql.raw(listing)}.active THEN 'listing_inactive'
  WHEN ${sql.raw(listing)}.activeTill <= ${at(v, 'now')} THEN 'listing_ended'
  ELSE coalesce(${sql.raw(listing)}.obstacle, '') END`

const description = (path: string) => `WHEN json_type(n.payload, '${path}')
  THEN substr(n.payload ->> '${path}', 1, ${MAX_DESCRIPTION})`
const user = (name: string) => `'${name}', json_object('id', ${name}.id, 'name', ${name}.name,
  'username', ${name}.username, 'avatarKey', ${name}.avatarKey)`

/** Names and values of the JSON of the NFT `n`. D1 takes 32 arguments. */
const nft = sql`'id', n.id, 'externalId', n.externalId, 'title', n.title,
  'description', CASE 'text' ${sql.raw(description('$.metadata.description') + description('$.description'))} END,
  'imageUrl', json_array(n.coverKey, ${hasImage}, n.id), 'network', n.contractNetwork, 'contract', n.contractAddr,
  'tokenId', n.tokenId, 'amountType', n.amountType, ${sql.raw(user('creator'))}`
const stock = (v: V, reason: SQL) => sql`'available', iif(n.amountType = 'unlimited', NULL,
    max(n.availableAmount - ${heldQuantity(sql`n.id`, at(v, 'now'))}, 0)),
  'notSellableReason', ${reason}`

export type Row = {
  key: string
  id: number
  target: number | null
  number: number
  isMatch: 0 | 1 | null
  /** JSON, for `toElement`. */
  element: string
  maxPieces: number | null
}

/**
 * Prepares the statements of a list, by what gives their candidates. `reason` says why a candidate
 * takes no orders.
 */
function prepareList(
  table: 'listings' | 'nfts',
  parts: (v: V, driver: Driver) => { isMatch: SQL; reason: SQL; element: SQL; joins: SQL },
) {
  const by = (driver: Driver) =>
    prepared((db, v: V) => {
      const { isMatch, reason, element, joins } = parts(v, driver)
      return db.all<Row>(sql`SELECT candidates.*,
          (${matchesNft(v, driver)} AND ${isMatch}
            AND (${at(v, 'active')} IS NULL OR (${reason} = '') = ${at(v, 'active')})) AS isMatch,
          json_object(${element}, ${stock(v, reason)}) AS element,
          (SELECT maxPieces FROM networks
            WHERE chainId = ${v.input} -> 'chainIds' ->> n.contractNetwork) AS maxPieces
        FROM ${candidates(v, table, driver)} ${joins} LEFT JOIN users creator ON creator.id = n.creatorId
        WHERE isMatch OR number = ${sql.raw(`${WINDOW}`)} LIMIT ${v.count}`)
    })
  return Object.fromEntries(drivers.map((driver) => [driver, by(driver)])) as Record<
    Driver,
    ReturnType<typeof by>
  >
}

const nfts = prepareList('nfts', (v, driver) => {
  // The unary plus makes SQLite find the listings by their NFT: a seller may have any number.
  const ofSeller = sql`(SELECT x.id FROM listings x WHERE x.nftId = n.id
    AND +x.sellerId = ${at(v, 'sellerId')} ORDER BY x.id LIMIT 1)`
  // Where the candidates are the listings of a seller, the first one stands for the NFT.
  const isOfSeller = sql`${ofSeller} ${driver === 'seller' ? sql`= candidates.id` : sql`> 0`}`
  return {
    isMatch: sql`(${at(v, 'sellerId')} IS NULL OR ${isOfSeller})`,
    reason: sql`coalesce((SELECT min(${obstacle('x', v)}) FROM listings x WHERE x.nftId = n.id),
      'listing_not_found')`,
    element: sql`${nft}, 'updatedAt', n.changedAt, 'card', json_object('amount', n.amount,
      'price', n.price, 'currency', n.priceCurrency, 'status', n.status)`,
    joins: sql`LEFT JOIN nfts n ON n.id = candidates.target`,
  }
})

const listings = prepareList('listings', (v, driver) => ({
  isMatch: sql`l.sellerId = coalesce(${at(v, 'sellerId')}, l.sellerId)
    ${driver === 'changed' ? sql`AND l.updatedAt <= candidates.key` : sql``}`,
  reason: obstacle('l', v),
  element: sql`'id', l.id, 'externalId', l.externalId, 'nft', json_object(${nft}),
    ${sql.raw(user('seller'))}, 'priceCents', l.priceCents, 'priceCurrency', l.priceCurrency,
    'priceEths', l.priceEths, 'maxPerOrder', l.amount,
    'type', l.type, 'active', json(iif(l.active, 'true', 'false')),
    'activeTill', l.activeTill, 'updatedAt', max(l.updatedAt, n.changedAt)`,
  joins: sql`LEFT JOIN listings l ON l.id = candidates.target LEFT JOIN nfts n ON n.id = l.nftId
    LEFT JOIN users seller ON seller.id = l.sellerId`,
}))

export const lists = {
  listings: { statements: listings, notFound: 'listing_not_found' },
  nfts: { statements: nfts, notFound: 'nft_not_found' },
} as const

type UrlSettings = Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL'>

/** Returns a listing or an NFT as the API shows it. */
export function toElement(settings: UrlSettings, row: Row): unknown {
  const { card, ...shown } = toShown(settings, row)
  return shown
}

/** Returns a listing or an NFT, which also has what its card on a page shows. */
export function toShown({ PUBLIC_URL, COVERS_URL }: UrlSettings, { element, maxPieces }: Row) {
  const { notSellableReason: reason, ...shown } = JSON.parse(element, (key, value) => {
    if (key === 'imageUrl') {
      const [coverKey, hasImage, id] = value
      if (COVERS_URL && coverKey) return coverUrl(COVERS_URL, coverKey)
      return hasImage ? artUrl(PUBLIC_URL, id, 'page') : null
    }
    if (key === 'creator' || key === 'seller') return toPublicUser<UserRow>(PUBLIC_URL, value)
    return value
  })
  if (shown.maxPerOrder !== undefined && (shown.maxPerOrder ?? maxPieces) !== null)
    shown.maxPerOrder = Math.min(
      largestQuantity({ amount: shown.maxPerOrder, priceCents: shown.priceCents }),
      maxPieces ?? Infinity,
    )
  // In the order in which orders are checked.
  const ofStock = maxPieces === 0 ? 'quantity_above_limit' : shown.available === 0 && 'sold_out'
  const notSellableReason = reason || ofStock || null
  return { ...shown, sellable: !notSellableReason, notSellableReason }
}
