import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import type { RequestIdVariables } from 'hono/request-id'
import { connect, type Database, type Trips } from '../db/client.ts'
import { type Settings, settingsOf } from '../env.ts'
import { ApiError } from './errors.ts'

/** Who asks, as the signed claims of their token say. Whether it is still live, only D1 knows. */
export type Caller = {
  /** Claim `jti`. */
  tokenId: string
  userId: number
  role: 'user' | 'master'
}

/**
 * What every handler finds in its context. What runs for each request asks `c.get` for one of them:
 * `c.var` makes an object of all each time.
 */
export type App = {
  Bindings: Env
  Variables: RequestIdVariables & {
    settings: Settings
    /** A D1 session that begins at the caller's bookmark. */
    db: Database
    /** What this request has cost `db` so far. */
    trips: Trips
    caller: Caller | null
    /** When the request came in. */
    now: Date
  }
}

/** Characters; what fits any 100 ids, and into the log of any proxy. */
const LONGEST_URL = 8192

/**
 * Gives the handlers what they need. Reads go to the replica nearest to the caller that is at
 * least as new as the caller's `x-d1-bookmark`; the answer carries the next one. What writes begins
 * at the primary, so that what it decides by is not out of date.
 */
export const context = createMiddleware<App>(async (c, next) => {
  if (c.req.url.length > LONGEST_URL)
    throw new ApiError('invalid_input', `a URL may have at most ${LONGEST_URL} characters`)
  const bookmark = bookmarkOf(c)
  const isRead = c.req.method === 'GET' || c.req.method === 'HEAD'
  // Nor has a browser a bookmark to carry from page to page.
  const isApi = c.req.path.startsWith('/api/')
  const nearest = bookmark ?? 'first-unconstrained'
  const session = c.env.DB.withSession(isRead && isApi ? nearest : 'first-primary')
  const trips = { count: 0 }
  c.set('settings', settingsOf(c.env))
  c.set('now', new Date())
  c.set('trips', trips)
  c.set('db', connect(session, trips))
  await next()
  const newer = session.getBookmark()
  // Not on what a cache gives to others, whose own bookmark may be newer.
  const isShared = c.res.headers.get('cache-control')?.startsWith('public')
  if (newer && !isShared) c.res.headers.set('x-d1-bookmark', newer)
})

export const isBookmark = /^[\da-fA-F]{1,32}(-[\da-fA-F]{1,32}){3}$/

/** Throws `invalid_input`: D1 takes any text for a bookmark, and fails when it reads. */
function bookmarkOf(c: Context): string | undefined {
  const text = c.req.header('x-d1-bookmark')
  if (text && !isBookmark.test(text))
    throw new ApiError('invalid_input', 'x-d1-bookmark: is none that an answer had')
  return text || undefined
}
