import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

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
