/** Browser sessions: a token in the cookie `token`. See docs/decisions.md, "Tokens". */
import { and, eq, isNull, notExists } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { Context } from 'hono'
import { deleteCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import type { Database, Statement } from '../db/client.ts'
import type { Guard } from '../db/guard.ts'
import { type Placeholders, prepared, preparedCondition } from '../db/prepared.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { readAs } from './access.ts'
import { SESSION_COOKIE } from './authenticate.ts'
import { issuerOf, SESSION_LIFETIME, signToken, type TokenRecord } from './tokens.ts'

const cookie = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' } satisfies CookieOptions

/** Sets the cookie of a session that `signIn` has stored. */
export async function startSession(c: Context<App>, session: TokenRecord): Promise<void> {
  const jwt = await signToken(issuerOf(c.var.settings), session)
  setCookie(c, SESSION_COOKIE, jwt, { ...cookie, maxAge: SESSION_LIFETIME / 1000 })
}

/** Deletes the cookie and revokes the session. An API token in the cookie is not revoked. */
export async function endSession(c: Context<App>): Promise<void> {
  const { db, caller, now } = c.var
  deleteCookie(c, SESSION_COOKIE, cookie)
  if (!caller) return
  await db
    .update(tokens)
    .set({ revokedAt: now.toISOString() })
    .where(and(eq(tokens.id, caller.tokenId), eq(tokens.kind, 'session'), isNull(tokens.revokedAt)))
}

/** The signed-in user, as pages show them. */
export type Account = Pick<
  typeof users.$inferSelect,
  'id' | 'email' | 'ethereumPublicAddr' | 'roleId'
>

type TokenId = Placeholders<Pick<Caller, 'tokenId'>>

const selectAccount = prepared((db, { tokenId }: TokenId) =>
  db
    .select({
      id: users.id,
      email: users.email,
      ethereumPublicAddr: users.ethereumPublicAddr,
      roleId: users.roleId,
    })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(and(eq(tokens.id, tokenId), eq(tokens.kind, 'session'))),
)

/** Returns the signed-in user. Throws `unauthenticated`, `forbidden`. */
export async function readAccount(db: Database, caller: Caller): Promise<Account> {
  const [account] = await readAsUser(db, caller, [])
  return account
}

/**
 * Runs the statements as `readAs`, and returns the signed-in user first. Throws `unauthenticated`,
 * and `forbidden` if the token is not a session.
 */
export async function readAsUser<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<[Account, ...BatchResponse<T>]> {
  const { tokenId } = caller
  const [[account], ...results] = await readAs(db, caller, [
    selectAccount(db, { tokenId }),
    ...statements,
  ])
  if (!account) throw sessionRequired()
  return [account, ...(results as BatchResponse<T>)]
}

// An API token must not create tokens or change how its user signs in.
const sessionRequired = () =>
  new ApiError('forbidden', 'sign in to do this: an API token is not accepted here')

const isNotSession = preparedCondition((db, { tokenId }: TokenId) =>
  notExists(
    db
      .select({ id: tokens.id })
      .from(tokens)
      .where(and(eq(tokens.id, tokenId), eq(tokens.kind, 'session'))),
  ),
)

/** Rejects a caller with an API token instead of a session. */
export const requireSession = ({ tokenId }: Caller): Guard => ({
  when: isNotSession({ tokenId }),
  error: sessionRequired,
})

/** Selects the user of the caller if that user is an administrator. */
export const selectAdministrator = (db: Database, { userId }: Caller) =>
  db
    .select({ id: users.id })
    .from(users)
    .where(and(eq(users.id, userId), eq(users.roleId, ADMINISTRATOR)))

export const administratorRequired = () =>
  new ApiError('forbidden', 'only administrators may do this')

/** Rejects a caller who is not an administrator. */
export const requireAdministrator = (db: Database, caller: Caller): Guard => ({
  when: notExists(selectAdministrator(db, caller)),
  error: administratorRequired,
})
