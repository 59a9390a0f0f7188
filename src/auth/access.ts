/**
 * Reads and writes on behalf of a caller whose token is live. The check and the data are one trip.
 */
import { and, eq, gt, isNull, not, notExists, or, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { guarded, type NamedStatements, type Results } from '../db/batch.ts'
import type { Database, Statement } from '../db/client.ts'
import { type Guard, guardedBatch } from '../db/guard.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, unauthenticated } from '../http/errors.ts'

type Claims = Placeholders<Caller>

/** Milliseconds for which a token works after it was rolled, so that programs can change over. */
export const ROLL_GRACE = 24 * 60 * 60 * 1000

/** By the clock of D1, because reading needs no other time. */
const now = sql.raw("strftime('%Y-%m-%dT%H:%M:%fZ', 'now')")
const graceBegin = sql.raw(`strftime('%Y-%m-%dT%H:%M:%fZ', 'now', '-${ROLL_GRACE / 1000} seconds')`)

/**
 * Selects the token with these claims, unless it is revoked or has expired, its user is removed, or
 * its user has lost the role. The claims are compared, so a stolen signing key alone makes no valid token.
 */
const selectLiveToken = (db: Database, { tokenId, userId, role, scope }: Claims) =>
  db
    .select({ kind: tokens.kind, roleId: users.roleId })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(
      and(
        eq(tokens.id, tokenId),
        eq(tokens.userId, userId),
        eq(tokens.role, role),
        eq(tokens.scope, scope),
        isNull(tokens.revokedAt),
        gt(tokens.expiresAt, now),
        or(isNull(tokens.rolledAt), gt(tokens.rolledAt, graceBegin)),
        isNull(users.removedAt),
        or(eq(tokens.role, 'user'), eq(users.roleId, ADMINISTRATOR)),
      ),
    )

const liveToken = prepared(selectLiveToken)

const isTokenNotLive = preparedCondition((db, claims: Claims) =>
  notExists(selectLiveToken(db, claims)),
)

const tokenRevoked = () => unauthenticated('the token was revoked')

/** The error for a token where only a session may act. */
export const sessionRequired = () =>
  new ApiError('forbidden', 'sign in to do this: an API token is not accepted here')

/** Whether the token is a session. */
export const isSession = ({ tokenId }: Pick<Caller, 'tokenId'>): SQL =>
  sql`EXISTS (SELECT 1 FROM tokens WHERE id = ${tokenId} AND kind = 'session')`

/** Whether the user is an administrator. */
export const isAdministrator = ({ userId }: Pick<Caller, 'userId'>): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND roleId = ${ADMINISTRATOR})`

const notAdministrator = () => new ApiError('forbidden', 'only administrators may do this')

/** Rejects a caller who is not an administrator. */
export const administratorGuard = (caller: Caller): Guard => ({
  when: not(isAdministrator(caller)),
  error: notAdministrator,
})

/** The guards of the token, and of what the endpoint requires of it. */
function callerGuards(caller: Caller): Guard[] {
  const { requires } = caller
  const guards: Guard[] = [{ when: isTokenNotLive(caller), error: tokenRevoked }]
  if (requires) guards.push({ when: not(isSession(caller)), error: sessionRequired })
  if (requires === 'administrator') guards.push(administratorGuard(caller))
  return guards
}

/**
 * Runs the statements in one trip, together with the check that the token is live and is what the
 * endpoint requires. Throws `unauthenticated`, `forbidden`.
 */
export async function readAs<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<BatchResponse<T>> {
  const [[live], ...results] = await db.batch([liveToken(db, caller), ...statements])
  if (!live) throw tokenRevoked()
  if (caller.requires && live.kind !== 'session') throw sessionRequired()
  if (caller.requires === 'administrator' && live.roleId !== ADMINISTRATOR) throw notAdministrator()
  return results as BatchResponse<T>
}

/**
 * Runs the statements as one transaction. Throws `unauthenticated` if the token is not live,
 * `forbidden` if it is not what the endpoint requires, or the error of the first guard whose
 * condition holds; nothing is written then.
 */
export function writeAs<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  guards: readonly Guard[],
  statements: T,
): Promise<BatchResponse<T>>
export function writeAs<const T extends NamedStatements>(
  db: Database,
  caller: Caller,
  guards: readonly Guard[],
  statements: T,
): Promise<Results<T>>
export function writeAs(
  db: Database,
  caller: Caller,
  guards: readonly Guard[],
  statements: readonly Statement[] | NamedStatements,
): Promise<unknown> {
  const all = [...callerGuards(caller), ...guards]
  return isList(statements) ? guardedBatch(db, all, statements) : guarded(db, all, statements)
}

const isList = (
  statements: readonly Statement[] | NamedStatements,
): statements is readonly Statement[] => Array.isArray(statements)
