/** Headers of responses that say who may call from where, and what caches may keep. */
import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { createMiddleware } from 'hono/factory'
import { DAY, SECOND } from '../time.ts'
import type { App } from './context.ts'

const setCorsHeaders = cors({
  // Without `credentials`: other sites may call with a token, but not with a visitor's cookie.
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  maxAge: DAY / SECOND,
  exposeHeaders: [
    'Accept-Encoding',
    'Allow',
    'Date',
    'Idempotent-Replayed',
    'Retry-After',
    'Server-Timing',
    'WWW-Authenticate',
    'X-D1-Bookmark',
    'X-Order-Sequence',
    'X-Order-Source',
    'X-Request-Id',
  ],
})

/**
 * Allows scripts of other sites to call the API. Except for preflights, the headers are set on the
 * finished response: headers that are set earlier make Hono build each response several times.
 */
export const allowCors: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'OPTIONS') return setCorsHeaders(c, next)
  await next()
  await setCorsHeaders(c, async () => {})
}

/** Headers of one request. A cache would give them to the callers of others. */
const OWN_HEADERS = ['x-request-id', 'x-d1-bookmark', 'server-timing']

/**
 * Keeps responses out of caches, except those that set `Cache-Control` themselves, which carry
 * nothing of their request: Cloudflare's cache gives them to everybody.
 */
export const controlCaching = createMiddleware<App>(async (c, next) => {
  await next()
  const { headers } = c.res
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
  else for (const name of OWN_HEADERS) headers.delete(name)
})

/**
 * Returns the header of a response that caches may keep for so many seconds, and for as long again
 * while the Worker fails: without a bound, Cloudflare would give it for as long as that lasts.
 */
export const cacheControl = (seconds: number): string =>
  `public, max-age=${seconds}, stale-if-error=${seconds}`
