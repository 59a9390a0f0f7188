/** What administrators did. */
import { desc, eq, lt } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import type { Database } from '../db/client.ts'
import { auditLog } from '../db/schema/operations.ts'
import { users } from '../db/schema/users.ts'
import type { Ctx } from '../http/context.ts'

const PAGE_SIZE = 50

type Page = { before: number; limit: number }

/** The newest entries with an id below `before`, with who acted. */
export const selectAudit = (db: Database, { before, limit }: Page) =>
  db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      userId: auditLog.userId,
      userName: users.name,
      tokenName: auditLog.tokenName,
      action: auditLog.action,
      subject: auditLog.subject,
      details: auditLog.details,
    })
    .from(auditLog)
    .innerJoin(users, eq(users.id, auditLog.userId))
    .where(lt(auditLog.id, before))
    .orderBy(desc(auditLog.id))
    .limit(limit)

export type AuditEntry = Awaited<ReturnType<typeof selectAudit>>[number]

/**
 * Returns the administrator and a page of the audit log, newest first. `before` is the `next` of
 * the page before. Throws `unauthenticated`, `forbidden`.
 */
export async function readAudit(
  ctx: Pick<Ctx, 'db' | 'caller'>,
  { before = Number.MAX_SAFE_INTEGER }: { before?: number | undefined },
) {
  const statement = selectAudit(ctx.db, { before, limit: PAGE_SIZE + 1 })
  const [account, rows] = await readAsUser(ctx, [statement])
  const entries = rows.slice(0, PAGE_SIZE)
  return { account, entries, next: rows.length > PAGE_SIZE ? entries.at(-1)?.id : undefined }
}
