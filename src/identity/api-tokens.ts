/** API tokens, as their owner manages them (contract, Authentication 3). */
import { and, count, desc, eq, exists, gt, gte, isNull, or, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { tokens } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { writeAs } from './caller.ts'
import {
  type Account,
  readAsUser,
  selectAdministrator,
  unlessAdministrator,
  unlessSession,
} from './session.ts'
import { API_TOKEN_LIFE, type Issuer, newToken, signToken } from './tokens.ts'

/** The most live API tokens a user may have. */
const TOKENS_PER_USER = 50

/** What a page may know of a token: everything but its text. */
export const shown = {
  id: tokens.id,
  userId: tokens.userId,
  kind: tokens.kind,
  role: tokens.role,
  name: tokens.name,
  keyId: tokens.keyId,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  lastUsedAt: tokens.lastUsedAt,
}

export const newestFirst = [desc(tokens.createdAt), desc(tokens.id)] as const

/** The signed-in user. Throws `unauthenticated`, `forbidden`. */
export async function readAccount(db: Database, caller: Caller): Promise<Account> {
  const [account] = await readAsUser(db, caller, [])
  return account
}

/** The caller's own API tokens, those that have expired among them. Throws as `readAccount`. */
export async function readOwnTokens(db: Database, caller: Caller) {
  const [account, own] = await readAsUser(db, caller, [
    db
      .select(shown)
      .from(tokens)
      .where(
        and(eq(tokens.userId, caller.userId), eq(tokens.kind, 'api'), isNull(tokens.revokedAt)),
      )
      .orderBy(...newestFirst),
  ])
  return { account, tokens: own }
}

/** Throws `unauthenticated`, `forbidden`, `too_many_tokens`. */
export async function generateToken(
  db: Database,
  issuer: Issuer,
  caller: Caller,
  { name, role }: { name: string; role: Caller['role'] },
  now: Date,
): Promise<{ id: string }> {
  const token = newToken(issuer, { userId: caller.userId, role }, API_TOKEN_LIFE, now)
  const refusals = [unlessSession(caller), ifTooMany(db, caller, now)]
  if (role === 'master') refusals.push(unlessAdministrator(db, caller))
  await writeAs(db, caller, refusals, [db.insert(tokens).values({ ...token, kind: 'api', name })])
  return { id: token.id }
}

/**
 * One of the caller's own API tokens with its text, which is signed again from the stored claims.
 * Throws `unauthenticated`, `forbidden`, `not_found`.
 */
export async function readToken(db: Database, issuer: Issuer, caller: Caller, id: string) {
  const [account, [token]] = await readAsUser(db, caller, [
    db
      .select(shown)
      .from(tokens)
      .where(
        and(
          eq(tokens.id, id),
          eq(tokens.userId, caller.userId),
          eq(tokens.kind, 'api'),
          isNull(tokens.revokedAt),
        ),
      ),
  ])
  if (!token) throw noSuchToken()
  return { account, token, text: await signToken(issuer, token) }
}

/** Of the caller, or of anyone when an administrator asks. Throws as `readToken`. */
export async function revokeToken(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
): Promise<void> {
  const [revoked] = await writeAs(
    db,
    caller,
    [unlessSession(caller)],
    [
      db
        .update(tokens)
        .set({ revokedAt: now.toISOString() })
        .where(
          and(
            eq(tokens.id, id),
            isNull(tokens.revokedAt),
            or(eq(tokens.userId, caller.userId), exists(selectAdministrator(db, caller))),
          ),
        )
        .returning({ id: tokens.id }),
    ],
  )
  if (revoked.length === 0) throw noSuchToken()
}

const ifTooMany = (db: Database, caller: Caller, now: Date): Refusal => ({
  when: gte(
    sql`${db
      .select({ tokens: count() })
      .from(tokens)
      .where(
        and(
          eq(tokens.userId, caller.userId),
          eq(tokens.kind, 'api'),
          isNull(tokens.revokedAt),
          gt(tokens.expiresAt, now.toISOString()),
        ),
      )}`,
    TOKENS_PER_USER,
  ),
  because: () =>
    new ApiError('conflict', `you have ${TOKENS_PER_USER} tokens: revoke one that you do not need`),
})

const noSuchToken = () => new ApiError('not_found', 'there is no such token')
