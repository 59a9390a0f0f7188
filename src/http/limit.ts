import { createMiddleware } from 'hono/factory'
import { lineOf } from './address.ts'
import type { App } from './context.ts'
import { ApiError } from './errors.ts'

/** Seconds: the `period` of RATE_LIMIT in wrangler.toml. The binding tells no more than yes or no. */
const PERIOD = 60

/**
 * Each token has its own allowance; without one, each address. Whoever floods with broken tokens
 * uses up that of their address. Decisions: "Limits".
 */
export const rateLimit = createMiddleware<App>(async (c, next) => {
  const caller = c.get('caller')
  const key = caller ? `token:${caller.tokenId}` : `address:${lineOf(c.req.raw)}`
  const { success } = await c.env.RATE_LIMIT.limit({ key })
  if (!success)
    throw new ApiError('rate_limited', 'too many requests; wait, then go on more slowly', {
      'Retry-After': String(PERIOD),
    })
  await next()
})
