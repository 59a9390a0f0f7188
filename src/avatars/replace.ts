/** Replaces the pictures of users. */
import { and, eq, isNull, not, or, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { isUnknownUserSql, readAs, requireAccessTo, writeAs } from '../auth/access.ts'
import { guarded } from '../db/batch.ts'
import { type Quota, takeQuotas } from '../db/quota.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import type { AppWithCaller } from '../http/endpoint.ts'
import { ApiError, tryLater } from '../http/errors.ts'
import { quotaOf } from '../http/guard.ts'
import { peopleLimits } from '../limits.ts'
import { log } from '../log.ts'
import { MAX_EDGE, requireConvertible, toJpeg } from './picture.ts'
import { type AvatarOwner, contentPrefix, newHash, pictureKey } from './serve.ts'

type AvatarCtx = Ctx & {
  settings: Pick<Settings, 'MAX_PICTURES_PER_DAY'>
  bucket: R2Bucket
  images: ImagesBinding
  /** Keeps the Worker alive after the response until the work is done. */
  waitUntil: (work: Promise<unknown>) => void
}

/** Returns the context of a request for `replaceAvatar` and `storeAvatar`. */
export const avatarContext = (c: Context<AppWithCaller>): AvatarCtx => ({
  ...c.var,
  bucket: c.env.AVATARS,
  images: c.env.IMAGES,
  waitUntil: (work) => c.executionCtx.waitUntil(work),
})

const avatarOwner = prepared((db, { userId }: { userId: number }) =>
  db.select({ id: users.id, avatarKey: users.avatarKey }).from(users).where(eq(users.id, userId)),
)

/** Returns a user's avatar key, for any caller. */
export async function readAvatar({ db, caller }: Omit<Ctx, 'now'>, userId: number) {
  const { owners } = await readAs(db, caller, { owners: avatarOwner(db, { userId }) })
  const [user] = owners
  if (!user) throw unknownUser()
  return user
}

const unknownUser = () => new ApiError('not_found', 'there is no such user')

/**
 * Replaces the avatar of a user, and returns the user with the new key. `readPicture` is called only
 * after the token and the user have been checked.
 */
export async function replaceAvatar(
  ctx: AvatarCtx,
  { userId, readPicture }: { userId: number; readPicture: () => Promise<Blob> },
): Promise<AvatarOwner> {
  requireAccessTo(ctx.caller, userId)
  await readAvatar(ctx, userId)
  return storeAvatar(ctx, { userId, picture: await readPicture() })
}

/**
 * Stores the picture as the avatar of a user whom the caller may change, and returns the user with
 * the new key. The object is written first, then the user's row, so the user's key always points to
 * an existing object. `removeOrphans` removes an object to which no user points, a day after it was
 * written.
 */
export async function storeAvatar(
  ctx: AvatarCtx,
  { userId, picture }: { userId: number; picture: Blob },
): Promise<AvatarOwner> {
  const { guards, uses } = takeQuotas(ctx.db, ctx.now, conversionQuotas(ctx, userId))
  await requireConvertible(picture)
  await guarded(ctx.db, guards, { uses })
  const jpeg = await toJpeg(ctx, picture, MAX_EDGE)
  const key = pictureKey(userId, await newHash(jpeg))
  await ctx.bucket.put(key, jpeg, { httpMetadata: { contentType: 'image/jpeg' } })
  const { avatarKey, replacedKey } = await updateAvatarKey(ctx, { userId, key })
  if (avatarKey !== key) deleteLater(ctx, key)
  if (replacedKey) keepForADay(ctx, replacedKey)
  return { id: userId, avatarKey }
}

const conversionQuotas = ({ settings }: AvatarCtx, userId: number): Quota[] => [
  quotaOf(peopleLimits.pictures, userId),
  {
    name: 'pictures',
    per: 'day',
    limit: settings.MAX_PICTURES_PER_DAY,
    error: (seconds) => tryLater('all pictures of today were converted', seconds),
  },
]

/**
 * Sets the user's key, unless the current picture has the same content, so that repeating a request
 * changes nothing. The read and the update are one transaction: of concurrent uploads, each learns
 * the key that it replaced, and exactly one object stays in use.
 */
async function updateAvatarKey(ctx: AvatarCtx, { userId, key }: { userId: number; key: string }) {
  const { db, caller, now } = ctx
  const prefix = contentPrefix(key)
  const hasSameContent = sql`substr(${users.avatarKey}, 1, ${prefix.length}) = ${prefix}`
  try {
    const guards = [{ when: isUnknownUserSql(userId), error: unknownUser }]
    const { previous, updated } = await writeAs(db, caller, guards, {
      previous: avatarOwner(db, { userId }),
      updated: db
        .update(users)
        .set({ avatarKey: key, updatedAt: now.toISOString() })
        .where(and(eq(users.id, userId), or(isNull(users.avatarKey), not(hasSameContent))))
        .returning({ id: users.id }),
    })
    const previousKey = previous[0]?.avatarKey ?? null
    return updated.length > 0
      ? { avatarKey: key, replacedKey: previousKey }
      : { avatarKey: previousKey, replacedKey: null }
  } catch (error) {
    // After any other error the row may have been written, and the object may be in use.
    if (error instanceof ApiError) deleteLater(ctx, key)
    throw error
  }
}

/** Writes the object again, because `removeOrphans` removes it a day after it was written. */
function keepForADay({ bucket, waitUntil }: AvatarCtx, key: string): void {
  const rewrite = async () => {
    const object = await bucket.get(key)
    if (object)
      await bucket.put(key, await object.arrayBuffer(), { httpMetadata: object.httpMetadata ?? {} })
  }
  waitUntil(rewrite().catch((error) => log.error('avatar_not_kept', { key, error })))
}

function deleteLater({ bucket, waitUntil }: AvatarCtx, key: string): void {
  waitUntil(bucket.delete(key).catch((error) => log.error('avatar_not_removed', { key, error })))
}
