/** What the start page shows of the marketplace. */
import { and, desc, eq, isNull, lte, sql } from 'drizzle-orm'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { nfts } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'
import { selectCreators } from './creators.ts'
import { selectNftCounts, toStats } from './stats.ts'

/** Rows that the start page shows. */
const RELEASES = 12
const CREATORS = 6

const selectReleases = prepared((db, { now }: Placeholders<{ now: string }>) =>
  db
    .select({
      id: nfts.id,
      title: nfts.title,
      coverKey: nfts.coverKey,
      amount: nfts.amount,
      amountType: nfts.amountType,
      /** In minor units of the currency (ISO 4217). */
      price: nfts.price,
      priceCurrency: nfts.priceCurrency,
      releaseAt: nfts.releaseAt,
      creatorName: users.name,
      creatorUsername: users.username,
    })
    .from(nfts)
    .innerJoin(users, eq(users.id, nfts.creatorId))
    // The literal of the index `nfts_released`: SQLite would not match a parameter with it.
    .where(and(sql`${nfts.status} = 'released'`, isNull(nfts.deletedAt), lte(nfts.releaseAt, now)))
    .orderBy(desc(nfts.releaseAt), desc(nfts.id))
    .limit(RELEASES),
)

/** Returns the newest releases, the creators of the newest releases, and the numbers of NFTs. */
export async function readHome({ db, now }: Pick<Ctx, 'db' | 'now'>) {
  const [releases, creators, counts] = await db.batch([
    selectReleases(db, { now: now.toISOString() }),
    selectCreators(db, { limit: CREATORS }),
    selectNftCounts(db, {}),
  ])
  return { releases, creators, stats: toStats(counts) }
}

export type Home = Awaited<ReturnType<typeof readHome>>
