/** The NFTs on public pages. */
import { batch } from '../db/batch.ts'
import type { ListCtx } from './candidates.ts'
import { selectCreator, selectCreators } from './creators.ts'
import { prepareNfts } from './nfts.ts'
import { toPage } from './page.ts'
import type { PublicQuery } from './query.ts'
import { selectNftCounts, toStats } from './stats.ts'

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
