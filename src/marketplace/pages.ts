/** The NFTs on public pages. */

import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { prepared } from '../db/statements.ts'
import { ApiError } from '../http/errors.ts'
import type { ListCtx } from './candidates.ts'
import { selectCreator, selectCreators, selectNftCounts, toStats } from './creators.ts'
import { prepareListings } from './listings.ts'
import { prepareNfts } from './nfts.ts'
import { toPage } from './page.ts'
import type { PublicQuery } from './query.ts'

/** NFTs on one page. */
const PAGE_SIZE = 24

type Element = NonNullable<ReturnType<ReturnType<typeof prepareNfts>['finish']>[number]['element']>
/** What pages use of an NFT. */
export type ShownNft = ReturnType<typeof toShown>
export const toShown = ({ nft, card }: Element) => ({ ...nft, card })
export type Person = Pick<ShownNft['creator'], 'id' | 'name' | 'username'>

type Filters = Partial<
  Pick<PublicQuery, 'q' | 'creatorId' | 'amountType' | 'active' | 'cursor'> & { creator: string }
>

/** Prepares a page of NFTs: by the title in its order, and otherwise the newest first. */
function prepareCards(ctx: ListCtx, filters: Filters = {}, limit = PAGE_SIZE) {
  const { q, creatorId, creator: username, amountType, active, cursor } = filters
  const isOfCreator = creatorId !== undefined || username !== undefined
  const name = q !== undefined ? 'title' : isOfCreator ? 'newestOf' : 'newest'
  const start =
    q === undefined ? { key: ctx.now.toISOString(), id: Number.MAX_SAFE_INTEGER } : { key: q }
  const selected = { q, creatorId, username, amountType, active, inStock: active }
  const given = { ...selected, ...start, ...cursor, limit: limit + 1 }
  const { statements, finish } = prepareNfts(ctx, name, given)
  return {
    statements,
    finish: (rows: Parameters<typeof finish>[0]) => {
      const { elements, nextCursor } = toPage(finish(rows), limit)
      return { nfts: elements.map(toShown), nextCursor }
    },
  }
}

/** Returns a page of NFTs, and their creator if `creatorId` or `creator` names one. */
export async function readNfts(ctx: ListCtx, filters: Filters) {
  const { creatorId: id = null, creator: username = '' } = filters
  const { statements, finish } = prepareCards(ctx, filters)
  const { creators, ...rows } = await batch(ctx.db, {
    ...statements,
    creators: selectCreator(ctx.db, { id, username }),
  })
  return { creator: creators[0], ...finish(rows) }
}

/** What the start page shows. */
const RELEASES = 12
const CREATORS = 6

/** Returns the newest releases, the creators of the newest releases, and the numbers of NFTs. */
export async function readHome(ctx: ListCtx) {
  const { statements, finish } = prepareCards(ctx, {}, RELEASES)
  const { creators, counts, ...rows } = await batch(ctx.db, {
    ...statements,
    creators: selectCreators(ctx.db, { limit: CREATORS }),
    counts: selectNftCounts(ctx.db, {}),
  })
  return { releases: finish(rows).nfts, creators, stats: toStats(counts) }
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
  const own = prepareNfts(ctx, 'named', { references: `[${id}]`, isNamed: true, limit: 1 })
  const ofNft = { nftId: id, active: true, isNamed: true, limit: MAX_LISTINGS }
  const sales = prepareListings(ctx, 'nft', ofNft)
  const { listings, details, ...rows } = await batch(ctx.db, {
    ...own.statements,
    listings: sales.statement,
    details: selectDetails(ctx.db, { id }),
  })
  const [nft] = own.finish(rows).flatMap(({ element }) => (element ? [toShown(element)] : []))
  const [detail] = details
  if (!nft || !detail) throw new ApiError('not_found', 'there is no such NFT')
  const { contractName, link, attributes } = detail
  return {
    nft,
    /** What can be bought. */
    offers: sales.finish(listings).flatMap(({ element }): Offer[] => {
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
