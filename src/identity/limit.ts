import { createMiddleware } from 'hono/factory'
import type { App } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** Seconds: the `period` of SIGN_IN_LIMIT in wrangler.toml. */
const PERIOD = 60

/** What sends mails, asks the chain or tries secrets: few a minute for each address it comes from. */
export const signInLimit = createMiddleware<App>(async (c, next) => {
  const { success } = await c.env.SIGN_IN_LIMIT.limit({ key: addressOf(c.req.raw) })
  if (!success)
    throw new ApiError('rate_limited', 'too many attempts: please wait a minute', {
      'Retry-After': String(PERIOD),
    })
  await next()
})

/** The client's IP address, which Cloudflare sets. */
export const addressOf = (request: Request): string => request.headers.get('cf-connecting-ip') ?? ''
