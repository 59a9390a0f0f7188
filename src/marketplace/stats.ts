import { batch } from '../db/batch.ts'
import { nftCounts } from '../db/schema/catalogue.ts'
import { prepared } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'

/** Selects one row for each `amountType`. */
export const selectNftCounts = prepared((db) => db.select().from(nftCounts))

/** Converts the rows of `selectNftCounts`. */
export function toStats(counts: readonly (typeof nftCounts.$inferSelect)[]) {
  const nftsOfType = (amountType: string) =>
    counts.find((count) => count.amountType === amountType)?.nfts ?? 0
  return {
    nfts: {
      total: counts.reduce((sum, { nfts }) => sum + nfts, 0),
      unique: nftsOfType('unique'),
      rare: nftsOfType('limited'),
      unlimited: nftsOfType('unlimited'),
    },
  }
}

/** Returns the numbers of NFTs that are released and not deleted. */
export async function readStats({ db }: Pick<Ctx, 'db'>) {
  const { counts } = await batch(db, { counts: selectNftCounts(db, {}) })
  return toStats(counts)
}
