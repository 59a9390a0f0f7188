/** What administrators did, as pages and as a file. */
import { and, desc, eq, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import type { Database } from '../../db/client.ts'
import { type AuditAction, auditLog } from '../../db/schema/operations.ts'
import { users } from '../../db/schema/users.ts'
import { raw } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { toCell } from '../../http/spreadsheet.ts'
import { idAt } from './ids.ts'
import { nameSql } from './people.tsx'

const PAGE_SIZE = 50

/** Entries that one statement reads at most to find those that match. */
const WINDOW = 10_000

export type AuditFilter = {
  /** Id of the administrator who acted. */
  user?: number | undefined
  action?: AuditAction | undefined
  /** The first and the last day (UTC), as in `2026-11-24`. */
  since?: string | undefined
  until?: string | undefined
}

type Page = AuditFilter & { before?: number | undefined; limit: number }

/** Returns the ids `first` of all pages, `start` of this page, and `end`, which follows this page. */
function boundsOf({ before = Number.MAX_SAFE_INTEGER, since, until }: Page) {
  const first = since ? idAt('auditLog', since) : sql`1`
  const untilId = until ? idAt('auditLog', `${until}T24`) : sql`${before}`
  const end = sql`min(${before}, ${untilId}, coalesce((SELECT max(id) FROM auditLog), 0) + 1)`
  return { first, start: sql`max(${first}, ${end} - ${WINDOW})`, end }
}

/** Selects the newest entries of a page, with who acted, and the name or the URL of what it was done to. */
export function selectAudit(db: Database, page: Page) {
  const { user, action, limit } = page
  const { start, end } = boundsOf(page)
  return db
    .select({
      id: auditLog.id,
      at: auditLog.at,
      userId: auditLog.userId,
      userName: sql<string | null>`${nameSql('users')}`,
      tokenName: auditLog.tokenName,
      action: auditLog.action,
      subject: auditLog.subject,
      subjectName: sql<string | null>`CASE
        WHEN ${auditLog.action} LIKE 'webhook.%'
          THEN (SELECT url FROM webhookEndpoints WHERE id = ${auditLog.subject})
        WHEN ${auditLog.action} LIKE 'administrator.%' OR ${auditLog.action} LIKE 'user.%'
          THEN (SELECT ${nameSql('s')} FROM users s WHERE s.id = ${auditLog.subject}) END`,
      details: auditLog.details,
    })
    .from(auditLog)
    .innerJoin(users, eq(users.id, auditLog.userId))
    .where(
      and(
        sql`${auditLog.id} >= ${start} AND ${auditLog.id} < ${end}`,
        user ? eq(auditLog.userId, user) : undefined,
        action ? eq(auditLog.action, action) : undefined,
      ),
    )
    .orderBy(desc(auditLog.id))
    .limit(limit)
}

export type AuditEntry = Awaited<ReturnType<typeof selectAudit>>[number]

/**
 * Returns the administrator, a page of the audit log, newest first, and everyone who has acted.
 * `before` is the `next` of the page before; a page may have fewer entries than `limit` before the
 * last one.
 */
export async function readAudit(
  ctx: Pick<Ctx, 'db' | 'caller'>,
  { limit = PAGE_SIZE, ...filter }: Omit<Page, 'limit'> & { limit?: number },
) {
  const { db } = ctx
  const page = { ...filter, limit: limit + 1 }
  const { first, start } = boundsOf(page)
  const { account, rows, bounds, actors } = await readAsUser(ctx, {
    rows: selectAudit(db, page),
    bounds: raw<{ first: number; start: number }>(db)`SELECT ${first} AS first, ${start} AS start`,
    // One step in the index for each of them.
    actors: raw<{ id: number; name: string }>(db)`
        WITH RECURSIVE actors(id) AS (SELECT min(userId) FROM auditLog UNION ALL
          SELECT (SELECT min(userId) FROM auditLog WHERE userId > actors.id) FROM actors
          WHERE actors.id IS NOT NULL)
        SELECT users.id, coalesce(${nameSql('users')}, 'User ' || users.id) AS name FROM actors JOIN users ON users.id = actors.id`,
  })
  const entries = rows.slice(0, limit)
  const older = bounds.find((page) => page.start > page.first)?.start
  return { account, entries, actors, next: rows.length > limit ? entries.at(-1)?.id : older }
}

const toLine = (values: readonly unknown[]): string =>
  `${values.map((value) => `"${toCell(String(value ?? '')).replaceAll('"', '""')}"`).join(',')}\r\n`

/**
 * Returns what matches as CSV (RFC 4180), newest first. The first page is read at once, each other
 * one when the reader is ready for it.
 */
export async function exportAudit(ctx: Pick<Ctx, 'db' | 'caller'>, filter: AuditFilter) {
  const read = (before?: number) => readAudit(ctx, { ...filter, before, limit: 500 })
  let page: Awaited<ReturnType<typeof read>> | undefined = await read()
  let text = toLine(['time', 'userId', 'user', 'token', 'action', 'subject', 'details'])
  return new ReadableStream({
    async pull(controller) {
      if (!page) return controller.close()
      for (const { at, userId, userName, tokenName, action, subject, ...entry } of page.entries) {
        const details = entry.details && JSON.stringify(entry.details)
        text += toLine([at, userId, userName, tokenName, action, subject, details])
      }
      controller.enqueue(new TextEncoder().encode(text))
      text = ''
      page = page.next ? await read(page.next) : undefined
    },
  })
}
