/**
 * Reads and writes on behalf of a caller whose token is live. The check and the data are one trip.
 */

import { not, type SQL, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import {
  batch,
  guarded,
  type NamedStatements,
  prepared,
  type Results,
  raw,
  type Statement,
} from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { ADMINISTRATOR, type tokens, type users } from '../db/schema/users.ts'
import type { Caller } from '../http/context.ts'
import { ApiError, unauthenticated } from '../http/errors.ts'
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

const selectLiveToken = prepared((db, caller: Caller) =>
  raw<LiveToken>(db, sql`SELECT tokens.kind, users.roleId ${liveToken(caller)}`),
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
  const guards: Guard[] = [
    { when: sql`NOT EXISTS (SELECT 1 ${liveToken(caller)})`, error: tokenRevoked },
  ]
  if (requires) guards.push({ when: not(isSession(caller)), error: sessionRequired })
  if (requires === 'administrator') guards.push(administratorGuard(caller))
  return guards
}

/**
 * Runs the statements in one trip, together with the check that the token is live and is what the
 * endpoint requires. Throws `unauthenticated`, `forbidden`.
 */
export function readAs<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<BatchResponse<T>>
export function readAs<const T extends NamedStatements>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<Results<T>>
export async function readAs(
  db: Database,
  caller: Caller,
  statements: readonly Statement[] | NamedStatements,
): Promise<unknown> {
  if (isList(statements)) return Object.values(await readAs(db, caller, toNamed(statements)))
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
export async function writeAs(
  db: Database,
  caller: Caller,
  guards: readonly Guard[],
  statements: readonly Statement[] | NamedStatements,
): Promise<unknown> {
  const all = [...callerGuards(caller), ...guards]
  if (!isList(statements)) return await guarded(db, all, statements)
  return Object.values(await guarded(db, all, toNamed(statements)))
}

export const isList = (
  statements: readonly Statement[] | NamedStatements,
): statements is readonly Statement[] => Array.isArray(statements)

const toNamed = (statements: readonly Statement[]): Record<string, Statement> =>
  Object.fromEntries(statements.map((statement, i) => [`_${i}`, statement]))
