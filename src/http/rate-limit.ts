/** Rate limits through the bindings of wrangler.toml. */
import { createMiddleware } from 'hono/factory'
import { rateLimitKey } from './client-ip.ts'
import type { App } from './context.ts'
import { ApiError } from './errors.ts'

/** The `period` of both bindings, in seconds. A binding does not say how long to wait. */
const PERIOD = 60

const rateLimited = (message: string) =>
  new ApiError('rate_limited', message, { 'Retry-After': String(PERIOD) })

/** Counts requests per token; without a valid token, per client address. */
export const rateLimit = createMiddleware<App>(async (c, next) => {
  const caller = c.get('caller')
  const key = caller ? `token:${caller.tokenId}` : `address:${rateLimitKey(c.req.raw)}`
  const { success } = await c.env.RATE_LIMIT.limit({ key })
  if (!success) throw rateLimited('too many requests; wait, then send them more slowly')
  await next()
})

/** For endpoints that send mail, ask the chain or check secrets: counts per client address. */
export const signInRateLimit = createMiddleware<App>(async (c, next) => {
  const { success } = await c.env.SIGN_IN_LIMIT.limit({ key: rateLimitKey(c.req.raw) })
  if (!success) throw rateLimited('too many attempts; wait a minute')
  await next()
})
