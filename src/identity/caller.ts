/** Who asks, and that their token is still live. Decisions: "Who may do what", "Tokens". */
import { and, eq, isNull, notExists, or, type Placeholder } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import type { Bound, Database, Row, Statement } from '../db/client.ts'
import { guarded, type Refusal } from '../db/guard.ts'
import { type Buildable, condition, type Placeholders, prepared } from '../db/prepared.ts'
import { ADMINISTRATOR, type tokenKinds, tokens, users } from '../db/schema.ts'
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
  const caller = jwt ? await verifyToken(issuerOf(c.get('settings')), jwt, c.get('now')) : null
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

/**
 * A browser sends the cookie along with requests that other sites make; those are not wanted. Not
 * by `hono/csrf`, which looks at forms only: we refuse JSON and DELETE as well.
 */
function isSameOrigin(c: Context<App>): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site) return site === 'same-origin'
  return c.req.header('origin') === new URL(c.req.url).origin
}

/** The token, unless it is revoked, or its user gone or no longer in the role. */
const selectLive = (db: Database, tokenId: Placeholder) =>
  db
    .select({ userId: tokens.userId, kind: tokens.kind })
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

const liveToken = (db: Database, tokenId: Placeholder) => selectLive(db, tokenId).as('caller')
type LiveToken = ReturnType<typeof liveToken>

/** A statement that gives rows only as long as the caller's token is live. */
class OfCaller<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #statement: Bound<Result>

  constructor(statement: Bound<Result>) {
    this.#statement = statement
  }

  _prepare() {
    return this.#statement._prepare()
  }
}

/**
 * What `readAs` begins with: a prepared statement that selects from `live`, the caller's token, and
 * hangs all that it asks for on that by left joins. So it gives a row, if only of nulls, exactly as
 * long as the token is live, and that takes no statement of its own.
 */
export function preparedAs<Values extends Record<string, unknown>, Mapped>(
  build: (db: Database, live: LiveToken, at: Placeholders<Values>) => Buildable<unknown>,
  ofRow: (row: Row) => Mapped,
): (db: Database, caller: Caller, values: Values) => OfCaller<Mapped[]> {
  const statement = prepared(
    (db, at: Placeholders<Values & { tokenId: string }>) =>
      build(db, liveToken(db, at.tokenId), at),
    ofRow,
  )
  return (db, { tokenId }, values) => new OfCaller(statement(db, { ...values, tokenId }))
}

/** For a read whose other statements are not of that kind. */
export const liveness = preparedAs(
  (db, live) => db.select({ kind: live.kind }).from(live),
  ({ kind }) => kind as (typeof tokenKinds)[number],
)

/** Reads in one trip, with the token's liveness. Throws `unauthenticated`. */
export async function readAs<
  const T extends readonly [OfCaller<readonly unknown[]>, ...Statement[]],
>(db: Database, statements: T): Promise<BatchResponse<T>> {
  const answers = await db.batch(statements)
  const [rows]: readonly unknown[] = answers
  if (!Array.isArray(rows) || rows.length === 0) throw unauthenticated()
  return answers
}

const isDead = condition((db, at: Placeholders<Pick<Caller, 'tokenId'>>) =>
  notExists(selectLive(db, at.tokenId)),
)

/**
 * Writes in one transaction, unless the token is not live (throws `unauthenticated`) or one of
 * the refusals holds (throws its error).
 */
export const writeAs = <const T extends readonly Statement[]>(
  db: Database,
  { tokenId }: Caller,
  refusals: readonly Refusal[],
  statements: T,
): Promise<BatchResponse<T>> =>
  guarded(db, [{ when: isDead({ tokenId }), because: unauthenticated }, ...refusals], statements)
