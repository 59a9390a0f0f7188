import { createMiddleware } from 'hono/factory'
import { lineOf } from '../http/address.ts'
import type { App } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

/** Seconds: the `period` of SIGN_IN_LIMIT in wrangler.toml. */
const PERIOD = 60

/** What sends mails, asks the chain or tries secrets: few a minute for each address it comes from. */
export const signInLimit = createMiddleware<App>(async (c, next) => {
  const { success } = await c.env.SIGN_IN_LIMIT.limit({ key: lineOf(c.req.raw) })
  if (!success)
    throw new ApiError('rate_limited', 'too many attempts: please wait a minute', {
      'Retry-After': String(PERIOD),
    })
  await next()
})
