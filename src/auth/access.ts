/**
 * Reads and writes on behalf of a caller whose token is live. The check and the data are one trip. See
 * docs/decisions.md, "Who may do what".
 */
import { not, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { batch, type Guard, guarded, type NamedStatements, type Results } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { ADMINISTRATOR, type tokens, type users } from '../db/schema/users.ts'
import { prepared, raw } from '../db/statements.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, TokenRequired } from '../http/errors.ts'
import { idText } from '../http/inputs.ts'
import { DAY } from '../time.ts'

/** Milliseconds for which a token works after it was rolled, so that programs can change over. */
export const ROLL_GRACE = DAY

/** By the clock of D1, because reading needs no other time. */
const now = sql.raw("strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
const graceBegin = sql.raw(`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${ROLL_GRACE / 1000} seconds')`)

/**
 * The token with these claims, unless it is revoked or has expired, its user is removed, or its user
 * has lost the role. The claims are compared, so a stolen signing key alone makes no valid token.
 */
const liveToken = ({ tokenId, userId, role, scope }: Caller) =>
  sql`FROM tokens JOIN users ON users.id = tokens.userId
    WHERE tokens.id = ${tokenId} AND tokens.userId = ${userId} AND tokens.role = ${role}
      AND tokens.scope = ${scope} AND tokens.revokedAt IS NULL AND tokens.expiresAt > ${now}
      AND (tokens.rolledAt IS NULL OR tokens.rolledAt > ${graceBegin}) AND users.removedAt IS NULL
      AND (tokens.role = 'user' OR users.roleId = ${sql.raw(String(ADMINISTRATOR))})`

type LiveToken = Pick<typeof tokens.$inferSelect, 'kind'> &
  Pick<typeof users.$inferSelect, 'roleId'>

const selectLiveToken = prepared(
  (db, caller: Caller) => raw<LiveToken>(db)`SELECT tokens.kind, users.roleId ${liveToken(caller)}`,
)

/** Whether a caller acts for everybody: with a master token that is not for the orders of one shop. */
export const actsForAll = ({ role, scope }: Pick<Caller, 'role' | 'scope'>): boolean =>
  role === 'master' && scope !== 'orders'

/** The namespace of a stored token, as SQL: see `auth/sources.ts`. Null without an id. */
export const namespaceOf = (tokenId: string | null): SQL =>
  sql`(SELECT namespace FROM tokens WHERE id = ${tokenId})`

const tokenRevoked = () => new TokenRequired('the token was revoked')

export const sessionRequired = () =>
  new ApiError('forbidden', 'sign in to do this: an API token is not accepted here')

export const isSessionSql = ({ tokenId }: Pick<Caller, 'tokenId'>): SQL =>
  sql`EXISTS (SELECT 1 FROM tokens WHERE id = ${tokenId} AND kind = 'session')`

export const isAdministratorSql = ({ userId }: Pick<Caller, 'userId'>): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND roleId = ${ADMINISTRATOR})`

const notAdministrator = () => new ApiError('forbidden', 'only administrators may do this')

export const refuseNonAdministrator = (caller: Caller): Guard => ({
  when: not(isAdministratorSql(caller)),
  error: notAdministrator,
})

/** The guards of the token, and of what the endpoint requires of it. */
function callerGuards(caller: Caller): Guard[] {
  const { requires } = caller
  const guards: Guard[] = [
    { when: sql`NOT EXISTS (SELECT 1 ${liveToken(caller)})`, error: tokenRevoked },
  ]
  if (requires) guards.push({ when: not(isSessionSql(caller)), error: sessionRequired })
  if (requires === 'administrator') guards.push(refuseNonAdministrator(caller))
  return guards
}

/**
 * Runs the statements in one trip, together with the check that the token is live and is what the
 * endpoint requires. Throws `unauthenticated`, `forbidden`.
 */
export function readAs<const T extends NamedStatements>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<Results<T>>
export async function readAs(
  db: Database,
  caller: Caller,
  statements: NamedStatements,
): Promise<unknown> {
  const { liveTokens, ...results } = await batch(db, {
    liveTokens: selectLiveToken(db, caller),
    ...statements,
  })
  const [live] = liveTokens
  if (!live) throw tokenRevoked()
  if (caller.requires && live.kind !== 'session') throw sessionRequired()
  if (caller.requires === 'administrator' && live.roleId !== ADMINISTRATOR) throw notAdministrator()
  return results
}

/**
 * Runs the statements as one transaction. Throws `unauthenticated` if the token is not live,
 * `forbidden` if it is not what the endpoint requires, or the error of the first guard whose
 * condition holds; nothing is written then.
 */
export const writeAs = <const T extends NamedStatements>(
  db: Database,
  caller: Caller,
  guards: readonly Guard[],
  statements: T,
): Promise<Results<T>> => guarded(db, [...callerGuards(caller), ...guards], statements)

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
