import { createMiddleware } from 'hono/factory'
import { bookmarkOf, connectNearest, connectPrimary, noTrips } from '../db/client.ts'
import { readSettings } from '../env.ts'
import { readBookmark, recentWrite, writeBookmark } from './bookmark.ts'
import type { App } from './context.ts'
import { declarationOf } from './endpoint.ts'
import { ApiError } from './errors.ts'

/** Characters. Enough for 100 ids, and short enough for the logs of proxies. */
const MAX_URL_LENGTH = 8192

/**
 * Sets the variables of the context, and opens the session of the database where the endpoint
 * declares that it reads. GET and HEAD wait until the nearest copy has what the caller has seen, and a
 * caller who has just written asks the primary. What else an endpoint reads there, its write checks.
 */
export const requestContext = createMiddleware<App>(async (c, next) => {
  if (c.req.url.length > MAX_URL_LENGTH)
    throw new ApiError('invalid_input', `a URL may have at most ${MAX_URL_LENGTH} characters`)
  const { pathname, search } = new URL(c.req.url)
  try {
    // Hono leaves a broken escape as it is. The query of a page may have one.
    decodeURIComponent(pathname.startsWith('/api/') ? pathname + search : pathname)
  } catch {
    throw new ApiError('invalid_input', 'the URL has a broken escape: write a percent sign as %25')
  }
  const now = new Date()
  const bookmark = readBookmark(c)
  const written = recentWrite(bookmark, now)
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const isNearest = declarationOf(c)?.reads === 'nearest' && !(isRead && written !== undefined)
  const trips = noTrips()
  c.set('settings', readSettings(c.env))
  c.set('now', now)
  c.set('trips', trips)
  c.set(
    'db',
    isNearest
      ? connectNearest(c.env.DB, isRead ? bookmark?.state : undefined, trips)
      : connectPrimary(c.env.DB, trips),
  )
  await next()
  // What a read has seen at the primary would make the next one wait for its replica.
  const isPrimaryRead = isRead && !c.get('db').$client.isNearest
  const state = isPrimaryRead ? bookmark?.state : bookmarkOf(trips)
  if (state) writeBookmark(c, { state, writtenAt: isRead ? written : now.getTime() }, !isRead)
})
