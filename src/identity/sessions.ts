/** The browser sessions of a user. */
import { and, desc, eq, gt, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { writeAs } from '../auth/access.ts'
import { readAsUser, refuseOldSignIn } from '../auth/session.ts'
import { tokens } from '../db/schema/users.ts'
import type { Caller, Ctx } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'

const isLiveSession = ({ userId }: Caller, now: Date): SQL | undefined =>
  and(
    eq(tokens.userId, userId),
    eq(tokens.kind, 'session'),
    isNull(tokens.revokedAt),
    gt(tokens.expiresAt, now.toISOString()),
  )

/** Returns the account and its live sessions, newest first. */
export function readSessions(ctx: Ctx) {
  const { id, browser, country, createdAt, lastUsedAt } = tokens
  return readAsUser(ctx, {
    sessions: ctx.db
      .select({ id, browser, country, createdAt, lastUsedAt })
      .from(tokens)
      .where(isLiveSession(ctx.caller, ctx.now))
      .orderBy(desc(createdAt), desc(id)),
  })
}

export async function endOneSession(ctx: Ctx, id: string): Promise<void> {
  const ended = await revokeSessions(ctx, eq(tokens.id, id))
  if (ended === 0) throw new ApiError('not_found', 'this session does not exist')
}

/** Ends all sessions of the caller but the present one. */
export async function endOtherSessions(ctx: Ctx): Promise<void> {
  await revokeSessions(ctx, ne(tokens.id, ctx.caller.tokenId))
}

/** Returns how many sessions were revoked. */
async function revokeSessions({ db, caller, now }: Ctx, which: SQL) {
  const { revoked } = await writeAs(db, caller, [refuseOldSignIn(db, caller, now)], {
    revoked: db
      .update(tokens)
      .set({ revokedAt: now.toISOString() })
      .where(and(isLiveSession(caller, now), which))
      .returning({ id: sql`1` }),
  })
  return revoked.length
}
