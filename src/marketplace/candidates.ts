/**
 * What the lists of public NFTs and of listings have in common. One index gives candidates, in the
 * order of the list and after the last one of the page before; the filters choose among them. A call
 * looks at a limited number, so its cost does not depend on the size of the catalogue.
 */
import { type SQL, sql } from 'drizzle-orm'
import { listings, nfts } from '../db/schema/catalogue.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { catalogueLimits } from '../http/limits.ts'
import type { Position } from './query.ts'

export type ListCtx = Pick<Ctx, 'db' | 'now'> & {
  settings: Pick<Settings, 'PUBLIC_URL' | 'COVERS_URL' | 'NETWORKS'>
}

type Filters = Position & {
  /** JSON: numbers, and external ids as texts. */
  references: string
  /** Whether the call names what it wants: then it may be unlisted. */
  isNamed: boolean
  /** Whether the list is of changes: then it tells what was withdrawn. */
  isOfChanges: boolean
  amountType: string
  /** Whether to leave out what is sold out. */
  inStock: boolean
  /** Whether orders are taken. */
  active: boolean
  creatorId: number
  username: string
  sellerId: number
  nftId: number
  q: string
}

/** What a call asks for. `limit`: the largest number of candidates to return. */
export type Given = { limit: number } & { [Name in keyof Filters]?: Filters[Name] | undefined }

/** That of a filter that is not used is null. */
export type Values = ReturnType<typeof valuesOf>

/** Returns the values of a statement. */
export function valuesOf({ now, settings }: ListCtx, given: Given) {
  const { q = null, isNamed = false, isOfChanges = false, inStock = false, active } = given
  const chainIds = Object.entries(settings.NETWORKS).map(([name, { chainId }]) => [name, chainId])
  return {
    limit: given.limit,
    now: now.toISOString(),
    /** JSON: the chain ids of the configured networks, by name. */
    chainIds: JSON.stringify(Object.fromEntries(chainIds)),
    references: given.references ?? '[]',
    key: given.key ?? '',
    id: given.id ?? 0,
    target: given.target ?? 0,
    isNamed: Number(isNamed),
    isOfChanges: Number(isOfChanges),
    amountType: given.amountType ?? null,
    inStock: inStock ? 1 : null,
    active: active === undefined ? null : Number(active),
    creatorId: given.creatorId ?? null,
    username: given.username ?? null,
    sellerId: given.sellerId ?? null,
    nftId: given.nftId ?? null,
    q,
    titleEnd: q === null ? null : `${q}\u{10FFFF}`,
  }
}

/** In the spelling of the indexes `nfts_released` and `nfts_creator`. */
export const isReleasedSql = sql`${nfts.status} = 'released' AND ${nfts.deletedAt} IS NULL`

/** Whether everybody who names an NFT may see it. */
export const isVisibleSql = (now: string): SQL =>
  sql`${nfts.status} IN ('released', 'unlisted') AND ${nfts.deletedAt} IS NULL AND ${nfts.releaseAt} <= ${now}`

/** Whether an NFT that lists have shown is a draft now, or its release was postponed. */
const isWithdrawnSql = (now: string): SQL =>
  sql`(${nfts.status} = 'draft' OR ${nfts.releaseAt} > ${now})
    AND ${nfts.wasReleased} AND ${nfts.deletedAt} IS NULL`

/** Whether the metadata of an NFT has an image. */
export const hasImageSql = sql`json_type(${nfts.payload}, '$.metadata.image') IS 'text'`

/** The id of the user who has the user name. The first condition is that of the index. */
export const idOfUsername = (username: string | null): SQL =>
  sql`(SELECT id FROM users WHERE username IS NOT NULL AND lower(username) = lower(${username}))`

/** Titles are compared, and sorted, without the case of ASCII letters. */
export const title = sql`${nfts.title} COLLATE NOCASE`

/** Whether an NFT is as the filters say. */
export const matchesNftSql = (values: Values): SQL => sql`(
    ${isVisibleSql(values.now)} AND (${values.isNamed} OR ${isReleasedSql}
      OR ${values.isOfChanges} AND ${nfts.wasReleased})
    OR ${isWithdrawnSql(values.now)} AND ${values.isOfChanges} AND ${values.active} IS NOT 1)
  AND (${values.amountType} IS NULL OR ${nfts.amountType} = ${values.amountType})
  AND (${values.inStock} IS NULL OR ${nfts.amountType} = 'unlimited' OR ${nfts.availableAmount} > 0)
  AND (${values.creatorId} IS NULL OR ${nfts.creatorId} = ${values.creatorId})
  AND (${values.q} IS NULL OR ${title} BETWEEN ${values.q} AND ${values.titleEnd})`

/** Whether a listing takes orders, as `reasonOf` in `shown.ts` says. */
export const takesOrdersSql = (now: string): SQL => sql`${listings.type} <> 'auction'
  AND ${listings.active} AND coalesce(${listings.activeTill} > ${now}, TRUE)
  AND ${listings.obstacle} IS NULL`

/** Candidates, numbered. SQLite reads them one by one, and no more than a page needs. */
export const numbered = (candidates: SQL) => sql`(SELECT *, row_number() OVER () AS number
  FROM (${candidates} LIMIT ${catalogueLimits.candidates.max})) AS candidates`

/**
 * The columns of a candidate. `shown`: the id of what it stands for. `isMatch`: whether that is to be
 * shown; otherwise the candidate is the last one that the call looks at.
 */
export const candidateColumns = (isMatch: SQL) => ({
  key: sql<string>`candidates.key`.as('key'),
  id: sql<number>`candidates.id`.as('id'),
  target: sql<number | null>`candidates.target`.as('target'),
  shown: sql<number | null>`candidates.shown`.as('shown'),
  number: sql<number>`candidates.number`.as('number'),
  isMatch: sql<0 | 1 | null>`(${isMatch})`.as('isMatch'),
})

/** Whether a candidate matches, or tells where the next page begins. */
export const isReturnedSql = sql`isMatch OR number = ${sql.raw(`${catalogueLimits.candidates.max}`)}`
