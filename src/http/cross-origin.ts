import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'

const allow = cors({
  // Without `credentials`: other sites call with a token, never with a visitor's cookie.
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  maxAge: 24 * 60 * 60,
  exposeHeaders: [
    'Allow',
    'Idempotent-Replayed',
    'Retry-After',
    'Server-Timing',
    'WWW-Authenticate',
    'X-D1-Bookmark',
    'X-Request-Id',
  ],
})

/**
 * Lets the scripts of other sites call. What is no preflight gets its headers when it is answered:
 * set before, they make Hono build every answer three times.
 */
export const crossOrigin: MiddlewareHandler = async (c, next) => {
  if (c.req.method === 'OPTIONS') return allow(c, next)
  await next()
  await allow(c, async () => {})
}
