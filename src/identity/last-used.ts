/** When a token was last used, to the hour, at no cost to the request that used it. */
import { and, eq, isNull, lt, or } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { connect, type Database } from '../db/client.ts'
import { tokens } from '../db/schema.ts'
import type { App } from '../http/context.ts'

const HOUR = 60 * 60 * 1000

/** This isolate forgets what it noted when it has noted this many: one more UPDATE each is cheap. */
const REMEMBERED = 10_000

const notedAt = new Map<string, number>()

/** Notes the use of a token after the answer, at most once an hour for each isolate. */
export const noteUse = createMiddleware<App>(async (c, next) => {
  await next()
  const caller = c.get('caller')
  const now = c.get('now')
  if (!caller || c.res.status >= 400 || !isDue(caller.tokenId, now)) return
  c.executionCtx.waitUntil(
    storeUse(connect(c.env.DB), caller.tokenId, now).catch((error) => {
      notedAt.delete(caller.tokenId)
      console.error({ event: 'last_use_not_stored', error: String(error) })
    }),
  )
})

function isDue(tokenId: string, now: Date): boolean {
  const last = notedAt.get(tokenId)
  if (last !== undefined && now.getTime() - last < HOUR) return false
  if (notedAt.size >= REMEMBERED) notedAt.clear()
  notedAt.set(tokenId, now.getTime())
  return true
}

/** Another isolate may have noted it within the hour: then nothing is written. */
export async function storeUse(db: Database, tokenId: string, now: Date): Promise<void> {
  await db
    .update(tokens)
    .set({ lastUsedAt: now.toISOString() })
    .where(
      and(
        eq(tokens.id, tokenId),
        isNull(tokens.revokedAt),
        or(
          isNull(tokens.lastUsedAt),
          lt(tokens.lastUsedAt, new Date(now.getTime() - HOUR).toISOString()),
        ),
      ),
    )
}
