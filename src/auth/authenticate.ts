/** Reads and verifies the token of a request. See docs/decisions.md, "Tokens". */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { parse } from 'hono/utils/cookie'
import type { App } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
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
