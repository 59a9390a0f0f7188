import * as z from 'zod'
import type { Database } from '../db/client.ts'
import { prepared } from '../db/prepared.ts'
import { nftCounts } from '../db/schema.ts'

/** Contract, "Statistics". */
export const Stats = () =>
  z.object({
    nfts: z.object({ total: z.int(), unique: z.int(), rare: z.int(), unlimited: z.int() }),
  })

/** One row for each amountType; for a batch. */
export const nftCountsOf = prepared((db) => db.select().from(nftCounts))

/** Counts of the NFTs that are released and not deleted. Decisions: "Marketplace data". */
export function statsOf(
  counts: readonly (typeof nftCounts.$inferSelect)[],
): z.infer<ReturnType<typeof Stats>> {
  const of = (amountType: string) =>
    counts.find((count) => count.amountType === amountType)?.nfts ?? 0
  return {
    nfts: {
      total: counts.reduce((sum, { nfts }) => sum + nfts, 0),
      unique: of('unique'),
      rare: of('limited'),
      unlimited: of('unlimited'),
    },
  }
}

export async function readStats(db: Database): Promise<z.infer<ReturnType<typeof Stats>>> {
  const [counts] = await db.batch([nftCountsOf(db, {})])
  return statsOf(counts)
}
