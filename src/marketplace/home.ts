/** What the start page shows of the marketplace. */
import { selectNfts, toNfts } from './cards.ts'
import { selectCreators } from './creators.ts'
import type { ListCtx } from './page.ts'
import { selectNftCounts, toStats } from './stats.ts'

/** What the start page shows. */
const RELEASES = 12
const CREATORS = 6

/** Returns the newest releases, the creators of the newest releases, and the numbers of NFTs. */
export async function readHome(ctx: ListCtx) {
  const [releases, creators, counts] = await ctx.db.batch([
    selectNfts(ctx, {}, RELEASES),
    selectCreators(ctx.db, { limit: CREATORS }),
    selectNftCounts(ctx.db, {}),
  ])
  return { releases: toNfts(ctx, releases, RELEASES).nfts, creators, stats: toStats(counts) }
}

export type Home = Awaited<ReturnType<typeof readHome>>
