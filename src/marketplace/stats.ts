import * as z from 'zod'
import { prepared } from '../db/prepared.ts'
import { nftCounts } from '../db/schema/catalogue.ts'
import type { Ctx } from '../http/context.ts'
import { count, docs } from '../http/fields.ts'

export const Stats = z
  .object({
    nfts: z
      .object({
        total: count(docs('All NFTs.')),
        unique: count(docs('NFTs with one piece.')),
        rare: count(docs('NFTs with a limited number of pieces.')),
        unlimited: count(docs('NFTs without a limit.')),
      })
      .describe(docs('Numbers of NFTs that are released and not deleted.')),
  })
  .meta({ id: 'Stats', description: docs('Statistics of the marketplace.') })

/** Selects one row for each `amountType`. */
export const selectNftCounts = prepared((db) => db.select().from(nftCounts))

/** Converts the rows of `selectNftCounts`. */
export function toStats(counts: readonly (typeof nftCounts.$inferSelect)[]): z.infer<typeof Stats> {
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
  const [counts] = await db.batch([selectNftCounts(db, {})])
  return toStats(counts)
}
