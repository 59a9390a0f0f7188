import { and, asc, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import * as z from 'zod'
import { avatarUrlOf } from '../avatars/url.ts'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { creators, users } from '../db/schema.ts'
import { nftCountsOf, Stats, statsOf } from './stats.ts'

/** Decisions, "Marketplace data": creators, and the documented shape beside them. */
export const RecentCreators = () =>
  z.object({
    creators: z.array(
      z.object({
        id: z.int(),
        name: z.string().nullable(),
        username: z.string().nullable(),
        avatarUrl: z.url(),
        /** Released and not deleted. */
        nfts: z.int(),
        latestReleaseAt: z.iso.datetime(),
      }),
    ),
    stats: Stats(),
  })

const latest = prepared((db, at: Placeholders<{ limit: number }>) =>
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
    // Spelt as in the index `creators_latest`, which a parameter in place of the 0 would not match.
    .where(and(gt(creators.nfts, sql`0`), isNull(users.removedAt)))
    .orderBy(desc(creators.latestReleaseAt), asc(creators.userId))
    .limit(at.limit),
)

/** The creators whose latest release is the most recent, by id when they released at once. */
export async function recentCreators(
  db: Database,
  base: string,
  limit: number,
): Promise<z.infer<ReturnType<typeof RecentCreators>>> {
  const [rows, counts] = await db.batch([latest(db, { limit }), nftCountsOf(db, {})])
  return {
    creators: rows.map(({ avatarKey, ...creator }) => ({
      id: creator.id,
      name: creator.name,
      username: creator.username,
      avatarUrl: avatarUrlOf(base, { id: creator.id, avatarKey }),
      nfts: creator.nfts,
      latestReleaseAt: creator.latestReleaseAt,
    })),
    stats: statsOf(counts),
  }
}
