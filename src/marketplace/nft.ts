/** What the page of an NFT shows. */
import { sql } from 'drizzle-orm'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { ApiError } from '../http/errors.ts'
import type { Person, ShownNft } from './cards.ts'
import { lists, toShown } from './for-sale.ts'
import { inputOf, type ListCtx } from './page.ts'

/** Listings and attributes that the page shows. */
const MAX_LISTINGS = 20
const MAX_ATTRIBUTES = 50

export type ShownListing = {
  id: number
  seller: Person
  /** In minor units of the currency (ISO 4217). */
  priceCents: number
  priceCurrency: string
  sellable: boolean
  /** The code of an order; null if sellable. */
  notSellableReason: string | null
  maxPerOrder: number | null
}

const selectDetails = prepared((db, { id }: Placeholders<{ id: number }>) =>
  db.all<{ contractName: string; attributes: string | null; link: string | null }>(
    sql`SELECT contractName, payload -> '$.metadata.attributes' AS attributes,
      payload ->> '$.metadata.external_url' AS link FROM nfts WHERE id = ${id}`,
  ),
)

/** Returns an NFT that everybody may see, with its listings. Throws `not_found`. */
export async function readNft(ctx: ListCtx, id: number) {
  const input = inputOf(ctx, { nftId: id })
  const [[row], sales, [details]] = await ctx.db.batch([
    lists.nfts.statements.named(ctx.db, { input, references: `[${id}]`, count: 1 }),
    lists.listings.statements.nft(ctx.db, { input, references: '[]', count: MAX_LISTINGS }),
    selectDetails(ctx.db, { id }),
  ])
  if (!row?.isMatch || !details) throw new ApiError('not_found', 'there is no such NFT')
  const nft: ShownNft = toShown(ctx.settings, row)
  const listings = sales.map((sale): ShownListing => toShown(ctx.settings, sale))
  const { contractName, link } = details
  return {
    nft,
    // What can be bought first.
    listings: listings.sort((a, b) => Number(b.sellable) - Number(a.sellable)),
    contractName,
    link: link !== null && /^https:\/\/[^\s]+$/.test(link) && URL.canParse(link) ? link : null,
    attributes: readAttributes(JSON.parse(details.attributes ?? '[]')),
  }
}

export type NftDetails = Awaited<ReturnType<typeof readNft>>

type Attribute = { name: string; value: string }

/** Returns the attributes of the metadata that have a plain value. Others may hold anything. */
function readAttributes(list: unknown): Attribute[] {
  if (!Array.isArray(list)) return []
  return list.slice(0, MAX_ATTRIBUTES).flatMap((attribute) => {
    const { trait_type: name, value } = Object(attribute)
    const isPlain = /^(string|number|boolean)$/.test(typeof value)
    return isPlain ? [{ name: typeof name === 'string' ? name : '', value: String(value) }] : []
  })
}
