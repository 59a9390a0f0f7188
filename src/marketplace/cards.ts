/** The NFTs on public pages. */
import type { amountTypes } from '../db/schema/catalogue.ts'
import { selectCreator } from './creators.ts'
import { lists, type Row, toShown } from './for-sale.ts'
import { type ListCtx, selectPage, toPage } from './page.ts'
import type { PublicQuery } from './query.ts'

/** NFTs on one page. */
const PAGE_SIZE = 24

export type Person = { id: number; name: string | null; username: string | null }

/** What pages use of an NFT. */
export type ShownNft = {
  id: number
  title: string
  description: string | null
  /** Null without art. */
  imageUrl: string | null
  network: string
  contract: string
  tokenId: string | null
  amountType: (typeof amountTypes)[number] | null
  creator: Person
  /** Pieces left; null for no limit. */
  available: number | null
  sellable: boolean
  /** The price is in minor units of the currency (ISO 4217). */
  card: { amount: number; price: number; currency: string; status: string }
}

type Filters = Partial<
  Pick<PublicQuery, 'q' | 'creatorId' | 'amountType' | 'active' | 'cursor'> & { creator: string }
>

/** Selects by the title in its order, and otherwise the newest first. */
export function selectNfts(ctx: ListCtx, filters: Filters = {}, limit = PAGE_SIZE) {
  const { newest, newestOf, title } = lists.nfts.statements
  const { q, creatorId, creator, active } = filters
  const [select, start] =
    q === undefined
      ? [
          creatorId || creator ? newestOf : newest,
          { key: ctx.now.toISOString(), id: Number.MAX_SAFE_INTEGER },
        ]
      : [title, { key: q, id: 0 }]
  return selectPage(ctx, select, start, { ...filters, inStock: active, limit })
}

/** Converts the rows of `selectNfts`. */
export function toNfts({ settings }: ListCtx, rows: Row[], limit = PAGE_SIZE) {
  const { page, nextCursor } = toPage(rows, limit)
  return { nfts: page.map((row): ShownNft => toShown(settings, row)), nextCursor }
}

/** Returns a page of NFTs, and their creator if `creatorId` names one. */
export async function readNfts(ctx: ListCtx, filters: Filters) {
  const { creatorId = null, creator: username = '' } = filters
  const [rows, [creator]] = await ctx.db.batch([
    selectNfts(ctx, filters),
    selectCreator(ctx.db, { id: creatorId, username }),
  ])
  return { creator, ...toNfts(ctx, rows) }
}
