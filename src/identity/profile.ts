/** The names that a user shows to others. */
import { eq } from 'drizzle-orm'
import * as z from 'zod/mini'
import { writeAs } from '../auth/access.ts'
import { type Database, violates } from '../db/client.ts'
import { users } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** User names that would speak for the marketplace. */
const reserved = new Set([
  'admin',
  'administrator',
  'marketplace',
  'moderator',
  'official',
  'support',
])

const name = z.string().check(
  z.trim(),
  // Emoji and Persian have the joiners U+200C and U+200D.
  z.regex(
    /^(?:[^\p{Cc}\p{Cf}\p{Cs}]|[\u200C\u200D](?!$)){0,100}$/u,
    'must be at most 100 characters, all of them visible',
  ),
)
const username = z.string().check(
  z.trim(),
  z.regex(
    /^([A-Za-z][A-Za-z0-9_]{2,29})?$/,
    'must be 3 to 30 characters, a letter first: only a to z, 0 to 9 and _',
  ),
  z.refine((username) => !reserved.has(username.toLowerCase()), 'is reserved'),
)
const orNull = z.transform((text: string) => text || null)

/** Both are optional. An empty one is stored as null. */
export const Profile = z.object({
  name: z.pipe(name, orNull),
  username: z.pipe(username, orNull),
})

/**
 * Sets the names of the signed-in user. Throws `unauthenticated`, `forbidden`, and `conflict` if
 * another user has the user name, whatever the case of its letters.
 */
export async function updateProfile(
  db: Database,
  caller: Caller,
  profile: z.infer<typeof Profile>,
  now: Date,
): Promise<void> {
  const update = db
    .update(users)
    .set({ ...profile, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  try {
    await writeAs(db, caller, [], [update])
  } catch (error) {
    if (violates(error, "index 'users_username'"))
      throw new ApiError('conflict', 'this user name is taken')
    throw error
  }
}
