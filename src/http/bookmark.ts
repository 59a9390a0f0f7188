/**
 * The state of the database that a caller has seen: in `x-d1-bookmark`, and for browsers in a cookie.
 * It is D1's bookmark and, if the caller has written, the time of that: `<bookmark>.<milliseconds>`.
 */
import type { Context } from 'hono'
import { getCookie, setCookie } from 'hono/cookie'
import type { CookieOptions } from 'hono/utils/cookie'
import { invalidField } from './errors.ts'

const HEADER = 'x-d1-bookmark'
const COOKIE = 'bookmark'

/**
 * Milliseconds after a write in which its caller reads from the primary. A replica would first wait
 * until it has the write, which takes longer than the way to the primary.
 */
const SETTLED = 10_000

/** Seconds for which browsers send the bookmark. Replicas have caught up long before. */
const COOKIE_LIFETIME = 60

const cookie = { httpOnly: true, secure: true, sameSite: 'Lax', path: '/' } satisfies CookieOptions

type Bookmark = { state: string; writtenAt: number | undefined }

export const bookmarkPattern = /^([\da-fA-F]{1,32}(?:-[\da-fA-F]{1,32}){3})(?:\.(\d{1,15}))?$/

function parse(text = ''): Bookmark | undefined {
  const [, state, writtenAt] = bookmarkPattern.exec(text) ?? []
  return state ? { state, writtenAt: writtenAt ? Number(writtenAt) : undefined } : undefined
}

/** Throws `invalid_input`: D1 accepts any text as a bookmark, and fails at the first read. */
export function readBookmark(c: Context): Bookmark | undefined {
  const header = c.req.header(HEADER)
  const bookmark = parse(header || getCookie(c, COOKIE))
  if (header && !bookmark) throw invalidField(HEADER, 'must be the value of an earlier response')
  return bookmark
}

/** The time of the caller's write, if replicas may not have it yet. Clocks may differ by as much. */
export const recentWrite = (bookmark: Bookmark | undefined, now: Date): number | undefined =>
  Math.abs(now.getTime() - (bookmark?.writtenAt ?? 0)) < SETTLED ? bookmark?.writtenAt : undefined

/** Sets the bookmark of the response; after a write that a browser may have made, in a cookie too. */
export function writeBookmark(c: Context, { state, writtenAt }: Bookmark, isWrite: boolean): void {
  const text = writtenAt === undefined ? state : `${state}.${writtenAt}`
  c.res.headers.set(HEADER, text)
  if (isWrite && !c.req.header('authorization'))
    setCookie(c, COOKIE, text, { ...cookie, maxAge: COOKIE_LIFETIME })
}
