/** What the page of an NFT shows. */
import { sql } from 'drizzle-orm'
import { batch } from '../db/batch.ts'
import { prepared } from '../db/statements.ts'
import { ApiError } from '../http/errors.ts'
import type { ListCtx } from './candidates.ts'
import { type Person, toShown } from './cards.ts'
import { prepareListings } from './listings.ts'
import { prepareNfts } from './nfts.ts'

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
