import * as z from 'zod'
import type { Database } from '../db/client.ts'
import { prepared } from '../db/prepared.ts'
import { nftCounts } from '../db/schema.ts'
import { count } from '../http/fields.ts'
import { lazy } from '../http/lazy.ts'

export const Stats = lazy(() =>
  z
    .object({
      nfts: z
        .object({
          total: count('All NFTs.'),
          unique: count('NFTs with one piece.'),
          rare: count('NFTs with a limited number of pieces.'),
          unlimited: count('NFTs without a limit.'),
        })
        .describe('Numbers of NFTs that are released and not deleted.'),
    })
    .meta({ id: 'Stats', description: 'Statistics of the marketplace.' }),
)

/** One row for each `amountType`. */
export const selectNftCounts = prepared((db) => db.select().from(nftCounts))

export function toStats(
  counts: readonly (typeof nftCounts.$inferSelect)[],
): z.infer<ReturnType<typeof Stats>> {
  const countOf = (amountType: string) =>
    counts.find((count) => count.amountType === amountType)?.nfts ?? 0
  return {
    nfts: {
      total: counts.reduce((sum, { nfts }) => sum + nfts, 0),
      unique: countOf('unique'),
      rare: countOf('limited'),
      unlimited: countOf('unlimited'),
    },
  }
}

/** Returns the numbers of NFTs that are released and not deleted. */
export async function readStats(db: Database): Promise<z.infer<ReturnType<typeof Stats>>> {
  const [counts] = await db.batch([selectNftCounts(db, {})])
  return toStats(counts)
}
