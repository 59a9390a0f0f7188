/** What the page of an NFT shows. */

import { sql } from 'drizzle-orm'
import { prepared } from '../db/batch.ts'
import { ApiError } from '../http/errors.ts'
import type { Person, ShownNft } from './cards.ts'
import { lists, toShown } from './for-sale.ts'
import { inputOf, type ListCtx } from './page.ts'

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
  const [[row], sales, [details]] = await ctx.db.batch([
    lists.nfts.statements.named(ctx.db, { input: inputOf(ctx), references: `[${id}]`, count: 1 }),
    lists.listings.statements.nft(ctx.db, {
      input: inputOf(ctx, { nftId: id, active: true }),
      references: '[]',
      count: MAX_LISTINGS,
    }),
    selectDetails(ctx.db, { id }),
  ])
  if (!row || !details) throw new ApiError('not_found', 'there is no such NFT')
  const nft: ShownNft = toShown(ctx.settings, row)
  const { contractName, link, attributes } = details
  return {
    nft,
    /** What can be bought. */
    offers: sales.flatMap((sale): Offer[] => {
      const { seller, priceCents, priceCurrency, sellable } = toShown(ctx.settings, sale)
      return sellable ? [{ seller, price: priceCents, currency: priceCurrency }] : []
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
