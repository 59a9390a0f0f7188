/** Who asks, and that their token is still live. Decisions: "Who may do what", "Tokens". */
import { and, eq, isNull, notExists, or, type Placeholder, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { type Database, guarded, type Refusal, type Statement } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { ADMINISTRATOR, tokens, users } from '../db/schema.ts'
import type { App, Caller } from '../http/context.ts'
import { ApiError, unauthenticated } from '../http/errors.ts'
import { issuerOf, verifyToken } from './tokens.ts'

/** Name of the session cookie (contract, Authentication 4). */
export const SESSION_COOKIE = 'token'

const isSafeMethod = /^(GET|HEAD|OPTIONS)$/

/**
 * Reads the token from the header (with or without `Bearer`) or else from the cookie, and checks
 * its signature and claims. Whether it was revoked is asked together with the data, in one trip:
 * see `readAs` and `writeAs`.
 */
export const authenticate = createMiddleware<App>(async (c, next) => {
  const header = c.req.header('authorization')
  const jwt = header ? header.replace(/^Bearer +/i, '').trim() : getCookie(c, SESSION_COOKIE)
  const caller = jwt ? await verifyToken(issuerOf(c.var.settings), jwt, c.var.now) : null
  if (caller && !header && !isSafeMethod.test(c.req.method) && !isSameOrigin(c))
    throw new ApiError('cross_site', 'a request with the session cookie must be same-origin')
  c.set('caller', caller)
  await next()
})

/** For what changes state before there is a session: another site must not press our buttons. */
export const sameOrigin = createMiddleware<App>(async (c, next) => {
  if (!isSameOrigin(c)) throw new ApiError('cross_site', 'this request must be same-origin')
  await next()
})

/** A browser sends the cookie along with requests that other sites make; those are not wanted. */
function isSameOrigin(c: Context<App>): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site) return site === 'same-origin'
  return c.req.header('origin') === new URL(c.req.url).origin
}

/** A row when the token is not revoked, and its user still there and in the role. */
const selectLive = (db: Database, tokenId: string | Placeholder) =>
  db
    .select({ live: sql<number>`1` })
    .from(tokens)
    .innerJoin(users, eq(users.id, tokens.userId))
    .where(
      and(
        eq(tokens.id, tokenId),
        isNull(tokens.revokedAt),
        isNull(users.removedAt),
        or(eq(tokens.role, 'user'), eq(users.roleId, ADMINISTRATOR)),
      ),
    )

const liveToken = prepared((db, at: Placeholders<Pick<Caller, 'tokenId'>>) =>
  selectLive(db, at.tokenId),
)

/** Reads in one trip, with the token's liveness. Throws `unauthenticated`. */
export async function readAs<const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  statements: T,
): Promise<BatchResponse<T>> {
  const [live, ...answers] = await db.batch([
    liveToken(db, { tokenId: caller.tokenId }),
    ...statements,
  ])
  if (live.length === 0) throw unauthenticated()
  return answers as BatchResponse<T>
}

/**
 * Writes in one transaction, unless the token is not live (throws `unauthenticated`) or one of
 * the refusals holds (throws its error).
 */
export const writeAs = <const T extends readonly Statement[]>(
  db: Database,
  caller: Caller,
  refusals: readonly Refusal[],
  statements: T,
): Promise<BatchResponse<T>> =>
  guarded(
    db,
    [{ when: notExists(selectLive(db, caller.tokenId)), because: unauthenticated }, ...refusals],
    statements,
  )
