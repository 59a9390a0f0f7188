import { eq } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Placeholders } from '../db/prepared.ts'
import { users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { preparedAs, readAs } from '../identity/caller.ts'

export type Pictured = { id: number; avatarKey: string | null }

const picturedUser = preparedAs(
  (db, live, at: Placeholders<{ userId: number }>) =>
    db
      .select({ id: users.id, avatarKey: users.avatarKey })
      .from(live)
      .leftJoin(users, eq(users.id, at.userId)),
  (row) => (row.id === null ? null : (row as Pictured)),
)

/** Whose picture it is, and its key: any caller may see it. Throws `unauthenticated`, `not_found`. */
export async function readAvatar(db: Database, caller: Caller, userId: number): Promise<Pictured> {
  const [[user]] = await readAs(db, [picturedUser(db, caller, { userId })])
  if (!user) throw new ApiError('not_found', 'there is no such user')
  return user
}
