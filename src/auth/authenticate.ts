/**
 * Reads and verifies the token of a request, and records to the hour when it was last used. See
 * docs/decisions.md, "Tokens".
 */
import { sql } from 'drizzle-orm'
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { parse } from 'hono/utils/cookie'
import { connect, type Database } from '../db/client.ts'
import { tokens } from '../db/schema/users.ts'
import type { App, Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { log } from '../log.ts'
import { HOUR } from '../time.ts'
import { explainInvalidToken, tokenIssuer, verifyToken } from './tokens.ts'

export const SESSION_COOKIE = 'token'

const safeMethods = /^(GET|HEAD|OPTIONS)$/

/**
 * Takes the token from the `Authorization` header (with or without `Bearer`), or else from the
 * cookie, and checks its signature and claims. Whether the token was revoked is checked in the
 * same trip as the data: see access.ts.
 */
export const authenticate = createMiddleware<App>(async (c, next) => {
  const header = c.req.header('authorization')
  const jwt = header ? header.replace(/^Bearer +/i, '').trim() : sessionCookie(c)
  const caller = jwt ? await verifyToken(tokenIssuer(c.get('settings')), jwt, c.get('now')) : null
  if (caller && !header && !safeMethods.test(c.req.method)) requireSameOrigin(c)
  c.set('caller', caller)
  if (jwt && !caller)
    c.set('tokenProblem', explainInvalidToken(tokenIssuer(c.get('settings')), jwt, c.get('now')))
  await next()
})

/**
 * Returns the value of the session cookie. Another subdomain can add a cookie of the same name, and
 * the header does not tell which one is ours, so of different values none is used.
 */
function sessionCookie(c: Context<App>): string | undefined {
  const values = new Set<string | undefined>()
  for (const pair of c.req.header('cookie')?.split(';') ?? [])
    if (pair.trim().startsWith(`${SESSION_COOKIE}=`))
      values.add(parse(pair, SESSION_COOKIE)[SESSION_COOKIE])
  const [value] = values
  return values.size === 1 ? value : undefined
}

/**
 * Throws `cross_site` for a request of another site. Endpoints that change state before there is a
 * session have it among their `checks`.
 *
 * Browsers send the cookie with requests that other sites make. They tell the site in
 * `Sec-Fetch-Site`, or in `Origin` at least; a client that sends neither is no browser.
 * `hono/csrf` only checks form bodies; this check also covers JSON and DELETE.
 */
export function requireSameOrigin(c: Context<App>): void {
  const site = c.req.header('sec-fetch-site') ?? 'none'
  const { origin } = new URL(c.req.url)
  const isOwnSite = site === 'same-origin' || site === 'none'
  if (!isOwnSite || (c.req.header('origin') ?? origin) !== origin)
    throw new ApiError('cross_site', 'this request must not come from another site')
}

/** Entries kept before the cache is cleared. Clearing costs one extra UPDATE per token. */
const MAX_CACHED = 10_000

/** User and token id → time of the last write by this isolate, in milliseconds. */
const recordedAt = new Map<string, number>()

/** Stores the time after the response is sent, at most once an hour per token and isolate. */
export const recordTokenUse = createMiddleware<App>(async (c, next) => {
  await next()
  const caller = c.get('caller')
  const now = c.get('now')
  if (!caller || c.res.status >= 400) return
  const key = `${caller.userId} ${caller.tokenId}`
  if (now.getTime() - (recordedAt.get(key) ?? 0) < HOUR) return
  if (recordedAt.size >= MAX_CACHED) recordedAt.clear()
  recordedAt.set(key, now.getTime())
  c.executionCtx.waitUntil(
    storeTokenUse(connect(c.env.DB), caller, now).catch((error) => {
      recordedAt.delete(key)
      log.error('last_use_not_stored', { error })
    }),
  )
})

/** Sets `lastUsedAt`, unless another isolate has set it within the last hour. */
export async function storeTokenUse(
  db: Database,
  { tokenId, userId }: Pick<Caller, 'tokenId' | 'userId'>,
  now: Date,
): Promise<void> {
  const hourAgo = new Date(now.getTime() - HOUR).toISOString()
  await db
    .update(tokens)
    .set({ lastUsedAt: now.toISOString() })
    // Public endpoints do not compare the claims of the token.
    .where(sql`id = ${tokenId} AND userId = ${userId} AND revokedAt IS NULL
      AND (lastUsedAt IS NULL OR lastUsedAt < ${hourAgo})`)
}
