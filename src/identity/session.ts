/** Browser sessions: a token like any other, in the cookie `token`. Decisions: "Tokens". */
import { and, eq, isNull, notExists } from 'drizzle-orm'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Database, Refusal } from '../db/client.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { SESSION_COOKIE } from './caller.ts'
import { issuerOf, SESSION_LIFE, signToken, type TokenRecord } from './tokens.ts'

const cookie = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' } satisfies CookieOptions

/** Gives the browser its session. */
export async function startSession(c: Context<App>, session: TokenRecord): Promise<void> {
  const jwt = await signToken(issuerOf(c.var.settings), session)
  setCookie(c, SESSION_COOKIE, jwt, { ...cookie, maxAge: SESSION_LIFE / 1000 })
}

/** Revokes the session, and takes the cookie back. An API token in the cookie stays live. */
export async function endSession(c: Context<App>): Promise<void> {
  const { db, caller, now } = c.var
  deleteCookie(c, SESSION_COOKIE, cookie)
  if (!caller) return
  await db
    .update(tokens)
    .set({ revokedAt: now.toISOString() })
    .where(and(eq(tokens.id, caller.tokenId), eq(tokens.kind, 'session'), isNull(tokens.revokedAt)))
}

/** The signed-in user: a row when the caller's token is a session, none when it is an API token. */
export const selectAccount = (db: Database, caller: Caller) =>
  db
    .select({
      id: users.id,
      email: users.email,
      ethereumPublicAddr: users.ethereumPublicAddr,
      roleId: users.roleId,
    })
    .from(users)
    .innerJoin(tokens, eq(tokens.userId, users.id))
    .where(and(eq(tokens.id, caller.tokenId), eq(tokens.kind, 'session')))

/** Whoever holds an API token must not be able to make more of them, or to move into the account. */
export const sessionRequired = () =>
  new ApiError('forbidden', 'this needs you to be signed in: an API token does not do')

export const unlessSession = (db: Database, caller: Caller): Refusal => ({
  when: notExists(selectAccount(db, caller)),
  because: sessionRequired,
})

export type Account = Awaited<ReturnType<typeof selectAccount>>[number]

export const selectAdministrator = (db: Database, { userId }: Caller) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.roleId, ADMINISTRATOR)))

export const forAdministrators = () => new ApiError('forbidden', 'this is for administrators')

export const unlessAdministrator = (db: Database, caller: Caller): Refusal => ({
  when: notExists(selectAdministrator(db, caller)),
  because: forAdministrators,
})
