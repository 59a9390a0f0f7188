import { and, asc, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { type AvatarOwner, avatarUrl } from '../avatars/serve.ts'
import { batch } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { creators } from '../db/schema/catalogue.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { idOfUsername } from './query.ts'
import { selectNftCounts, toStats } from './stats.ts'

export type UserRow = AvatarOwner & { name: string | null; username: string | null }

export const toPublicUser = <R extends UserRow>(publicUrl: string, { avatarKey, ...user }: R) => ({
  ...user,
  avatarUrl: avatarUrl(publicUrl, { id: user.id, avatarKey }),
})

export const userColumns = {
  id: users.id,
  name: users.name,
  username: users.username,
  avatarKey: users.avatarKey,
}

const selectThose = (db: Database, where?: SQL) =>
  db
    .select({
      ...userColumns,
      nfts: creators.nfts,
      latestReleaseAt: creators.latestReleaseAt,
    })
    .from(creators)
    .innerJoin(users, eq(users.id, creators.userId))
    // The literal 0 of the index `creators_latest`: SQLite would not match a parameter with it.
    .where(and(gt(creators.nfts, sql`0`), isNull(users.removedAt), where))

/** Reads a creator by the id or, if that is null, by the user name. */
export const selectCreator = prepared(
  (db, { id, username }: { id: number | null; username: string }) =>
    selectThose(db, sql`${creators.userId} = coalesce(${id}, ${idOfUsername(username)})`),
)

/** Reads at most `limit` creators, the latest release first. */
export const selectCreators = prepared((db, { limit }: { limit: number }) =>
  selectThose(db).orderBy(desc(creators.latestReleaseAt), asc(creators.userId)).limit(limit),
)

type CreatorsCtx = Pick<Ctx, 'db'> & { settings: Pick<Settings, 'PUBLIC_URL'> }

/** Returns the creators with the latest releases; at the same time, the lower id first. */
export async function readCreators({ db, settings }: CreatorsCtx, { limit }: { limit: number }) {
  const { rows, counts } = await batch(db, {
    rows: selectCreators(db, { limit }),
    counts: selectNftCounts(db, {}),
  })
  return {
    creators: rows.map((row) => toPublicUser(settings.PUBLIC_URL, row)),
    stats: toStats(counts),
  }
}
