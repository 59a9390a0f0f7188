/** What public pages show: NFTs, the start page, and the page of an NFT. */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { cutPage } from '../db/candidates.ts'
import type { nfts } from '../db/schema/catalogue.ts'
import { prepared } from '../db/statements.ts'
import { searchedWords } from '../db/words.ts'
import { ApiError, type Issue, invalidField, requireNone } from '../http/errors.ts'
import { SECOND } from '../time.ts'
import { selectCreator, selectCreators } from './creators.ts'
import { type NftListName, selectListings, selectNfts, toListings, toNfts } from './lists.ts'
import { type Given, type ListCtx, type PublicQuery, type Reference, toCursor } from './query.ts'
import { selectNftCounts, toStats } from './stats.ts'

const PAGE_SIZE = 24

type Rows = ReturnType<typeof toNfts>
/** What pages use of an NFT. */
export type ShownNft = ReturnType<typeof toShown>[number]
const toShown = (rows: Rows) =>
  rows.flatMap(({ element, card }) => (element ? [{ ...element, card }] : []))
export type PublicPerson = Pick<ShownNft['creator'], 'id' | 'name' | 'username'>

/** What lists on pages are sorted by, with the names of their lists. */
const lists = { newest: 'newest', title: 'byTitle', price: 'byPrice' } as const
type NftSort = keyof typeof lists

type Filters = Partial<
  Pick<PublicQuery, 'creatorId' | 'amountType' | 'active' | 'cursor'> & {
    creator: string
    /** Words of the title. */
    q: string | undefined
    sort: NftSort | undefined
  }
>

/** Returns the name of a list of NFTs: of a creator, or with words in their titles. */
function chooseCards({ q, creatorId, creator, sort = 'newest' }: Filters): NftListName {
  if (q !== undefined) return `${lists[sort]}With`
  // That by its name is only sorted by time.
  if (creator !== undefined) return 'newestOf'
  return creatorId === undefined ? lists[sort] : `${lists[sort]}Of`
}

/** Selects a page of NFTs. A cursor of another list is ignored. */
function selectCards(ctx: ListCtx, filters: Filters, limit: number) {
  const { q, sort = 'newest', creatorId, creator: username, amountType, active, cursor } = filters
  const name = chooseCards(filters)
  const start =
    sort === 'newest' ? { key: ctx.now.toISOString(), id: Number.MAX_SAFE_INTEGER } : { key: '' }
  const words = q === undefined ? q : searchedWords(q)
  const selected = { words, creatorId, username, amountType, active, inStock: active }
  const after = cursor?.list === name ? cursor : undefined
  return selectNfts(ctx, name, { ...selected, ...start, ...after, limit: limit + 1 })
}

/** Returns a page of NFTs, and their creator if `creatorId` or `creator` names one. */
export async function readNfts(ctx: ListCtx, filters: Filters) {
  const { creatorId: id = null, creator: username = '' } = filters
  const { creators, nfts } = await batch(ctx.db, {
    nfts: selectCards(ctx, filters, PAGE_SIZE),
    creators: selectCreator(ctx.db, { id, username }),
  })
  const { page, last } = cutPage(toNfts(ctx.settings, nfts), PAGE_SIZE)
  const nextCursor = last ? toCursor(last, chooseCards(filters)) : null
  return { creator: creators[0], nfts: toShown(page), nextCursor }
}

/** What the start page shows. */
const RELEASES = 12
const CREATORS = 6

/** Returns the newest releases, the creators of the newest releases, and the numbers of NFTs. */
export async function readHome(ctx: ListCtx) {
  const { creators, counts, nfts } = await batch(ctx.db, {
    nfts: selectCards(ctx, {}, RELEASES),
    creators: selectCreators(ctx.db, { limit: CREATORS }),
    counts: selectNftCounts(ctx.db, {}),
  })
  const { page } = cutPage(toNfts(ctx.settings, nfts), RELEASES)
  return { releases: toShown(page), creators, stats: toStats(counts) }
}

export type Home = Awaited<ReturnType<typeof readHome>>

/** What the page shows of each. */
const MAX_LISTINGS = 20
const MAX_ATTRIBUTES = 50

/** The price is in minor units of the currency (ISO 4217). */
type Offer = { seller: PublicPerson; price: number; currency: string; shopUrl: string | null }

type DetailRow = Pick<typeof nfts.$inferSelect, 'contractName'> & {
  attributes: string | null
  link: string | null
  release: (typeof nfts.$inferSelect)['contentRelease']
  hasCodes: 0 | 1
  /** Files that come with it. */
  files: number
}

const selectDetails = prepared((db, { id }: { id: number }) =>
  db.all<DetailRow>(
    sql`SELECT contractName, payload -> '$.metadata.attributes' AS attributes,
      payload ->> '$.metadata.external_url' AS link, contentRelease AS release, hasCodes,
      (SELECT count(*) FROM contentFiles WHERE nftId = ${id} AND state = 'stored') AS files
    FROM nfts WHERE id = ${id}`,
  ),
)

/** Returns an NFT that everybody may see, with what sells it. Throws `not_found`. */
export async function readNft(ctx: ListCtx, id: number) {
  const { db, settings } = ctx
  const ofNft = { nftId: id, active: true, isNamed: true, limit: MAX_LISTINGS }
  const { nfts, listings, details } = await batch(db, {
    nfts: selectNfts(ctx, 'named', { references: `[${id}]`, isNamed: true, limit: 1 }),
    listings: selectListings(ctx, 'nft', ofNft),
    details: selectDetails(db, { id }),
  })
  const [nft] = toShown(toNfts(settings, nfts))
  const [detail] = details
  if (!nft || !detail) throw new ApiError('not_found', 'there is no such NFT')
  const { contractName, link, attributes, release, hasCodes, files } = detail
  return {
    nft,
    /** What can be bought. */
    offers: toListings(settings, listings).flatMap(({ element }): Offer[] => {
      if (!element?.sellable) return []
      const { seller, priceCents: price, priceCurrency: currency, shopUrl } = element
      return [{ seller, price, currency, shopUrl }]
    }),
    contractName,
    content: { files, hasCodes: hasCodes === 1, isForHolder: release === 'holder' },
    ...readMetadata({ external_url: link, attributes: JSON.parse(attributes ?? '[]') }),
  }
}

export type NftDetails = Awaited<ReturnType<typeof readNft>>

/** Returns what the page of an NFT shows of its metadata besides the description. */
export const readMetadata = ({ external_url: link, attributes }: Record<string, unknown>) => ({
  link: typeof link === 'string' && /^https:/.test(link) && URL.canParse(link) ? link : null,
  attributes: readAttributes(attributes),
})

/** Returns names and values of the attributes with a plain value. Others may hold anything. */
function readAttributes(list: unknown): [name: string | null, value: string | Date][] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_ATTRIBUTES).flatMap((attribute) => {
    const { trait_type: name, value, display_type: kind } = Object(attribute)
    const isPlain = /^(string|number|boolean)$/.test(typeof value)
    const shown = isPlain ? attributeValue(value, kind) : ''
    return shown ? [[typeof name === 'string' && name.trim() ? name : null, shown]] : []
  })
}

/** A value by the display types of OpenSea's metadata standards. Dates are seconds since 1970. */
function attributeValue(value: unknown, kind: unknown): string | Date {
  if (typeof value !== 'number') return String(value).trim()
  const date = new Date(value * SECOND)
  if (kind === 'date' && !Number.isNaN(date.getTime())) return date
  const signed = value > 0 ? `+${value}` : String(value)
  if (kind === 'boost_number') return signed
  return kind === 'boost_percentage' ? `${signed} %` : String(value)
}

/** What the public API lists, and the error for one that does not exist. */
const notFound = { listings: 'listing_not_found', nfts: 'nft_not_found' } as const
type Resource = keyof typeof notFound

/** Returns the list whose index is likely to leave the fewest candidates. */
function chooseList({ updatedSince, q, sellerId, creatorId }: PublicQuery) {
  if (updatedSince !== undefined) return 'changed'
  if (q !== undefined) return 'title'
  if (sellerId !== undefined) return 'seller'
  return creatorId === undefined ? 'all' : 'creator'
}

/** A candidate, and what it stands for, if that matches. */
type Found = Pick<ReturnType<typeof toNfts>[number], 'candidate'> & { element?: unknown }

async function find(
  ctx: ListCtx,
  resource: Resource,
  name: ReturnType<typeof chooseList> | 'named',
  given: Given,
): Promise<Found[]> {
  const { db, settings } = ctx
  if (resource === 'nfts') {
    const { nfts } = await batch(db, { nfts: selectNfts(ctx, name, given) })
    return toNfts(settings, nfts)
  }
  const { listings } = await batch(db, { listings: selectListings(ctx, name, given) })
  return toListings(settings, listings)
}

/**
 * Returns a page, and where the next one begins; null on the last page. A page may have fewer
 * elements than `limit`, or none, before the last one. Throws `invalid_input`.
 */
export async function readPage(ctx: ListCtx, resource: Resource, query: PublicQuery) {
  const { limit, cursor, updatedSince, ...filters } = query
  const name = chooseList(query)
  if (cursor && cursor.list !== name)
    throw invalidField('cursor', 'is of a list with other filters')
  const key = updatedSince ?? query.q ?? ''
  const isOfChanges = updatedSince !== undefined
  const given = { ...filters, isOfChanges, key, ...cursor, limit: limit + 1 }
  const { page, last } = cutPage(await find(ctx, resource, name, given), limit)
  return {
    [resource]: page.map(({ element }) => element),
    nextCursor: last ? toCursor(last, name) : null,
  }
}

/**
 * Returns what is named, in the given order, each once. Throws an error with an issue for each that
 * does not exist or may not be seen.
 */
export async function readNamed(ctx: ListCtx, resource: Resource, named: readonly Reference[]) {
  const given = { references: JSON.stringify(named), isNamed: true, limit: named.length }
  const rows = await find(ctx, resource, 'named', given)
  const found = new Set(rows.map(({ candidate }) => candidate.id))
  const issues = named.flatMap((reference, i): Issue[] => {
    const name = typeof reference === 'number' ? reference : `externalId:${reference}`
    const message = `${name} does not exist`
    return found.has(i) ? [] : [{ path: `ids[${i}]`, code: notFound[resource], message }]
  })
  requireNone(issues)
  const distinct = new Map(rows.map(({ candidate, element }) => [candidate.shown, element]))
  return { [resource]: [...distinct.values()] }
}
