import type { Context } from 'hono'
import { createMiddleware } from 'hono/factory'
import { matchedRoutes } from 'hono/route'
import { connectSession } from '../db/client.ts'
import { readSettings } from '../env.ts'
import { readBookmark, recentWrite, writeBookmark } from './bookmark.ts'
import type { App } from './context.ts'
import { ApiError, TokenRequired } from './errors.ts'

/** Characters. Enough for 100 ids, and short enough for the logs of proxies. */
const MAX_URL_LENGTH = 8192

/**
 * Sets the variables of the context. GET and HEAD read from the copy of the database that is nearest
 * and at least as new as the caller's bookmark; a caller who has just written, and everything else,
 * asks the primary. If a replica's answer would lead to an error, the primary is asked before anything
 * is answered: what was not found may be new.
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
  const trips = { count: 0, statements: 0 }
  const db = connectSession(c.env.DB, bookmark?.state, trips)
  const isNearest = isRead && written === undefined
  if (isNearest) db.$client.goTo('caller')
  c.set('settings', readSettings(c.env))
  c.set('now', now)
  c.set('trips', trips)
  c.set('db', db)
  await next()
  // What the check of a token refuses, the primary has refused.
  const isRefused = c.error instanceof ApiError && !(c.error instanceof TokenRequired)
  if (isNearest && isRefused && db.$client.sawReplica) {
    db.$client.goTo('primary')
    await repeatHandler(c)
  }
  // What a read has seen at the primary would make the next one wait for its replica.
  const state = isRead && db.$client.isAtPrimary ? bookmark?.state : db.$client.bookmark()
  if (state) writeBookmark(c, { state, writtenAt: isRead ? written : now.getTime() }, !isRead)
})

/** Runs the handler that has answered again. If it fails again, the response stays as it is. */
async function repeatHandler(c: Context<App>): Promise<void> {
  const handler = matchedRoutes(c)[c.req.routeIndex]?.handler
  try {
    const response = await handler?.(c, async () => {})
    if (!response) return
    c.error = undefined
    // Hono would merge the headers of the present response.
    c.res = undefined
    c.res = response
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
  }
}
