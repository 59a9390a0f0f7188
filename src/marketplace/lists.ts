/** Finds NFTs and listings: a page of a list, or those that a call names. */

import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { firstCandidates, isReturnedSql, MAX_CANDIDATES } from '../db/candidates.ts'
import { prefixed } from '../db/columns.ts'
import { whyNoOrdersSql } from '../db/sale.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import { hasWordsSql, selectWithWord } from '../db/words.ts'
import { userColumns } from './creators.ts'
import {
  type Given,
  idOfUsername,
  isReleasedSql,
  type ListCtx,
  matchesNftSql,
  positionColumns,
  priceKey,
  title,
  type Values,
  valuesOf,
} from './query.ts'
import {
  publicListingColumns,
  publicNftColumns,
  toListing,
  toNft,
  type UrlSettings,
} from './shown.ts'

/** The unary plus makes SQLite find listings by their NFT: a seller may have any number. */
const nftMatchesSql = (values: Values) => sql`${matchesNftSql(values)}
  AND (${values.sellerId} IS NULL OR EXISTS (SELECT 1 FROM listings
    WHERE nftId = nfts.id AND +sellerId = ${values.sellerId}))
  AND (${values.words} IS NULL OR ${hasWordsSql('nft', sql`nfts.id`, values.words)})
  AND (${values.active} IS NULL OR ${values.active} = (nfts.missingFiles = 0
    AND EXISTS (SELECT 1 FROM listings
      WHERE nftId = nfts.id AND ${whyNoOrdersSql('listings', values.now)} IS NULL)))`

/** Why no listing of an NFT takes orders, the first in the alphabet; null if one does. */
const nftReasonSql = ({ now }: Values) => sql<string | null>`nullif(coalesce(
  (SELECT min(coalesce(${whyNoOrdersSql('listings', now)}, '')) FROM listings WHERE nftId = nfts.id),
  'listing_not_found'), '')`

/** `few`: see `fewOrAll`. */
const nftList = (candidates: (values: Values) => SQL, few?: (values: Values) => SQL) =>
  prepared((db, values: Values) =>
    db
      .select({
        candidate: positionColumns(nftMatchesSql(values)),
        nft: prefixed('nft', publicNftColumns(values)),
        creator: prefixed('creator', userColumns),
        reason: nftReasonSql(values).as('reason'),
      })
      .from(firstCandidates(candidates(values), few && withFew(few(values))))
      .leftJoin(nfts, sql`${nfts.id} = candidates.shown`)
      .leftJoin(users, eq(users.id, nfts.creatorId))
      .where(isReturnedSql)
      .limit(values.limit),
  )

/**
 * NFTs after the cursor, in the order of `key` and their id. Many may have the same `key`, so those are
 * selected by themselves: SQLite finds each of the two ranges in the index.
 */
const nftsAfter = (values: Values, key: SQL, where = sql`TRUE`, from = sql`nfts`) => sql`
  SELECT ${key} AS key, id, 0 AS target, id AS shown FROM ${from}
    WHERE ${where} AND ${key} = ${values.key} AND id > ${values.id}
  UNION ALL SELECT ${key}, id, 0, id FROM ${from}
    WHERE ${where} AND ${key} > ${values.key} ORDER BY key, id`

/** The newest releases first. */
const newestNfts = ({ key, id }: Values, where: SQL, from = sql`nfts`) => sql`
  SELECT releaseAt AS key, id, 0 AS target, id AS shown FROM ${from}
  WHERE ${where} AND (releaseAt, id) < (${key}, ${id}) ORDER BY releaseAt DESC, id DESC`

const withFew = (few: SQL): SQL =>
  sql`WITH few AS MATERIALIZED (${few} LIMIT ${MAX_CANDIDATES + 1})`

/** Returns how many rows to read, if there are few and if there are more. */
const limitOf = (few: number, many: number): SQL =>
  sql`LIMIT iif((SELECT count(*) FROM few) > ${MAX_CANDIDATES}, ${many}, ${few})`

/** NFTs after the cursor: all in the order of an index, or those that are selected. */
type Sorted = (values: Values, where?: SQL, from?: SQL) => SQL

const newest: Sorted = (values, where = sql`TRUE`, from) =>
  newestNfts(values, sql`${isReleasedSql} AND ${where}`, from)
const byTitle: Sorted = (values, where, from) => nftsAfter(values, title, where, from)
const byPrice: Sorted = (values, where = sql`TRUE`, from) =>
  nftsAfter(values, priceKey, sql`${isReleasedSql} AND ${where}`, from)

/**
 * The NFTs of the table `few`, sorted. If there are too many to sort them, all NFTs in the order
 * of an index: then many of them are such ones.
 */
const fewOrAll = (sorted: Sorted) => (values: Values) =>
  sql`
  SELECT * FROM (${sorted(values, sql`id IN (SELECT id FROM few)`, sql`nfts NOT INDEXED`)}
    ${limitOf(MAX_CANDIDATES, 0)})
  UNION ALL SELECT * FROM (${sorted(values)} ${limitOf(0, MAX_CANDIDATES)})`

const withWords = ({ words }: Values) => selectWithWord('nft', words)
const ofCreator = ({ creatorId }: Values) =>
  sql`SELECT id FROM nfts WHERE creatorId = ${creatorId} AND ${isReleasedSql}`

/** The lists of NFTs, by what gives their candidates. */
const nftLists = {
  all: nftList(
    ({ id }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM nfts
      WHERE id > ${id} ORDER BY id`,
  ),
  named: nftList(
    ({ references }) => sql`SELECT '' AS key, r.key AS id, 0 AS target,
        iif(r.type = 'integer', r.value, (SELECT id FROM nfts WHERE externalId = r.value)) AS shown
      FROM json_each(${references}) r ORDER BY r.key`,
  ),
  changed: nftList((values) => nftsAfter(values, sql`changedAt`)),
  title: nftList((values) => nftsAfter(values, title, sql`${title} < ${values.titleEnd}`)),
  creator: nftList((values) =>
    nftsAfter(values, sql`releaseAt`, sql`creatorId = ${values.creatorId} AND ${isReleasedSql}`),
  ),
  /** By the listings of a seller: the first one of an NFT stands for it. */
  seller: nftList(
    ({ id, sellerId }) => sql`SELECT '' AS key, id, 0 AS target,
        iif(id = (SELECT own.id FROM listings own WHERE own.nftId = listings.nftId
          AND +own.sellerId = ${sellerId} ORDER BY own.id LIMIT 1), nftId, NULL) AS shown
      FROM listings WHERE sellerId = ${sellerId} AND id > ${id} ORDER BY id`,
  ),
  newest: nftList((values) => newest(values)),
  /** Of a creator by id or by user name. */
  newestOf: nftList((values) => {
    const creatorId = sql`coalesce(${values.creatorId}, ${idOfUsername(values.username)})`
    return newestNfts(values, sql`creatorId = ${creatorId} AND ${isReleasedSql}`)
  }),
  newestWith: nftList(fewOrAll(newest), withWords),
  byTitle: nftList((values) => byTitle(values)),
  byTitleOf: nftList(fewOrAll(byTitle), ofCreator),
  byTitleWith: nftList(fewOrAll(byTitle), withWords),
  byPrice: nftList((values) => byPrice(values)),
  byPriceOf: nftList(fewOrAll(byPrice), ofCreator),
  byPriceWith: nftList(fewOrAll(byPrice), withWords),
}

type NftRows = ReturnType<(typeof nftLists)['all']>['_']['result']

export type NftListName = keyof typeof nftLists

/** Selects NFTs of a list, for `toNfts`. */
export const selectNfts = (ctx: ListCtx, name: NftListName, given: Given) =>
  nftLists[name](ctx.db, valuesOf(ctx, given))

/**
 * Returns the candidates with their NFTs. `card`: what pages show besides, with the price in minor units
 * of the currency (ISO 4217).
 */
export const toNfts = (settings: UrlSettings, rows: NftRows) =>
  rows.map(({ candidate, ...row }) => {
    if (!candidate.isMatch) return { candidate }
    return { candidate, element: toNft(settings, row), card: row.nft }
  })

const creators = alias(users, 'creators')
const sellers = alias(users, 'sellers')
type Users = typeof creators | typeof sellers
const columnsOf = ({ id, name, username, avatarKey }: Users) => ({ id, name, username, avatarKey })

const listingMatchesSql = (values: Values) => sql`${matchesNftSql(values)}
  AND (${values.sellerId} IS NULL OR ${listings.sellerId} = ${values.sellerId})
  AND (${values.active} IS NULL OR ${values.active} = (nfts.missingFiles = 0
    AND ${whyNoOrdersSql('listings', values.now)} IS NULL))`

const listingList = (candidates: (values: Values) => SQL) =>
  prepared((db, values: Values) =>
    db
      .select({
        candidate: positionColumns(listingMatchesSql(values)),
        listing: prefixed('listing', publicListingColumns),
        reason: whyNoOrdersSql('listings', values.now).as('reason'),
        nft: prefixed('nft', publicNftColumns(values)),
        creator: prefixed('creator', columnsOf(creators)),
        seller: prefixed('seller', columnsOf(sellers)),
        shop: sql<string | null>`coalesce(${listings.shopUrl}, ${sellers.shopUrl})`.as('shop'),
      })
      .from(firstCandidates(candidates(values)))
      .leftJoin(listings, sql`${listings.id} = candidates.shown`)
      .leftJoin(nfts, eq(nfts.id, listings.nftId))
      .leftJoin(creators, eq(creators.id, nfts.creatorId))
      .leftJoin(sellers, eq(sellers.id, listings.sellerId))
      .where(isReturnedSql)
      .limit(values.limit),
  )

/**
 * The listings of NFTs after the cursor, in the order of the NFTs: `key` and their id. An NFT without
 * listings is a candidate, too. `shown`: the id of the listing, or null.
 */
function ofNftsAfter(values: Values, key: SQL, where = sql`TRUE`, shown = sql`listings.id`) {
  const ofNfts = (range: SQL) => sql`
    SELECT ${key} AS key, nfts.id AS id, listings.id AS target, ${shown} AS shown
    FROM nfts LEFT JOIN listings ON listings.nftId = nfts.id AND listings.id >
      iif(nfts.id = ${values.id} AND ${key} = ${values.key}, ${values.target}, 0)
    WHERE ${where} AND ${range}`
  return sql`${ofNfts(sql`${key} = ${values.key} AND nfts.id >= ${values.id}`)}
    UNION ALL ${ofNfts(sql`${key} > ${values.key}`)} ORDER BY key, id, target`
}

/** The lists of listings, by what gives their candidates. */
const listingLists = {
  all: listingList(
    ({ id }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE id > ${id} ORDER BY id`,
  ),
  named: listingList(
    ({ references }) => sql`SELECT '' AS key, r.key AS id, 0 AS target, iif(r.type = 'integer',
        r.value, (SELECT id FROM listings WHERE externalId = r.value)) AS shown
      FROM json_each(${references}) r ORDER BY r.key`,
  ),
  /** By their own change or, if that follows, by the change of their NFT. */
  changed: listingList((values) => {
    const { key, id, target } = values
    const isOwn = sql`updatedAt > (SELECT changedAt FROM nfts WHERE nfts.id = listings.nftId)`
    const own = (where: SQL) => sql`SELECT updatedAt AS key, id, id AS target,
      iif(${isOwn}, id, NULL) AS shown FROM listings WHERE ${where}`
    const shown = sql`iif(listings.updatedAt <= nfts.changedAt, listings.id, NULL)`
    return sql`${own(sql`updatedAt = ${key} AND id > ${id} - (${id} > ${target})`)}
      UNION ALL ${own(sql`updatedAt > ${key}`)}
      UNION ALL ${ofNftsAfter(values, sql`nfts.changedAt`, sql`TRUE`, shown)}`
  }),
  title: listingList((values) => ofNftsAfter(values, title, sql`${title} < ${values.titleEnd}`)),
  creator: listingList((values) =>
    ofNftsAfter(
      values,
      sql`nfts.releaseAt`,
      sql`nfts.creatorId = ${values.creatorId} AND ${isReleasedSql}`,
    ),
  ),
  seller: listingList(
    ({ id, sellerId }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE sellerId = ${sellerId} AND id > ${id} ORDER BY id`,
  ),
  nft: listingList(
    ({ nftId }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE nftId = ${nftId} ORDER BY id`,
  ),
}

type ListingRows = ReturnType<(typeof listingLists)['all']>['_']['result']

/** Selects listings of a list, for `toListings`. */
export const selectListings = (ctx: ListCtx, name: keyof typeof listingLists, given: Given) =>
  listingLists[name](ctx.db, valuesOf(ctx, given))

/** Returns the candidates with their listings. */
export const toListings = (settings: UrlSettings, rows: ListingRows) =>
  rows.map(({ candidate, ...row }) => ({
    candidate,
    element: candidate.isMatch ? toListing(settings, row) : undefined,
  }))
