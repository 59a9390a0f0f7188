import type { Database } from '../db/client.ts'
import { prepared } from '../db/prepared.ts'
import { nftCounts } from '../db/schema/catalogue.ts'
import type { Stats } from './openapi.ts'

/** One row for each `amountType`. */
export const selectNftCounts = prepared((db) => db.select().from(nftCounts))

export function toStats(counts: readonly (typeof nftCounts.$inferSelect)[]): Stats {
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
export async function readStats(db: Database): Promise<Stats> {
  const [counts] = await db.batch([selectNftCounts(db, {})])
  return toStats(counts)
}
