/** Browser sessions: a token like any other, in the cookie `token`. Decisions: "Tokens". */
import { and, eq, isNull, notExists } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Database, Statement } from '../db/client.ts'
import type { Refusal } from '../db/guard.ts'
import { condition, type Placeholders } from '../db/prepared.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { preparedAs, readAs, SESSION_COOKIE } from './caller.ts'
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

export type Account = Pick<
  typeof users.$inferSelect,
  'id' | 'email' | 'ethereumPublicAddr' | 'roleId'
>

const accountOf = preparedAs(
  (db, live) =>
    db
      .select({
        kind: live.kind,
        id: users.id,
        email: users.email,
        ethereumPublicAddr: users.ethereumPublicAddr,
        roleId: users.roleId,
      })
      .from(live)
      .innerJoin(users, eq(users.id, live.userId)),
  ({ kind, ...account }) => ({ isSession: kind === 'session', account: account as Account }),
)

/** Reads for the signed-in user, with their account. Throws `unauthenticated`, `forbidden`. */
export async function readAsUser<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<[Account, ...BatchResponse<T>]> {
  const [[found], ...answers] = await readAs(db, [accountOf(db, caller, {}), ...statements])
  if (!found?.isSession) throw sessionRequired()
  return [found.account, ...(answers as BatchResponse<T>)]
}

/** Whoever holds an API token must not be able to make more of them, or to move into the account. */
const sessionRequired = () =>
  new ApiError('forbidden', 'this needs you to be signed in: an API token does not do')

const isNoSession = condition((db, at: Placeholders<Pick<Caller, 'tokenId'>>) =>
  notExists(
    db
      .select({ id: tokens.id })
      .from(tokens)
      .where(and(eq(tokens.id, at.tokenId), eq(tokens.kind, 'session'))),
  ),
)

export const unlessSession = ({ tokenId }: Caller): Refusal => ({
  when: isNoSession({ tokenId }),
  because: sessionRequired,
})

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
