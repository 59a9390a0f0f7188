/** Tokens on the settings pages: a user's own API tokens, and all tokens for administrators. */
import { and, count, desc, eq, exists, gt, gte, isNull, or, type SQL, sql } from 'drizzle-orm'
import { getAddress, isAddress } from 'viem/utils'
import { writeAs } from '../auth/access.ts'
import {
  administratorRequired,
  readAsUser,
  requireAdministrator,
  requireSession,
  selectAdministrator,
} from '../auth/session.ts'
import { API_TOKEN_LIFETIME, type Issuer, newToken, signToken } from '../auth/tokens.ts'
import type { Database } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { hasNameOf, namespaceOf } from './namespace.ts'

const MAX_LIVE_TOKENS_PER_USER = 50
const PAGE_SIZE = 50

/** What the settings pages show of a token, and what it takes to sign it again. */
const tokenColumns = {
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

const newestFirst = [desc(tokens.createdAt), desc(tokens.id)] as const

/** API tokens of the caller that are not revoked. */
const isOwnToken = ({ userId }: Caller) =>
  and(eq(tokens.userId, userId), eq(tokens.kind, 'api'), isNull(tokens.revokedAt))

/**
 * Returns the account and its API tokens, including expired ones. Throws `unauthenticated`,
 * `forbidden`.
 */
export async function readOwnTokens(db: Database, caller: Caller) {
  const [account, ownTokens] = await readAsUser(db, caller, [
    db
      .select(tokenColumns)
      .from(tokens)
      .where(isOwnToken(caller))
      .orderBy(...newestFirst),
  ])
  return { account, tokens: ownTokens }
}

/**
 * Throws `unauthenticated`, `forbidden`, and `conflict` if the user has too many tokens or a live
 * token has the same namespace.
 */
export async function generateToken(
  db: Database,
  issuer: Issuer,
  caller: Caller,
  { name, role }: { name: string; role: Caller['role'] },
  now: Date,
): Promise<{ id: string }> {
  const owner = { userId: caller.userId, role }
  const token = { ...newToken(issuer, owner, API_TOKEN_LIFETIME, now), kind: 'api', name } as const
  const guards = [requireSession(caller), limitTokens(db, caller, now)]
  if (role === 'master') guards.push(requireAdministrator(db, caller))
  guards.push({
    when: exists(db.select({ id: tokens.id }).from(tokens).where(hasNameOf(token, now))),
    error: () => nameTaken(token),
  })
  await writeAs(db, caller, guards, [
    db.insert(tokens).values({ ...token, namespace: namespaceOf(token) }),
  ])
  return { id: token.id }
}

/**
 * Returns one of the caller's API tokens with its JWT, which is signed again from the stored
 * claims. Throws `unauthenticated`, `forbidden`, `not_found`.
 */
export async function readToken(db: Database, issuer: Issuer, caller: Caller, id: string) {
  const [account, [token]] = await readAsUser(db, caller, [
    db
      .select(tokenColumns)
      .from(tokens)
      .where(and(eq(tokens.id, id), isOwnToken(caller))),
  ])
  if (!token) throw tokenNotFound()
  return { account, token, jwt: await signToken(issuer, token) }
}

/**
 * Revokes a token of the caller, or any token if the caller is an administrator. Throws
 * `unauthenticated`, `forbidden`, `not_found`.
 */
export async function revokeToken(
  db: Database,
  caller: Caller,
  id: string,
  now: Date,
): Promise<void> {
  const [revoked] = await writeAs(
    db,
    caller,
    [requireSession(caller)],
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
  if (revoked.length === 0) throw tokenNotFound()
}

/** Rejects a caller who has as many live API tokens as a user may have. */
const limitTokens = (db: Database, caller: Caller, now: Date): Guard => ({
  when: gte(
    sql`${db
      .select({ tokens: count() })
      .from(tokens)
      .where(and(isOwnToken(caller), gt(tokens.expiresAt, now.toISOString())))}`,
    MAX_LIVE_TOKENS_PER_USER,
  ),
  error: () =>
    new ApiError(
      'conflict',
      `you have ${MAX_LIVE_TOKENS_PER_USER} tokens: revoke one that you do not need`,
    ),
})

const nameTaken = ({ name, role }: { name: string; role: Caller['role'] }) =>
  new ApiError(
    'conflict',
    `there is a live ${role} token with the name "${name}": revoke it, or choose another name`,
  )

const tokenNotFound = () => new ApiError('not_found', 'this token does not exist')

/**
 * Returns a page of the live tokens of all users, and the cursor of the next page, for
 * administrators. `owner` is a user id, an e-mail address or a wallet; `after` is the last token of
 * the previous page. Throws `unauthenticated`, `forbidden`.
 */
export async function readAllTokens(
  db: Database,
  caller: Caller,
  {
    owner,
    after,
  }: { owner: string | undefined; after: { createdAt: string; id: string } | undefined },
  now: Date,
) {
  const [account, rows] = await readAsUser(db, caller, [
    db
      .select({
        ...tokenColumns,
        owner: { email: users.email, ethereumPublicAddr: users.ethereumPublicAddr },
      })
      .from(tokens)
      .innerJoin(users, eq(users.id, tokens.userId))
      .where(
        and(
          isNull(tokens.revokedAt),
          gt(tokens.expiresAt, now.toISOString()),
          exists(selectAdministrator(db, caller)),
          owner ? isOwner(owner) : undefined,
          after && sql`(${tokens.createdAt}, ${tokens.id}) < (${after.createdAt}, ${after.id})`,
        ),
      )
      .orderBy(...newestFirst)
      // One row more than a page shows whether there is a next page.
      .limit(PAGE_SIZE + 1),
  ])
  if (account.roleId !== ADMINISTRATOR) throw administratorRequired()
  const page = rows.slice(0, PAGE_SIZE)
  return { account, tokens: page, next: rows.length > PAGE_SIZE ? page.at(-1) : undefined }
}

function isOwner(text: string): SQL {
  if (/^\d+$/.test(text)) return eq(users.id, Number(text))
  // `<> ''` lets SQLite use the partial indexes of e-mail addresses and wallets.
  if (text.includes('@'))
    return sql`${users.email} = ${text.toLowerCase()} AND ${users.email} <> ''`
  const wallet = isAddress(text, { strict: false }) ? getAddress(text) : text
  return sql`${users.ethereumPublicAddr} = ${wallet} AND ${users.ethereumPublicAddr} <> ''`
}
