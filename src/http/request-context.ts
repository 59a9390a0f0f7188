import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import { createMiddleware } from 'hono/factory'
import { bookmarkOf, connectNearest, connectPrimary, noTrips } from '../db/client.ts'
import { readSettings } from '../env.ts'
import { requestLimits } from '../limits.ts'
import { SECOND } from '../time.ts'
import type { App } from './context.ts'
import { declarationOf } from './endpoint.ts'
import { ApiError, invalidField } from './errors.ts'

/**
 * Sets the variables of the context, and opens the session of the database where the endpoint
 * declares that it reads. GET and HEAD wait until the nearest copy has what the caller has seen, and a
 * caller who has just written asks the primary. What others have just written may be missing there:
 * `nearest.ts` says what is asked again. POST and PUT that declare `nearest` wait for nothing: their write checks
 * again what they have read. Only `POST …/check` writes nothing, so it may miss what its caller has just written.
 */
export const requestContext = createMiddleware<App>(async (c, next) => {
  if (c.req.url.length > requestLimits.urlLength.max)
    throw new ApiError(
      'invalid_input',
      `a URL may have at most ${requestLimits.urlLength.max} characters`,
    )
  const { pathname, search } = new URL(c.req.url)
  // Hono leaves a broken escape as it is. The query of a page may have one.
  const encoded = pathname.startsWith('/api/') ? pathname + search : pathname
  try {
    decodeURIComponent(encoded)
  } catch {
    const isBroken = /%(?![\da-f]{2})/i.test(encoded)
    throw new ApiError(
      'invalid_input',
      isBroken
        ? 'the URL has a broken escape: write a percent sign as %25'
        : 'the URL is not UTF-8: escape each byte of UTF-8, as in %C3%BC for ü',
    )
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
  // A bookmark of the primary would make the next read wait until its replica has caught up.
  const isPrimaryRead = isRead && !c.get('db').$client.isNearest
  const state = isPrimaryRead ? bookmark?.state : bookmarkOf(trips)
  if (state) writeBookmark(c, { state, writtenAt: isRead ? written : now.getTime() }, !isRead)
})

const HEADER = 'x-d1-bookmark'
const COOKIE = 'bookmark'

/**
 * Milliseconds after a write in which its caller reads from the primary. A replica would first wait
 * until it has the write, which takes longer than the way to the primary.
 */
const SETTLED = 10 * SECOND

/** Seconds for which browsers send the bookmark. Replicas have caught up long before. */
const COOKIE_LIFETIME = 60

/**
 * The state of the database that a caller has seen: in `x-d1-bookmark`, and for browsers in a cookie.
 * It is D1's bookmark and, if the caller has written, the time of that: `<bookmark>.<milliseconds>`.
 */
type Bookmark = { state: string; writtenAt: number | undefined }

export const bookmarkPattern = /^([\da-fA-F]{1,32}(?:-[\da-fA-F]{1,32}){3})(?:\.(\d{1,15}))?$/

function parse(text = ''): Bookmark | undefined {
  const [, state, writtenAt] = bookmarkPattern.exec(text) ?? []
  return state ? { state, writtenAt: writtenAt ? Number(writtenAt) : undefined } : undefined
}

/** Throws `invalid_input`: D1 accepts any text as a bookmark, and fails at the first read. */
function readBookmark(c: Context): Bookmark | undefined {
  const header = c.req.header(HEADER)
  const bookmark = parse(header || getCookie(c, COOKIE))
  if (header && !bookmark) throw invalidField(HEADER, 'must be the value of an earlier response')
  return bookmark
}

/** The time of the caller's write, if replicas may not have it yet. Clocks may differ by as much. */
const recentWrite = (bookmark: Bookmark | undefined, now: Date): number | undefined =>
  Math.abs(now.getTime() - (bookmark?.writtenAt ?? 0)) < SETTLED ? bookmark?.writtenAt : undefined

/** Sets the bookmark of the response; after a write that a browser may have made, in a cookie too. */
function writeBookmark(c: Context, { state, writtenAt }: Bookmark, isWrite: boolean): void {
  const text = writtenAt === undefined ? state : `${state}.${writtenAt}`
  c.res.headers.set(HEADER, text)
  if (isWrite && !c.req.header('authorization'))
    setCookie(c, COOKIE, text, {
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
      path: '/',
      maxAge: COOKIE_LIFETIME,
    })
}
