import { createMiddleware } from 'hono/factory'
import type { App } from './context.ts'

/** Keeps responses out of caches, except those that set `Cache-Control` themselves. */
export const forbidCaching = createMiddleware<App>(async (c, next) => {
  await next()
  const { headers } = c.res
  if (!headers.has('cache-control')) headers.set('cache-control', 'private, no-store')
})
