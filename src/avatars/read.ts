import { eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { readAs } from '../identity/caller.ts'

export type Pictured = { id: number; avatarKey: string | null }

const picturedUser = prepared((db, at: Placeholders<{ userId: number }>) =>
  db
    .select({ id: users.id, avatarKey: users.avatarKey })
    .from(users)
    .where(eq(users.id, at.userId)),
)

/** Whose picture it is, and its key: any caller may see it. Throws `unauthenticated`, `not_found`. */
export async function readAvatar(db: Database, caller: Caller, userId: number): Promise<Pictured> {
  const [[user]] = await readAs(db, caller, [picturedUser(db, { userId })])
  if (!user) throw new ApiError('not_found', 'there is no such user')
  return user
}
