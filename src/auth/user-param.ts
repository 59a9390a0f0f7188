/** The user that a path names. See docs/decisions.md, "Who may do what". */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { idText } from '../http/inputs.ts'

/** The path parameter `<user_id>`: a user id, or `me` for the caller. */
export const UserParam = z.object({
  user_id: z
    .union([z.literal('me'), idText], { error: 'must be me or a positive integer' })
    .describe('A user id, or `me` for the caller.'),
})

export const resolveUserId = (caller: Caller, user: 'me' | number): number =>
  user === 'me' ? caller.userId : user

export function requireAccessTo(caller: Caller, userId: number): void {
  if (caller.role !== 'master' && userId !== caller.userId)
    throw new ApiError('forbidden', 'the token belongs to another user')
}

/** Holds if there is no such user, or the user was removed. */
export const isUnknownUserSql = (userId: number): SQL =>
  sql`NOT EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND removedAt IS NULL)`
