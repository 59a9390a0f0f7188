/** Finds listings: a page of a list, or those that a call names. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { alias } from 'drizzle-orm/sqlite-core'
import { firstCandidates, isReturnedSql } from '../db/candidates.ts'
import { prefixed } from '../db/columns.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import {
  type Given,
  isReleasedSql,
  type ListCtx,
  matchesNftSql,
  positionColumns,
  takesOrdersSql,
  title,
  type Values,
  valuesOf,
} from './query.ts'
import { listingColumns, nftColumns, termColumns, toListing, type UrlSettings } from './shown.ts'

const creators = alias(users, 'creators')
const sellers = alias(users, 'sellers')
type Users = typeof creators | typeof sellers
const columnsOf = ({ id, name, username, avatarKey }: Users) => ({ id, name, username, avatarKey })

const matchesSql = (values: Values) => sql`${matchesNftSql(values)}
  AND (${values.sellerId} IS NULL OR ${listings.sellerId} = ${values.sellerId})
  AND (${values.active} IS NULL OR ${values.active} = (${takesOrdersSql(values.now)}))`

const prepareList = (candidates: (values: Values) => SQL) =>
  prepared((db, values: Values) =>
    db
      .select({
        candidate: positionColumns(matchesSql(values)),
        listing: prefixed('listing', listingColumns),
        terms: prefixed('terms', termColumns(values)),
        nft: prefixed('nft', nftColumns(values)),
        creator: prefixed('creator', columnsOf(creators)),
        seller: prefixed('seller', columnsOf(sellers)),
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
 * Selects the listings of NFTs, in the order of the NFTs: `key` and their id. An NFT without listings
 * is a candidate, too. `shown`: the id of the listing, or null.
 */
const ofNfts = (values: Values, key: SQL, where: SQL, shown = sql`listings.id`) => sql`
  SELECT ${key} AS key, nfts.id AS id, listings.id AS target, ${shown} AS shown
  FROM nfts LEFT JOIN listings ON listings.nftId = nfts.id AND listings.id >
    iif(nfts.id = ${values.id} AND ${key} = ${values.key}, ${values.target}, 0)
  WHERE ${where}`

/** The lists, by what gives their candidates. */
const lists = {
  all: prepareList(
    ({ id }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE id > ${id} ORDER BY id`,
  ),
  named: prepareList(
    ({ references }) => sql`SELECT '' AS key, r.key AS id, 0 AS target, iif(r.type = 'integer',
        r.value, (SELECT id FROM listings WHERE externalId = r.value)) AS shown
      FROM json_each(${references}) r ORDER BY r.key`,
  ),
  /** By their own change or, if that follows, by the change of their NFT. */
  changed: prepareList((values) => {
    const { key, id, target } = values
    const isOwn = sql`updatedAt > (SELECT changedAt FROM nfts WHERE nfts.id = listings.nftId)`
    const own = (where: SQL) => sql`SELECT updatedAt AS key, id, id AS target,
      iif(${isOwn}, id, NULL) AS shown FROM listings WHERE ${where}`
    const nftKey = sql`nfts.changedAt`
    const shown = sql`iif(listings.updatedAt <= nfts.changedAt, listings.id, NULL)`
    return sql`${own(sql`updatedAt = ${key} AND id > ${id} - (${id} > ${target})`)}
      UNION ALL ${own(sql`updatedAt > ${key}`)}
      UNION ALL ${ofNfts(values, nftKey, sql`${nftKey} = ${key} AND nfts.id >= ${id}`, shown)}
      UNION ALL ${ofNfts(values, nftKey, sql`${nftKey} > ${key}`, shown)} ORDER BY key, id, target`
  }),
  title: prepareList((values) => {
    const { key, id, titleEnd } = values
    return sql`${ofNfts(values, title, sql`${title} = ${key} AND nfts.id >= ${id}`)}
      UNION ALL ${ofNfts(values, title, sql`${title} > ${key} AND ${title} < ${titleEnd}`)}
      ORDER BY key, id, target`
  }),
  creator: prepareList((values) => {
    const { key, id, creatorId } = values
    const isOfCreator = sql`nfts.creatorId = ${creatorId} AND ${isReleasedSql}`
    const last = sql`${isOfCreator} AND nfts.releaseAt = ${key} AND nfts.id >= ${id}`
    const later = sql`${isOfCreator} AND nfts.releaseAt > ${key}`
    return sql`${ofNfts(values, sql`nfts.releaseAt`, last)}
      UNION ALL ${ofNfts(values, sql`nfts.releaseAt`, later)} ORDER BY key, id, target`
  }),
  seller: prepareList(
    ({ id, sellerId }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE sellerId = ${sellerId} AND id > ${id} ORDER BY id`,
  ),
  nft: prepareList(
    ({ nftId }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM listings
      WHERE nftId = ${nftId} ORDER BY id`,
  ),
}

type Rows = ReturnType<(typeof lists)['all']>['_']['result']

/** Selects listings of a list, for `toListings`. */
export const selectListings = (ctx: ListCtx, name: keyof typeof lists, given: Given) =>
  lists[name](ctx.db, valuesOf(ctx, given))

/** Returns the candidates with their listings. */
export const toListings = (settings: UrlSettings, rows: Rows) =>
  rows.map(({ candidate, ...row }) => ({
    candidate,
    element: candidate.isMatch ? toListing(settings, row) : undefined,
  }))
