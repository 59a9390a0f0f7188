/** Reads and verifies the token of a request. See docs/decisions.md, "Tokens". */
import type { Context } from 'hono'
import { getCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { issuerOf, verifyToken } from './tokens.ts'

/** Name of the session cookie. */
export const SESSION_COOKIE = 'token'

const safeMethods = /^(GET|HEAD|OPTIONS)$/

/**
 * Takes the token from the `Authorization` header (with or without `Bearer`), or else from the
 * cookie, and checks its signature and claims. Whether the token was revoked is checked in the
 * same trip as the data: see access.ts.
 */
export const authenticate = createMiddleware<App>(async (c, next) => {
  const header = c.req.header('authorization')
  const jwt = header ? header.replace(/^Bearer +/i, '').trim() : getCookie(c, SESSION_COOKIE)
  const caller = jwt ? await verifyToken(issuerOf(c.get('settings')), jwt, c.get('now')) : null
  if (caller && !header && !safeMethods.test(c.req.method) && !isSameOrigin(c))
    throw new ApiError('cross_site', 'a request with the session cookie must be same-origin')
  c.set('caller', caller)
  await next()
})

/** Protects endpoints that change state before there is a session. Throws `cross_site`. */
export const requireSameOrigin = createMiddleware<App>(async (c, next) => {
  if (!isSameOrigin(c)) throw new ApiError('cross_site', 'this request must be same-origin')
  await next()
})

/**
 * Browsers send the cookie with requests that other sites make. `hono/csrf` only checks form
 * bodies; this check also covers JSON and DELETE.
 */
function isSameOrigin(c: Context<App>): boolean {
  const site = c.req.header('sec-fetch-site')
  if (site) return site === 'same-origin'
  return c.req.header('origin') === new URL(c.req.url).origin
}
