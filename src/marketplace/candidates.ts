/**
 * The rows that a call looks at for a page of public NFTs or listings. One index gives them in its
 * order, and the other filters are compared with each. A call looks at a limited number, so that its
 * cost does not depend on the size of the catalogue.
 */
import { type SQL, sql } from 'drizzle-orm'

/** Candidates that one call looks at. */
export const WINDOW = 1000

/** `input` is JSON: the filters, the last candidate of the page before, and what `at` names. */
export type V = { input: string; references: string; count: number }
type Table = 'listings' | 'nfts'

/** SQL of a field of the input; NULL if it is absent. */
export const at = ({ input }: V, name: string): SQL => sql`(${input} ->> ${sql.raw(`'${name}'`)})`

/** In the spelling of the index `nfts_creator`. */
const isReleased = sql.raw("n.status = 'released' AND n.deletedAt IS NULL")
const isOrderable = sql.raw("n.status IN ('released', 'unlisted') AND n.deletedAt IS NULL")
/** The id of the user who has the user name. The first condition is that of the index. */
export const idOfUsername = (username: SQL | string): SQL =>
  sql`(SELECT id FROM users WHERE username IS NOT NULL AND lower(username) = lower(${username}))`

const title = sql`n.title COLLATE NOCASE`

/** Whether everybody who names the NFT `n` may see it. */
export const isVisible = (now: SQL | string): SQL => sql`${isOrderable} AND n.releaseAt <= ${now}`

/** Whether the metadata of the NFT `n` has an image. */
export const hasImage = sql.raw("json_type(n.payload, '$.metadata.image') IS 'text'")

/**
 * SQL of the candidates by what gives them: `target` is the id of what is listed, or NULL. They are
 * in the order of `key`, `id` and `target`, which SQLite reads from the indexes without sorting.
 */
const sources = {
  named: (v: V, table: Table) => sql`SELECT '' AS key, r.key AS id, iif(r.type = 'integer', r.value,
      (SELECT t.id FROM ${sql.raw(table)} t WHERE t.externalId = r.value)) AS target
    FROM json_each(${v.references}) r ORDER BY r.key`,
  changed: (v: V, table: Table) =>
    sql`${table === 'nfts' ? sql`` : changedListings(v)} ${byNfts(v, table, sql`n.changedAt`)}`,
  title: (v: V, table: Table) => byNfts(v, table, title, sql`${title} < ${at(v, 'titleEnd')}`),
  creator: (v: V, table: Table) =>
    byNfts(v, table, sql`n.releaseAt`, sql`n.creatorId = ${at(v, 'creatorId')} AND ${isReleased}`),
  seller: (v: V, table: Table) =>
    sql`SELECT '' AS key, l.id, ${sql.raw(table === 'nfts' ? 'l.nftId' : 'l.id')} AS target
      FROM listings l WHERE l.sellerId = ${at(v, 'sellerId')} AND l.id > ${at(v, 'id')}
      ORDER BY l.id`,
  /** NFTs only, the newest first, of a creator by id or by user name. */
  newest: (v: V) => newest(v, sql``),
  newestOf: (v: V) =>
    newest(
      v,
      sql`n.creatorId = coalesce(${at(v, 'creatorId')}, ${idOfUsername(at(v, 'creator'))}) AND`,
    ),
  /** The listings of an NFT. */
  nft: (v: V) => sql`SELECT '' AS key, l.id, l.id AS target FROM listings l
    WHERE l.nftId = ${at(v, 'nftId')} ORDER BY l.id`,
  all: (v: V, table: Table) => sql`SELECT '' AS key, t.id, t.id AS target FROM ${sql.raw(table)} t
    WHERE t.id > ${at(v, 'id')} ORDER BY t.id`,
}
export type Driver = keyof typeof sources
export const drivers = Object.keys(sources) as Driver[]

/** Selects by an indexed column: what has the key of the cursor and follows it, and later keys. */
const ranges = (v: V, key: SQL, isAfter: SQL, select: (range: SQL) => SQL) =>
  sql`${select(sql`${key} = ${at(v, 'key')} AND ${isAfter}`)}
    UNION ALL ${select(sql`${key} > ${at(v, 'key')}`)}`

const newest = (v: V, where: SQL) => sql`SELECT n.releaseAt AS key, n.id AS id, n.id AS target
  FROM nfts n WHERE ${where} ${isReleased} AND n.releaseAt <= ${at(v, 'key')}
    AND (n.releaseAt, n.id) < (${at(v, 'key')}, ${at(v, 'id')})
  ORDER BY n.releaseAt DESC, n.id DESC`

/** Selects NFTs, or the listings of each: one without listings has a candidate, too. */
function byNfts(v: V, table: Table, key: SQL, where = sql`1`): SQL {
  const isOfLast = sql`n.id = ${at(v, 'id')} AND ${key} = ${at(v, 'key')}`
  const [target, join, comparison] =
    table === 'nfts'
      ? [sql`n.id`, sql``, sql`>`]
      : [
          sql`l.id`,
          sql`LEFT JOIN listings l
            ON l.nftId = n.id AND l.id > iif(${isOfLast}, ${at(v, 'target')}, 0)`,
          sql`>=`,
        ]
  const select = (range: SQL) => sql`SELECT ${key} AS key, n.id AS id, ${target} AS target
    FROM nfts n ${join} WHERE ${where} AND ${range}`
  return sql`${ranges(v, key, sql`n.id ${comparison} ${at(v, 'id')}`, select)}
    ORDER BY key, id, target`
}

/** Selects listings by their own change. One whose NFT has changed since is found by that. */
function changedListings(v: V): SQL {
  // After (id, target), where both are the id of the listing.
  const isAfter = sql`l.id > ${at(v, 'id')} - (${at(v, 'id')} > ${at(v, 'target')})`
  const select = (range: SQL) => sql`SELECT l.updatedAt AS key, l.id AS id, iif(l.updatedAt >
      (SELECT changedAt FROM nfts WHERE id = l.nftId), l.id, NULL) AS target
    FROM listings l WHERE ${range}`
  return sql`${ranges(v, sql`l.updatedAt`, isAfter, select)} UNION ALL`
}

/**
 * SQL of the numbered candidates, as a table of this name. SQLite reads it row by row: no more
 * candidates than a page needs.
 */
export const candidates = (v: V, table: Table, driver: Driver): SQL =>
  sql`(SELECT *, row_number() OVER () AS number
    FROM (${sources[driver](v, table)} LIMIT ${sql.raw(`${WINDOW}`)})) AS candidates`

/** Whether everybody may see the NFT `n`, it is as the filters say, and named if it is unlisted. */
export const matchesNft = (v: V, driver: Driver): SQL => sql`${isVisible(at(v, 'now'))}
  AND ${driver === 'named' || driver === 'nft' ? sql`1` : isReleased}
  AND (${at(v, 'amountType')} IS NULL OR n.amountType = ${at(v, 'amountType')})
  AND (${at(v, 'inStock')} IS NULL OR n.amountType = 'unlimited' OR n.availableAmount > 0)
  AND n.creatorId = coalesce(${at(v, 'creatorId')}, n.creatorId)
  AND (${at(v, 'q')} IS NULL OR ${title} BETWEEN ${at(v, 'q')} AND ${at(v, 'titleEnd')})`
