/** One line for each request. It says what was asked and what it cost, and nothing about whom. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import type { App } from './context.ts'

/** A master token that sends this header is told where the time went (`Server-Timing`). */
const ASK_FOR_TIMING = 'x-server-timing'

export const log = createMiddleware<App>(async (c, next) => {
  const start = performance.now()
  await next()
  const duration = performance.now() - start
  const { caller, trips, requestId } = c.var
  if (caller?.role === 'master' && c.req.header(ASK_FOR_TIMING))
    c.header('Server-Timing', `total;dur=${duration}, d1;desc="trips: ${trips?.count ?? 0}"`)
  console.log(
    JSON.stringify({
      event: 'request',
      requestId,
      method: c.req.method,
      route: patternOf(c),
      status: c.res.status,
      tokenId: caller?.tokenId ?? null,
      trips: trips?.count ?? 0,
      duration,
    }),
  )
})

/** The route's pattern, since a path holds ids; null for a path that is no route's. */
function patternOf(c: Context<App>): string | null {
  const path = routePath(c, -1)
  return path.endsWith('*') ? null : path
}
