import { eq } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import type { AvatarOwner } from './url.ts'

const avatarOwner = prepared((db, { userId }: Placeholders<{ userId: number }>) =>
  db.select({ id: users.id, avatarKey: users.avatarKey }).from(users).where(eq(users.id, userId)),
)

/** Returns a user's avatar key, for any caller. Throws `unauthenticated`, `not_found`. */
export async function readAvatar(
  db: Database,
  caller: Caller,
  userId: number,
): Promise<AvatarOwner> {
  const [[user]] = await readAs(db, caller, [avatarOwner(db, { userId })])
  if (!user) throw new ApiError('not_found', 'there is no such user')
  return user
}
