/** The audit log: what administrators did. It has no personal data but the id of the administrator. */
import { type SQL, sql } from 'drizzle-orm'
import type { AuditAction } from '../db/schema/operations.ts'
import { raw } from '../db/statements.ts'
import type { Ctx } from '../http/context.ts'

type Action = {
  action: AuditAction
  /** Id of what it is done to, if it is one thing. SQL selects it. */
  subject?: string | number | SQL | null
  /** SQL of a JSON object, or the object itself. */
  details?: Record<string, unknown> | SQL
  /** Without it, the action is recorded in any case. */
  when?: SQL
}

/**
 * The statement that records an action of an administrator: one with a master token, or a session
 * of a user who is administrator. Put it into the transaction of the action, directly after the
 * statement that acts: it records nothing if that changed no row.
 */
export const recordAction = (ctx: Ctx, { when = sql`TRUE`, ...action }: Action) =>
  recordIntended(ctx, { ...action, when: sql`changes() > 0 AND ${when}` })

/**
 * The statement that records an action on many rows. `ids` selects them, in parentheses. Put it
 * directly before the statement that acts: it records nothing if there are none.
 */
export const recordItems = (
  ctx: Ctx,
  { ids, when = sql`TRUE`, ...action }: Action & { ids: SQL },
) =>
  recordIntended(
    ctx,
    {
      ...action,
      details: sql`json_set(${detailsSql(action)}, '$.items', json(items))`,
      when: sql`items <> '[]' AND ${when}`,
    },
    sql`tokens, (SELECT json_group_array(id) AS items FROM ${ids})`,
  )

const detailsSql = ({ details }: Action): SQL =>
  details && 'queryChunks' in details
    ? sql`${details}`
    : sql`${details ? JSON.stringify(details) : null}`

/**
 * The same for an action that has several statements: put it before them. `when` says whether they
 * will change something. `from`: what it selects from.
 */
export function recordIntended(
  { db, caller: { tokenId, userId }, now }: Ctx,
  { subject = null, ...action }: Action,
  from = sql`tokens`,
) {
  return raw<never>(db)`INSERT INTO auditLog (at, userId, tokenName, action, subject, details)
    SELECT ${now.toISOString()}, ${userId}, iif(tokens.kind = 'api', tokens.name, NULL),
      ${action.action}, ${typeof subject === 'number' ? String(subject) : subject},
      ${detailsSql(action)}
    FROM ${from} WHERE tokens.id = ${tokenId} AND ${action.when ?? sql`TRUE`}`
}
