/** A user's own API tokens, on the settings pages. */
import { and, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { isAdministratorSql, ROLL_GRACE, refuseNonAdministrator, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { readAsUser, refuseOldSignIn, requireRecent } from '../auth/session.ts'
import { tokenNamespace } from '../auth/sources.ts'
import { newToken, signToken, tokenIssuer } from '../auth/tokens.ts'
import type { Guard } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { takeQuotas } from '../db/quota.ts'
import type { AuditAction } from '../db/schema/operations.ts'
import { tokens, users } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { Settings } from '../env.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { guard, quotaOf } from '../http/guard.ts'
import { peopleLimits } from '../limits.ts'
import { HOUR } from '../time.ts'
import { hasNamespaceSql, REFERENCE_NAME } from './namespace.ts'

type IssuerCtx = Ctx & { settings: Settings }

/** What the settings pages show of a token, and what it takes to sign it again. */
export const tokenColumns = {
  id: tokens.id,
  userId: tokens.userId,
  kind: tokens.kind,
  role: tokens.role,
  scope: tokens.scope,
  name: tokens.name,
  keyId: tokens.keyId,
  createdAt: tokens.createdAt,
  expiresAt: tokens.expiresAt,
  lastUsedAt: tokens.lastUsedAt,
  rolledAt: tokens.rolledAt,
}

export const newestFirst = [desc(tokens.createdAt), desc(tokens.id)] as const

/** API tokens of the caller that are not revoked. */
const isOwnToken = ({ userId }: Caller) =>
  and(eq(tokens.userId, userId), eq(tokens.kind, 'api'), isNull(tokens.revokedAt))

/** Returns the account and its API tokens, including expired ones. */
export const readOwnTokens = (ctx: Omit<Ctx, 'now'>) =>
  readAsUser(ctx, { tokens: selectOwn(ctx).orderBy(...newestFirst) })

const selectOwn = ({ db, caller }: Omit<Ctx, 'now'>, condition?: SQL) =>
  db
    .select(tokenColumns)
    .from(tokens)
    .where(and(isOwnToken(caller), condition))

type NewToken = Pick<typeof tokens.$inferSelect, 'name' | 'role' | 'scope'> & {
  /** Milliseconds. */
  lifetime: number
}

const selectEmail = (db: Database, { userId }: Caller) =>
  db.select({ email: users.email }).from(users).where(eq(users.id, userId))

/** Stores a new token, and returns its id and the e-mail address of its owner. */
export async function generateToken(
  { db, caller, now, settings }: IssuerCtx,
  { name, role, scope, lifetime }: NewToken,
) {
  const owner = { userId: caller.userId, role, scope }
  const claims = newToken(tokenIssuer(settings), owner, lifetime, now)
  const token = { ...claims, kind: 'api', name } as const
  const quota = takeQuotas(db, now, [quotaOf(peopleLimits.newTokens, caller.userId)])
  const guards = [
    refuseOldSignIn(db, caller, now),
    refuseTooManyTokens(caller, now),
    ...quota.guards,
  ]
  if (role === 'master') guards.push(refuseNonAdministrator(caller))
  guards.push(
    guard(
      'conflict',
      `there is a live ${role} token with the name "${name}": revoke it, or choose another name`,
    )`
      EXISTS (SELECT 1 FROM ${tokens} WHERE ${hasNamespaceSql(token, now)})`,
  )
  const { owners } = await writeAs(db, caller, guards, {
    token: db.insert(tokens).values({ ...token, namespace: tokenNamespace(token) }),
    record: recordChange({ db, caller, now }, 'token.generate', token.id),
    owners: selectEmail(db, caller),
    uses: quota.uses,
  })
  return { id: token.id, email: owners[0]?.email ?? '' }
}

/** Records what was done to a token, if it is a master token or belongs to another user. */
function recordChange({ db, caller, now }: Ctx, action: AuditAction, id: string) {
  const token = sql`FROM tokens t WHERE t.id = ${id}`
  // Only the names of master tokens say nothing about a person.
  const details = sql`(SELECT json_object('kind', kind, 'role', role,
    'name', iif(role = 'master', name, NULL)) ${token})`
  const when = sql`EXISTS (SELECT 1 ${token} AND (role = 'master' OR userId <> ${caller.userId}))`
  return recordAction({ db, caller, now }, { action, subject: id, details, when })
}

/**
 * Makes a new token with the name, role, scope and lifetime of a live one, which works for 24 hours
 * more. Returns the new token, and the e-mail address of its owner.
 */
export async function rollToken({ db, caller, now, settings }: IssuerCtx, id: string) {
  // The owner and the lifetime are those of the old token, which only the database knows.
  const issuer = tokenIssuer(settings)
  const { keyId, createdAt, ...successor } = newToken(issuer, { role: 'user' }, 0, now)
  const isOld = and(
    eq(tokens.id, id),
    isOwnToken(caller),
    isNull(tokens.rolledAt),
    gt(tokens.expiresAt, now.toISOString()),
  )
  const quota = takeQuotas(db, now, [quotaOf(peopleLimits.newTokens, caller.userId)])
  const guards = [
    refuseOldSignIn(db, caller, now),
    { when: sql`NOT EXISTS (SELECT 1 FROM ${tokens} WHERE ${isOld})`, error: tokenNotFound },
    ...quota.guards,
  ]
  const { created, owners } = await writeAs(db, caller, guards, {
    created: raw<Pick<typeof tokens.$inferSelect, 'id' | 'name' | 'role'>>(db)`
      INSERT INTO tokens (id, userId, kind, role, scope, name, namespace, keyId, createdAt, expiresAt)
      SELECT ${successor.id}, userId, kind, role, scope, name, namespace, ${keyId}, ${createdAt},
        strftime('%Y-%m-%dT%H:%M:%fZ', ${createdAt},
          (unixepoch(expiresAt) - unixepoch(createdAt)) || ' seconds')
      FROM tokens WHERE ${isOld} RETURNING id, name, role`,
    old: db.update(tokens).set({ rolledAt: now.toISOString() }).where(isOld),
    record: recordChange({ db, caller, now }, 'token.roll', id),
    owners: selectEmail(db, caller),
    uses: quota.uses,
  })
  const [token] = created
  if (!token) throw new Error('the INSERT returned no row')
  return { ...token, email: owners[0]?.email ?? '' }
}

type TokenTimes = Pick<typeof tokens.$inferSelect, 'expiresAt' | 'rolledAt'>

/** When a token stops working, as ISO 8601. */
export function tokenEnd({ expiresAt, rolledAt }: TokenTimes): string {
  if (!rolledAt) return expiresAt
  const graceEnd = new Date(new Date(rolledAt).getTime() + ROLL_GRACE)
  return [expiresAt, graceEnd.toISOString()].sort()[0] ?? expiresAt
}

/** Returns one of the caller's API tokens with its JWT, signed again from the stored claims. */
export async function readToken(ctx: IssuerCtx, id: string) {
  const { account, found } = await readAsUser(ctx, { found: selectOwn(ctx, eq(tokens.id, id)) })
  const [token] = found
  requireRecent(account, ctx.now)
  if (!token) throw tokenNotFound()
  return { account, token, jwt: await signToken(tokenIssuer(ctx.settings), token) }
}

/**
 * Revokes an API token of the caller, or any token if the caller is an administrator, who must have
 * signed in a short time ago.
 */
export async function revokeToken({ db, caller, now }: Ctx, id: string): Promise<void> {
  const isOwn = sql`EXISTS (SELECT 1 FROM ${tokens} WHERE ${eq(tokens.id, id)} AND ${isOwnToken(caller)})`
  const guards = [refuseOldSignIn(db, caller, now, sql`NOT ${isOwn}`)]
  const { revoked } = await writeAs(db, caller, guards, {
    revoked: raw(db)`
      UPDATE tokens SET revokedAt = ${now.toISOString()} WHERE id = ${id} AND revokedAt IS NULL
        AND (userId = ${caller.userId} AND kind = 'api' OR ${isAdministratorSql(caller)})
        RETURNING id`,
    record: recordChange({ db, caller, now }, 'token.revoke', id),
  })
  if (revoked.length === 0) throw tokenNotFound()
}

const refuseTooManyTokens = (caller: Caller, now: Date): Guard =>
  guard('conflict', `you have ${peopleLimits.tokens.max} tokens: revoke one that you do not need`)`
    (SELECT count(*) FROM ${tokens} WHERE ${isOwnToken(caller)} AND rolledAt IS NULL
      AND expiresAt > ${now.toISOString()}) >= ${peopleLimits.tokens.max}`

const tokenNotFound = () => new ApiError('not_found', 'this token does not exist')

/** Milliseconds for which a token of the API reference works. */
const REFERENCE_LIFETIME = HOUR

/**
 * Returns a JWT with which the caller tries the API in its reference for one hour, and when it expires,
 * as ISO 8601. A user has one row for it, which each call renews; JWTs that were signed before still work
 * until they expire.
 */
export async function renewReferenceToken({ db, caller, now, settings }: IssuerCtx) {
  const issuer = tokenIssuer(settings)
  const { userId } = caller
  const { id, ...claims } = newToken(issuer, { userId, role: 'user' }, REFERENCE_LIFETIME, now)
  const { keyId, createdAt, expiresAt } = claims
  const present = sql`(SELECT id FROM tokens WHERE userId = ${userId} AND kind = 'api'
    AND name = ${REFERENCE_NAME} AND revokedAt IS NULL AND rolledAt IS NULL)`
  const token = { ...claims, kind: 'api', name: REFERENCE_NAME } as const
  const { renewed } = await writeAs(db, caller, [refuseOldSignIn(db, caller, now)], {
    renewed: db
      .insert(tokens)
      .values({
        ...token,
        id: sql`COALESCE(${present}, ${id})`,
        namespace: tokenNamespace(token),
      })
      .onConflictDoUpdate({ target: tokens.id, set: { keyId, createdAt, expiresAt } })
      .returning({ id: tokens.id }),
  })
  const [stored] = renewed
  if (!stored) throw new Error('the INSERT returned no row')
  return { token: await signToken(issuer, { ...claims, id: stored.id }), expiresAt }
}
