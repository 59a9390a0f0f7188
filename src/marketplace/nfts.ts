/** Finds NFTs: a page of a list, or those that a call names. */
import { eq, type SQL, sql } from 'drizzle-orm'
import { firstCandidates, isReturnedSql } from '../db/candidates.ts'
import { prefixed } from '../db/columns.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import { userColumns } from './creators.ts'
import {
  type Given,
  idOfUsername,
  isReleasedSql,
  type ListCtx,
  matchesNftSql,
  positionColumns,
  takesOrdersSql,
  title,
  type Values,
  valuesOf,
} from './query.ts'
import { nftColumns, reasonOf, termColumns, toNft, type UrlSettings } from './shown.ts'

/** The unary plus makes SQLite find listings by their NFT: a seller may have any number. */
const matchesSql = (values: Values) => sql`${matchesNftSql(values)}
  AND (${values.sellerId} IS NULL OR EXISTS (SELECT 1 FROM listings
    WHERE nftId = nfts.id AND +sellerId = ${values.sellerId}))
  AND (${values.active} IS NULL OR ${values.active} = EXISTS (SELECT 1 FROM listings
    WHERE nftId = nfts.id AND ${takesOrdersSql(values.now)}))`

const prepareList = (candidates: (values: Values) => SQL) => ({
  nfts: prepared((db, values: Values) =>
    db
      .select({
        candidate: positionColumns(matchesSql(values)),
        nft: prefixed('nft', nftColumns(values)),
        creator: prefixed('creator', userColumns),
      })
      .from(firstCandidates(candidates(values)))
      .leftJoin(nfts, sql`${nfts.id} = candidates.shown`)
      .leftJoin(users, eq(users.id, nfts.creatorId))
      .where(isReturnedSql)
      .limit(values.limit),
  ),
  /** On which terms their listings sell, each once: an NFT may have any number of listings. */
  terms: prepared((db, values: Values) =>
    db
      .selectDistinct({ nftId: listings.nftId, ...termColumns(values) })
      .from(listings)
      .where(
        sql`${listings.nftId} IN (SELECT nfts.id FROM ${firstCandidates(candidates(values))}
          CROSS JOIN nfts ON nfts.id = candidates.shown
          WHERE ${matchesSql(values)} LIMIT ${values.limit})`,
      ),
  ),
})

/**
 * The lists, by what gives their candidates. Many may have the same `key`, so those after the cursor
 * are selected by themselves: SQLite finds each of the two ranges in the index.
 */
const lists = {
  all: prepareList(
    ({ id }) => sql`SELECT '' AS key, id, 0 AS target, id AS shown FROM nfts
      WHERE id > ${id} ORDER BY id`,
  ),
  named: prepareList(
    ({ references }) => sql`SELECT '' AS key, r.key AS id, 0 AS target,
        iif(r.type = 'integer', r.value, (SELECT id FROM nfts WHERE externalId = r.value)) AS shown
      FROM json_each(${references}) r ORDER BY r.key`,
  ),
  changed: prepareList(
    ({ key, id }) => sql`SELECT changedAt AS key, id, 0 AS target, id AS shown FROM nfts
        WHERE changedAt = ${key} AND id > ${id}
      UNION ALL SELECT changedAt, id, 0, id FROM nfts WHERE changedAt > ${key} ORDER BY key, id`,
  ),
  title: prepareList(
    ({ key, id, titleEnd }) => sql`SELECT ${title} AS key, id, 0 AS target, id AS shown FROM nfts
        WHERE ${title} = ${key} AND id > ${id}
      UNION ALL SELECT ${title}, id, 0, id FROM nfts
        WHERE ${title} > ${key} AND ${title} < ${titleEnd} ORDER BY key, id`,
  ),
  creator: prepareList(
    ({ key, id, creatorId }) => sql`SELECT releaseAt AS key, id, 0 AS target, id AS shown FROM nfts
        WHERE creatorId = ${creatorId} AND ${isReleasedSql} AND releaseAt = ${key} AND id > ${id}
      UNION ALL SELECT releaseAt, id, 0, id FROM nfts
        WHERE creatorId = ${creatorId} AND ${isReleasedSql} AND releaseAt > ${key} ORDER BY key, id`,
  ),
  /** By the listings of a seller: the first one of an NFT stands for it. */
  seller: prepareList(
    ({ id, sellerId }) => sql`SELECT '' AS key, id, 0 AS target,
        iif(id = (SELECT own.id FROM listings own WHERE own.nftId = listings.nftId
          AND +own.sellerId = ${sellerId} ORDER BY own.id LIMIT 1), nftId, NULL) AS shown
      FROM listings WHERE sellerId = ${sellerId} AND id > ${id} ORDER BY id`,
  ),
  /** The newest releases first. */
  newest: prepareList(
    ({ key, id }) => sql`SELECT releaseAt AS key, id, 0 AS target, id AS shown FROM nfts
      WHERE ${isReleasedSql} AND (releaseAt, id) < (${key}, ${id}) ORDER BY releaseAt DESC, id DESC`,
  ),
  /** The newest releases of a creator by id or by user name. */
  newestOf: prepareList(
    ({ key, id, creatorId, username }) => sql`
      SELECT releaseAt AS key, id, 0 AS target, id AS shown FROM nfts
      WHERE creatorId = coalesce(${creatorId}, ${idOfUsername(username)}) AND ${isReleasedSql}
        AND (releaseAt, id) < (${key}, ${id}) ORDER BY releaseAt DESC, id DESC`,
  ),
}

type List = (typeof lists)['all']
type Rows = {
  nfts: ReturnType<List['nfts']>['_']['result']
  terms: ReturnType<List['terms']>['_']['result']
}

export type ListName = keyof typeof lists

/** Selects NFTs of a list, for `toNfts`. */
export function selectNfts(ctx: ListCtx, name: ListName, given: Given) {
  const values = valuesOf(ctx, given)
  return { nfts: lists[name].nfts(ctx.db, values), terms: lists[name].terms(ctx.db, values) }
}

/**
 * Returns the candidates with their NFTs. `card`: what pages show besides, with the price in minor units
 * of the currency (ISO 4217).
 */
export function toNfts(settings: UrlSettings, { nfts, terms }: Rows) {
  const termsByNft = Map.groupBy(terms, ({ nftId }) => nftId)
  return nfts.map(({ candidate, ...row }) => {
    if (!candidate.isMatch) return { candidate }
    const { id, amount, price, currency, status } = row.nft
    const reasons = (termsByNft.get(id) ?? []).map(reasonOf)
    const element = toNft(settings, row, reasons)
    return { candidate, element, card: { amount, price, currency, status } }
  })
}
