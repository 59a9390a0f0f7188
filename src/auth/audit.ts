/** The audit log: what administrators did. It has no personal data but the id of the administrator. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import type { Caller } from '../http/context.ts'

type Action = {
  /** As in `transfer.retry`. */
  action: string
  /** Id of what it is done to, if it is one thing. */
  subject?: string | number
  details?: Record<string, unknown>
}

/**
 * The statement that records an action of an administrator: one with a master token, or a session
 * of a user who is administrator. Put it into the transaction of the action, directly after the
 * statement that acts: it records nothing if that changed no row, or if `when` does not hold.
 */
export const recordAction = (
  db: Database,
  { tokenId, userId }: Caller,
  { action, subject, details }: Action,
  now: Date,
  when: SQL = sql`TRUE`,
) =>
  raw<never>(
    db,
    sql`INSERT INTO auditLog (at, userId, tokenName, action, subject, details)
      SELECT ${now.toISOString()}, ${userId}, iif(kind = 'api', name, NULL), ${action},
        ${subject === undefined ? null : String(subject)}, ${details ? JSON.stringify(details) : null}
      FROM tokens WHERE id = ${tokenId} AND changes() > 0 AND ${when}`,
  )
