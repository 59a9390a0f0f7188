/** What public pages show: NFTs, the start page, and the page of an NFT. */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { cutPage } from '../db/candidates.ts'
import { prepared } from '../db/statements.ts'
import { ApiError } from '../http/errors.ts'
import { selectCreator, selectCreators, selectNftCounts, toStats } from './creators.ts'
import { selectListings, toListings } from './listings.ts'
import { type ListName, selectNfts, toNfts } from './nfts.ts'
import { type ListCtx, type PublicQuery, toCursor } from './query.ts'

/** NFTs on one page. */
const PAGE_SIZE = 24

type Rows = ReturnType<typeof toNfts>
/** What pages use of an NFT. */
export type ShownNft = ReturnType<typeof toShown>[number]
const toShown = (rows: Rows) =>
  rows.flatMap(({ element, card }) => (element ? [{ ...element, card }] : []))
export type Person = Pick<ShownNft['creator'], 'id' | 'name' | 'username'>

type Filters = Partial<
  Pick<PublicQuery, 'q' | 'creatorId' | 'amountType' | 'active' | 'cursor'> & { creator: string }
>

/** Selects a page of NFTs: by the title in its order, and otherwise the newest first. */
function selectCards(ctx: ListCtx, filters: Filters, limit: number) {
  const { q, creatorId, creator: username, amountType, active, cursor } = filters
  const isOfCreator = creatorId !== undefined || username !== undefined
  const name: ListName = q !== undefined ? 'title' : isOfCreator ? 'newestOf' : 'newest'
  const start =
    q === undefined ? { key: ctx.now.toISOString(), id: Number.MAX_SAFE_INTEGER } : { key: q }
  const selected = { q, creatorId, username, amountType, active, inStock: active }
  return selectNfts(ctx, name, { ...selected, ...start, ...cursor, limit: limit + 1 })
}

/** Returns a page of NFTs, and their creator if `creatorId` or `creator` names one. */
export async function readNfts(ctx: ListCtx, filters: Filters) {
  const { creatorId: id = null, creator: username = '' } = filters
  const { creators, ...rows } = await batch(ctx.db, {
    ...selectCards(ctx, filters, PAGE_SIZE),
    creators: selectCreator(ctx.db, { id, username }),
  })
  const { page, last } = cutPage(toNfts(ctx.settings, rows), PAGE_SIZE)
  return { creator: creators[0], nfts: toShown(page), nextCursor: last ? toCursor(last) : null }
}

/** What the start page shows. */
const RELEASES = 12
const CREATORS = 6

/** Returns the newest releases, the creators of the newest releases, and the numbers of NFTs. */
export async function readHome(ctx: ListCtx) {
  const { creators, counts, ...rows } = await batch(ctx.db, {
    ...selectCards(ctx, {}, RELEASES),
    creators: selectCreators(ctx.db, { limit: CREATORS }),
    counts: selectNftCounts(ctx.db, {}),
  })
  const { page } = cutPage(toNfts(ctx.settings, rows), RELEASES)
  return { releases: toShown(page), creators, stats: toStats(counts) }
}

export type Home = Awaited<ReturnType<typeof readHome>>

/** What the page shows of each. */
const MAX_LISTINGS = 20
const MAX_ATTRIBUTES = 50

/** The price is in minor units of the currency (ISO 4217). */
type Offer = { seller: Person; price: number; currency: string }

const selectDetails = prepared((db, { id }: { id: number }) =>
  db.all<{ contractName: string; attributes: string | null; link: string | null }>(
    sql`SELECT contractName, payload -> '$.metadata.attributes' AS attributes,
      payload ->> '$.metadata.external_url' AS link FROM nfts WHERE id = ${id}`,
  ),
)

/** Returns an NFT that everybody may see, with what sells it. Throws `not_found`. */
export async function readNft(ctx: ListCtx, id: number) {
  const { db, settings } = ctx
  const ofNft = { nftId: id, active: true, isNamed: true, limit: MAX_LISTINGS }
  const { listings, details, ...rows } = await batch(db, {
    ...selectNfts(ctx, 'named', { references: `[${id}]`, isNamed: true, limit: 1 }),
    listings: selectListings(ctx, 'nft', ofNft),
    details: selectDetails(db, { id }),
  })
  const [nft] = toShown(toNfts(settings, rows))
  const [detail] = details
  if (!nft || !detail) throw new ApiError('not_found', 'there is no such NFT')
  const { contractName, link, attributes } = detail
  return {
    nft,
    /** What can be bought. */
    offers: toListings(settings, listings).flatMap(({ element }): Offer[] => {
      if (!element?.sellable) return []
      const { seller, priceCents: price, priceCurrency: currency } = element
      return [{ seller, price, currency }]
    }),
    contractName,
    link: /^https:/.test(link ?? '') && URL.canParse(link ?? '') ? link : null,
    attributes: readAttributes(JSON.parse(attributes ?? '[]')),
  }
}

export type NftDetails = Awaited<ReturnType<typeof readNft>>

/** Returns names and values of the attributes with a plain value. Others may hold anything. */
function readAttributes(list: unknown): [name: string, value: string][] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_ATTRIBUTES).flatMap((attribute) => {
    const { trait_type: name, value } = Object(attribute)
    const isPlain = /^(string|number|boolean)$/.test(typeof value)
    return isPlain ? [[typeof name === 'string' ? name : 'Value', String(value)]] : []
  })
}
