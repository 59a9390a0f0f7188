/** Whose data a request is about, and whether the caller may touch it. Decisions: "Who may do what". */
import * as z from 'zod'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { idText } from '../http/ids.ts'

/** The path's `<user_id>`: `me` or a number (contract, "What the service does" 5). */
export const UserParam = z.object({
  user_id: z
    .union([z.literal('me'), idText], { error: 'must be me or a positive integer' })
    .describe('A user’s id, or `me` for the caller.'),
})

type UserId = z.infer<typeof UserParam>['user_id']

/** The id of the user whom the path names. */
export const subjectOf = (caller: Caller, user: UserId): number =>
  user === 'me' ? caller.userId : user

/** Throws `forbidden` when a user's token is used for somebody else. */
export function assertMayActFor(caller: Caller, userId: number): void {
  if (caller.role !== 'master' && userId !== caller.userId)
    throw new ApiError('forbidden', 'the token belongs to another user')
}
