/** Gives a user another picture. Decisions: "Avatars", replacing. */
import { and, eq, isNull, not, or, sql } from 'drizzle-orm'
import { users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { writeAs } from '../identity/caller.ts'
import { assertMayActFor } from '../identity/subject.ts'
import { toJpeg } from './picture.ts'
import { type Pictured, readAvatar } from './read.ts'
import { contentPart, newHash, putAvatar, type Studio } from './store.ts'
import { keyOf } from './url.ts'

/** `later` lets the answer go out before the work is done. */
type Rebuilding = Studio & { later: (work: Promise<unknown>) => void }

/**
 * The new object is written, then the user points to it, then the old one is removed: wherever
 * this is cut off, the user has a picture that is there, and what is left over the sweep finds.
 *
 * `picture` reads the bytes: not before the token is known to be live and the user to be there.
 * Throws `unauthenticated`, `forbidden`, `not_found`, and what `picture` and `toJpeg` throw.
 */
export async function replaceAvatar(
  studio: Rebuilding,
  caller: Caller,
  userId: number,
  picture: () => Promise<Blob>,
  now: Date,
): Promise<Pictured> {
  assertMayActFor(caller, userId)
  await readAvatar(studio.db, caller, userId)
  const jpeg = await toJpeg(studio.images, await picture())
  const key = keyOf(userId, await newHash(jpeg))
  await putAvatar(studio.bucket, key, jpeg)
  const { current, loser } = await pointTo(studio, caller, userId, key, now)
  if (loser) discard(studio, loser)
  return { id: userId, avatarKey: current }
}

/**
 * Points the user to the object, unless it shows what the current one shows already: so a
 * repeated request changes nothing. Of two that race, each finds the other's object or none as
 * the one it replaces, and exactly one is left.
 */
async function pointTo(studio: Rebuilding, caller: Caller, userId: number, key: string, now: Date) {
  const { db } = studio
  const same = sql`substr(${users.avatarKey}, 1, ${contentPart(key).length}) = ${contentPart(key)}`
  try {
    const [[before], updated] = await writeAs(
      db,
      caller,
      [],
      [
        db.select({ avatarKey: users.avatarKey }).from(users).where(eq(users.id, userId)),
        db
          .update(users)
          .set({ avatarKey: key, updatedAt: now.toISOString() })
          .where(and(eq(users.id, userId), or(isNull(users.avatarKey), not(same))))
          .returning({ id: users.id }),
      ],
    )
    const old = before?.avatarKey ?? null
    return updated.length ? { current: key, loser: old } : { current: old, loser: key }
  } catch (error) {
    // Anything but a refusal may have been written nevertheless: then it is for the sweep to tell.
    if (error instanceof ApiError) discard(studio, key)
    throw error
  }
}

function discard({ bucket, later }: Rebuilding, key: string): void {
  later(
    bucket.delete(key).catch((error: unknown) => {
      console.warn({ event: 'avatar_not_removed', key, error: String(error) })
    }),
  )
}
