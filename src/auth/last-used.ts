/** Records when each token was last used, to the hour. */
import { sql } from 'drizzle-orm'
import { createMiddleware } from 'hono/factory'
import { connect, type Database } from '../db/client.ts'
import { tokens } from '../db/schema/users.ts'
import type { App, Caller } from '../http/context.ts'
import { log } from '../log.ts'
import { HOUR } from '../time.ts'

/** Entries kept before the cache is cleared. Clearing costs one extra UPDATE per token. */
const MAX_CACHED = 10_000

/** User and token id → time of the last write by this isolate, in milliseconds. */
const recordedAt = new Map<string, number>()

/** Stores the time after the response is sent, at most once an hour per token and isolate. */
export const recordTokenUse = createMiddleware<App>(async (c, next) => {
  await next()
  const caller = c.get('caller')
  const now = c.get('now')
  if (!caller || c.res.status >= 400) return
  const key = `${caller.userId} ${caller.tokenId}`
  if (now.getTime() - (recordedAt.get(key) ?? 0) < HOUR) return
  if (recordedAt.size >= MAX_CACHED) recordedAt.clear()
  recordedAt.set(key, now.getTime())
  c.executionCtx.waitUntil(
    storeTokenUse(connect(c.env.DB), caller, now).catch((error) => {
      recordedAt.delete(key)
      log.error('last_use_not_stored', { error })
    }),
  )
})

/** Sets `lastUsedAt`, unless another isolate has set it within the last hour. */
export async function storeTokenUse(
  db: Database,
  { tokenId, userId }: Pick<Caller, 'tokenId' | 'userId'>,
  now: Date,
): Promise<void> {
  const hourAgo = new Date(now.getTime() - HOUR).toISOString()
  await db
    .update(tokens)
    .set({ lastUsedAt: now.toISOString() })
    // Public endpoints do not compare the claims of the token.
    .where(sql`id = ${tokenId} AND userId = ${userId} AND revokedAt IS NULL
      AND (lastUsedAt IS NULL OR lastUsedAt < ${hourAgo})`)
}
