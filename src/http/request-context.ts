import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { connect } from '../db/client.ts'
import { readSettings } from '../env.ts'
import type { App } from './context.ts'
import { ApiError, invalidField } from './errors.ts'

/** Characters. Enough for 100 ids, and short enough for the logs of proxies. */
const MAX_URL_LENGTH = 8192

/**
 * Sets the variables of the context. Reads of the API go to the nearest replica that is at least
 * as new as the caller's `x-d1-bookmark`, and the response carries the next bookmark. Writes and
 * pages use the primary: writes must not decide by old data, and browsers keep no bookmark.
 */
export const requestContext = createMiddleware<App>(async (c, next) => {
  if (c.req.url.length > MAX_URL_LENGTH)
    throw new ApiError('invalid_input', `a URL may have at most ${MAX_URL_LENGTH} characters`)
  const bookmark = requestBookmark(c)
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  const isApi = c.req.path.startsWith('/api/')
  const nearest = bookmark ?? 'first-unconstrained'
  const session = c.env.DB.withSession(isRead && isApi ? nearest : 'first-primary')
  const trips = { count: 0 }
  c.set('settings', readSettings(c.env))
  c.set('now', new Date())
  c.set('trips', trips)
  c.set('db', connect(session, trips))
  await next()
  const nextBookmark = session.getBookmark()
  // A cache gives a public response to other callers, who may already have a newer bookmark.
  const isShared = c.res.headers.get('cache-control')?.startsWith('public')
  if (nextBookmark && !isShared) c.res.headers.set('x-d1-bookmark', nextBookmark)
})

export const bookmarkPattern = /^[\da-fA-F]{1,32}(-[\da-fA-F]{1,32}){3}$/

/** Throws `invalid_input`: D1 accepts any text as a bookmark, and fails at the first read. */
function requestBookmark(c: Context): string | undefined {
  const text = c.req.header('x-d1-bookmark')
  if (text && !bookmarkPattern.test(text))
    throw invalidField('x-d1-bookmark', 'must be the value of an earlier response')
  return text || undefined
}
