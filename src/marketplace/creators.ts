import { and, asc, desc, eq, gt, isNull, sql } from 'drizzle-orm'
import * as z from 'zod'
import { avatarUrl } from '../avatars/url.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { creators } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { id, orNull, positive, text, time } from '../http/fields.ts'
import { Stats, selectNftCounts, toStats } from './stats.ts'

const Creator = z
  .object({
    id: id('User id of the creator.'),
    name: orNull(text('Name.')),
    username: orNull(text('User name.')),
    avatarUrl: z.url().describe('URL of the avatar.'),
    nfts: positive('Number of NFTs that are released and not deleted.'),
    latestReleaseAt: time('Time of the latest release.'),
  })
  .meta({ id: 'Creator', description: 'A user who has released NFTs.' })

export const Creators = z
  .object({
    creators: z.array(Creator).describe('Creators, the latest release first.'),
    stats: Stats.describe('The same numbers as `GET /api/public/stats`.'),
  })
  .meta({ id: 'Creators', description: 'The creators with the latest releases.' })

/** Reads at most `limit` creators, the latest release first. */
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

type CreatorsCtx = Pick<Ctx, 'db'> & { settings: Pick<Settings, 'PUBLIC_URL'> }

/** Returns the creators with the latest releases; at the same time, the lower id first. */
export async function readCreators(
  { db, settings }: CreatorsCtx,
  { limit }: { limit: number },
): Promise<z.infer<typeof Creators>> {
  const [rows, counts] = await db.batch([selectCreators(db, { limit }), selectNftCounts(db, {})])
  return {
    creators: rows.map(({ avatarKey, ...creator }) => ({
      ...creator,
      avatarUrl: avatarUrl(settings.PUBLIC_URL, { id: creator.id, avatarKey }),
    })),
    stats: toStats(counts),
  }
}
