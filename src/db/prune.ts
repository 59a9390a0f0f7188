import { type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { Database } from './client.ts'
import { raw } from './statements.ts'

/**
 * Rows that one statement deletes at most, far below the 30 seconds that D1 gives it. A cron run each
 * minute keeps up with 14 million rows a day: what a million orders leave, and more than twice that.
 */
export const MAX_PRUNED = sql.raw('10000')

/** Returns the statement that deletes rows that nobody needs. `key`: of a table WITHOUT ROWID. */
export const prune = (db: Database, table: SQLiteTable, condition: SQL, key = sql`rowid`) =>
  raw<never>(db)`DELETE FROM ${table} WHERE (${key}) IN
    (SELECT ${key} FROM ${table} WHERE ${condition} LIMIT ${MAX_PRUNED})`
