import { and, asc, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import { avatarUrlOf } from '../avatars/url.ts'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { creators } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import type { Creators } from './openapi.ts'
import { selectNftCounts, toStats } from './stats.ts'

export const selectCreators = prepared((db, { limit }: Placeholders<{ limit: number }>) =>
  db
    .select({
      id: users.id,
      name: users.name,
      username: users.username,
      avatarKey: users.avatarKey,
      nfts: creators.nfts,
      latestReleaseAt: creators.latestReleaseAt,
    })
    .from(creators)
    .innerJoin(users, eq(users.id, creators.userId))
    // The literal 0 of the index `creators_latest`: SQLite would not match a parameter with it.
    .where(and(gt(creators.nfts, sql`0`), isNull(users.removedAt)))
    .orderBy(desc(creators.latestReleaseAt), asc(creators.userId))
    .limit(limit),
)

/** Returns the creators with the latest releases; at the same time, the lower id first. */
export async function readCreators(
  db: Database,
  baseUrl: string,
  limit: number,
): Promise<Creators> {
  const [rows, counts] = await db.batch([selectCreators(db, { limit }), selectNftCounts(db, {})])
  return {
    creators: rows.map(({ avatarKey, ...creator }) => ({
      ...creator,
      avatarUrl: avatarUrlOf(baseUrl, { id: creator.id, avatarKey }),
    })),
    stats: toStats(counts),
  }
}
