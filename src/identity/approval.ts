/** Who may place orders with user tokens: `docs/decisions.md`, "Who may do what". */
import { and, eq, isNull, ne, type SQL, sql } from 'drizzle-orm'
import { isAdministratorSql, writeAs } from '../auth/access.ts'
import { recordAction } from '../auth/audit.ts'
import { users } from '../db/schema/users.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'
import { guard } from '../http/guard.ts'

/** The columns of a user who is approved now, unless that was so before. */
export const approval = (now: Date) => ({
  approved: true,
  approvedAt: sql`coalesce(${users.approvedAt}, ${now.toISOString()})`,
})

export const isApprovedSql = (userId: number | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND approved)`

/**
 * Approves a user, or takes that back, which ends what the user sells at a fixed price. Throws `conflict` for a user
 * whose data were removed, and an administrator.
 */
export async function setApproval(
  ctx: Ctx,
  { userId, approved }: { userId: number; approved: boolean },
): Promise<void> {
  const { db, caller, now } = ctx
  const guards = [
    guard('conflict', 'there is no such user, or no more')`
      NOT EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND removedAt IS NULL)`,
    guard('conflict', 'administrators are approved')`
      ${!approved} AND ${isAdministratorSql({ userId })}`,
  ]
  const ended = approved
    ? []
    : [
        raw<never>(db)`UPDATE listings SET active = 0, updatedAt = ${now.toISOString()}
          WHERE sellerId = ${userId} AND type = 'regular' AND active AND ${isApprovedSql(userId)}`,
      ]
  await writeAs(db, caller, guards, {
    ended,
    changed: db
      .update(users)
      .set({
        ...(approved ? approval(now) : { approved, approvedAt: null }),
        updatedAt: now.toISOString(),
      })
      .where(and(eq(users.id, userId), ne(users.approved, approved), isNull(users.removedAt))),
    record: recordAction(ctx, {
      action: approved ? 'user.approve' : 'user.disapprove',
      subject: userId,
    }),
  })
}
