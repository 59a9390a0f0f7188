import type { MiddlewareHandler } from 'hono'
import { cors } from 'hono/cors'
import { DAY, SECOND } from '../time.ts'

const setCorsHeaders = cors({
  // Without `credentials`: other sites may call with a token, but not with a visitor's cookie.
  origin: '*',
  allowMethods: ['GET', 'HEAD', 'POST', 'PUT', 'DELETE'],
  maxAge: DAY / SECOND,
  exposeHeaders: [
    'Accept-Encoding',
    'Allow',
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
