/** What the start page shows of the marketplace. */
import { batch } from '../db/batch.ts'
import type { ListCtx } from './candidates.ts'
import { prepareCards } from './cards.ts'
import { selectCreators } from './creators.ts'
import { selectNftCounts, toStats } from './stats.ts'

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
