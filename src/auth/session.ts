/** Browser sessions of a user: tokens in the cookie `token`. See docs/decisions.md, "Tokens". */
import { and, desc, eq, gt, isNull, ne, notExists, type SQL, sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Guard, NamedStatements, Results } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { tokens, users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import type { App, Caller, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { mayBeStale } from '../http/nearest.ts'
import { describeLimit, peopleLimits } from '../limits.ts'
import { readAs, sessionRequired, writeAs } from './access.ts'
import { SESSION_COOKIE } from './authenticate.ts'
import { signToken, type TokenRecord, tokenIssuer } from './tokens.ts'

const cookie = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' } satisfies CookieOptions

/** Sets the cookie of a session that `signIn` has stored. */
export async function startSession<E extends App>(
  c: Context<E>,
  session: TokenRecord,
): Promise<void> {
  const jwt = await signToken(tokenIssuer(c.var.settings), session)
  setCookie(c, SESSION_COOKIE, jwt, { ...cookie, maxAge: peopleLimits.session.max / 1000 })
}

export async function signOut(c: Context<App>): Promise<void> {
  const { db, caller, now } = c.var
  deleteCookie(c, SESSION_COOKIE, cookie)
  if (caller) await endSession(db, caller, now)
}

/** Revokes the session of the caller. An API token is not revoked. */
export const endSession = (db: Database, { tokenId, userId }: Caller, now: Date) =>
  db
    .update(tokens)
    .set({ revokedAt: now.toISOString() })
    .where(sql`id = ${tokenId} AND userId = ${userId} AND kind = 'session' AND revokedAt IS NULL`)

export const personColumns = {
  id: users.id,
  name: users.name,
  username: users.username,
  email: users.email,
  ethereumPublicAddr: users.ethereumPublicAddr,
}
export type Person = Pick<typeof users.$inferSelect, keyof typeof personColumns>

/** The signed-in user, as pages show them. `isSeller` and `has…`: which pages the menus lead to. */
export type Account = Person &
  Pick<
    typeof users.$inferSelect,
    'avatarKey' | 'roleId' | 'approved' | 'locale' | 'language' | 'hadWallet'
  > & {
    signedInAt: string
    isSeller: 0 | 1
    hasTokens: 0 | 1
    hasWebhooks: 0 | 1
    /** On pages of operators, proposals and reports to look at, counted up to `MAX_TO_REVIEW`. Else 0. */
    toReview: number
  }

/** What is counted at most of what waits to be reviewed. */
export const MAX_TO_REVIEW = 100

/** `isForOperators`: whether it is for a page that only administrators see. */
type Selected = Pick<Caller, 'tokenId'> & { isForOperators: 0 | 1 }

const selectAccount = prepared((db, { tokenId, isForOperators }: Selected) =>
  db
    .select({
      ...personColumns,
      avatarKey: users.avatarKey,
      roleId: users.roleId,
      approved: users.approved,
      locale: users.locale,
      language: users.language,
      hadWallet: users.hadWallet,
      signedInAt: tokens.createdAt,
      isSeller: sql<0 | 1>`EXISTS (SELECT 1 FROM listings WHERE sellerId = ${users.id})`,
      hasTokens: sql<0 | 1>`EXISTS (SELECT 1 FROM tokens own
        WHERE own.userId = ${users.id} AND own.kind = 'api' AND own.revokedAt IS NULL)`,
      hasWebhooks: sql<0 | 1>`EXISTS (SELECT 1 FROM webhookEndpoints
        WHERE userId = ${users.id} AND deletedAt IS NULL)`,
      toReview: sql<number>`iif(${isForOperators},
        (SELECT count(*) FROM (SELECT 1 FROM proposals WHERE state = 'in_review'
          UNION ALL SELECT 1 FROM reports LIMIT ${sql.raw(String(MAX_TO_REVIEW))})), 0)`,
    })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(eq(tokens.id, tokenId), eq(tokens.kind, 'session'))),
)

export async function readAccount({ db, caller }: Session): Promise<Account> {
  return (await readAsUser({ db, caller }, {})).account
}

/** Returns the signed-in user, or null if the caller has no live session. */
export async function findAccount(db: Database, caller: Caller | null): Promise<Account | null> {
  if (!caller) return null
  try {
    return await readAccount({ db, caller: { ...caller, requires: 'session' } })
  } catch (error) {
    if (error instanceof ApiError && !mayBeStale(error, db)) return null
    throw error
  }
}

/** Of an endpoint with the access `session` or `administrator`. */
type Session = Pick<Ctx, 'db' | 'caller'>

/** Runs the statements as `readAs`, and returns the signed-in user as `account`. */
export function readAsUser<const T extends NamedStatements>(
  session: Session,
  statements: T,
): Promise<{ account: Account } & Results<T>>
export async function readAsUser(
  { db, caller }: Session,
  statements: NamedStatements,
): Promise<unknown> {
  const { accounts, ...rows } = await readAs(db, caller, {
    accounts: selectAccount(db, {
      tokenId: caller.tokenId,
      isForOperators: caller.requires === 'administrator' ? 1 : 0,
    }),
    ...statements,
  })
  const [account] = accounts
  if (!account) throw sessionRequired()
  return { account, ...rows }
}

const { recentSignIn, firstWallet } = peopleLimits
/** The greatest age of a sign-in that lets its user do something. */
export type SignInLimit = typeof recentSignIn

const reauthenticationRequired = (limit: SignInLimit) =>
  new ApiError(
    'reauthentication_required',
    `sign in again to do this: your last sign-in was more than ${describeLimit(limit)} ago`,
  )

const recentAfter = (now: Date, { max }: SignInLimit): string =>
  new Date(now.getTime() - max).toISOString()

export const isRecent = ({ signedInAt }: Account, now: Date, limit = recentSignIn): boolean =>
  signedInAt > recentAfter(now, limit)

export function requireRecent(account: Account, now: Date, limit = recentSignIn): void {
  if (!isRecent(account, now, limit)) throw reauthenticationRequired(limit)
}

/** Which sign-in lets an account link a wallet. The first one replaces none, and may be made at leisure. */
export const walletSignIn = ({ hadWallet }: Pick<Account, 'hadWallet'>): SignInLimit =>
  hadWallet ? recentSignIn : firstWallet

/**
 * Rejects a session whose sign-in is too long ago, so that a stolen one cannot be made into access
 * that stays. Only in case of `condition`, if one is given.
 */
export function refuseOldSignIn(
  db: Database,
  { tokenId }: Caller,
  now: Date,
  condition: SQL = sql`TRUE`,
  limit = recentSignIn,
): Guard {
  const recent = db
    .select({ id: tokens.id })
    .from(tokens)
    .where(and(eq(tokens.id, tokenId), gt(tokens.createdAt, recentAfter(now, limit))))
  return {
    when: sql`${condition} AND ${notExists(recent)}`,
    error: () => reauthenticationRequired(limit),
  }
}

/** The same, for linking a wallet: as `walletSignIn`. */
export const refuseOldWalletSignIn = (db: Database, caller: Caller, now: Date): Guard[] => [
  refuseOldSignIn(
    db,
    caller,
    now,
    sql`EXISTS (SELECT 1 FROM users WHERE id = ${caller.userId} AND hadWallet)`,
  ),
  refuseOldSignIn(db, caller, now, sql`TRUE`, firstWallet),
]

const isLiveSession = ({ userId }: Caller, now: Date): SQL | undefined =>
  and(
    eq(tokens.userId, userId),
    eq(tokens.kind, 'session'),
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, now.toISOString()),
  )

export function readSessions(ctx: Ctx) {
  const { id, browser, country, createdAt, lastUsedAt } = tokens
  return readAsUser(ctx, {
    sessions: ctx.db
      .select({ id, browser, country, createdAt, lastUsedAt })
      .from(tokens)
      .where(isLiveSession(ctx.caller, ctx.now))
      .orderBy(desc(createdAt), desc(id)),
  })
}

export async function endOneSession(ctx: Ctx, id: string): Promise<void> {
  const ended = await revokeSessions(ctx, eq(tokens.id, id))
  if (ended === 0) throw new ApiError('not_found', 'this session does not exist')
}

/** Ends all sessions of the caller but the present one. */
export async function endOtherSessions(ctx: Ctx): Promise<void> {
  await revokeSessions(ctx, ne(tokens.id, ctx.caller.tokenId))
}

async function revokeSessions({ db, caller, now }: Ctx, which: SQL) {
  const { revoked } = await writeAs(db, caller, [refuseOldSignIn(db, caller, now)], {
    revoked: db
      .update(tokens)
      .set({ revokedAt: now.toISOString() })
      .where(and(isLiveSession(caller, now), which))
      .returning({ id: sql`1` }),
  })
  return revoked.length
}
