/** The names that a user shows to others. */
import { eq } from 'drizzle-orm'
import * as z from 'zod'
import { writeAs } from '../auth/access.ts'
import { violates } from '../db/client.ts'
import { users } from '../db/schema/users.ts'
import { setWords, wordsOf } from '../db/words.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { inputText, writtenText } from '../http/inputs.ts'
import { toLine } from '../http/text.ts'

/** User names that would speak for the marketplace. */
const reserved = /^(admin|administrator|marketplace|moderator|official|support)$/i

const username = inputText(1000)
  .overwrite((text) => toLine(text))
  .regex(
    /^([A-Za-z][A-Za-z0-9_]{2,29})?$/,
    'must be 3 to 30 characters, a letter first: only a to z, 0 to 9 and _',
  )
  .refine((username) => !reserved.test(username), 'is reserved')
const orNull = (text: string) => text || null

/** Both are optional. An empty one is stored as null. */
export const Profile = z.object({
  name: writtenText(100).transform(orNull),
  username: username.transform(orNull),
})

/** Sets the names of the signed-in user. A user name is unique, whatever the case of its letters. */
export async function updateProfile({ db, caller, now }: Ctx, profile: z.infer<typeof Profile>) {
  const update = db
    .update(users)
    .set({ ...profile, updatedAt: now.toISOString() })
    .where(eq(users.id, caller.userId))
  try {
    const words = setWords(db, 'user', caller.userId, wordsOf(profile.name, profile.username))
    await writeAs(db, caller, [], { update, words })
  } catch (error) {
    if (violates(error, "index 'users_username'"))
      throw new ApiError('username_taken', 'this user name is taken')
    throw error
  }
}
