/** One log line for each request: what was called and what it cost, without personal data. */
import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { routePath } from 'hono/route'
import { log } from '../log.ts'
import type { App } from './context.ts'

/** A master token that sends this header gets the cost of the request in `Server-Timing`. */
const TIMING_HEADER = 'x-server-timing'

/** The `x-request-id` that the caller sent, for the log; undefined without a valid one. */
export function callerRequestId(c: Context): string | undefined {
  const id = c.req.header('x-request-id')
  return id && /^[\w\-=.:]{1,128}$/.test(id) ? id : undefined
}

export const requestLog = createMiddleware<App>(async (c, next) => {
  const start = performance.now()
  await next()
  const duration = performance.now() - start
  const { caller, trips, requestId } = c.var
  if (caller?.role === 'master' && c.req.header(TIMING_HEADER))
    c.header('Server-Timing', `total;dur=${duration}, d1;desc="trips: ${trips?.count ?? 0}"`)
  log.info('request', {
    requestId,
    callerRequestId: callerRequestId(c),
    method: c.req.method,
    route: routePattern(c),
    status: c.res.status,
    tokenId: caller?.tokenId ?? null,
    trips: trips?.count ?? 0,
    duration,
  })
})

/** The pattern of the route, because a path holds ids; null if no route matches. */
function routePattern(c: Context<App>): string | null {
  const path = routePath(c, -1)
  return path.endsWith('*') ? null : path
}
