/** Who may place orders with user tokens: `docs/decisions.md`, "Who may do what". */
import { type SQL, sql } from 'drizzle-orm'
import { users } from '../db/schema/users.ts'

/** The columns of a user who is approved now, unless that was so before. */
export const approval = (now: Date) => ({
  approved: true,
  approvedAt: sql`coalesce(${users.approvedAt}, ${now.toISOString()})`,
})

export const isApprovedSql = (userId: number | SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM users WHERE id = ${userId} AND approved)`
