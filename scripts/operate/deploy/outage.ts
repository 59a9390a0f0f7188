/** How long migrations may take the database out of service: announced, and confirmed if it is long. */
import { readFile } from 'node:fs/promises'
import { sql } from 'drizzle-orm'
import { confirm } from '../../shell/ask.ts'
import { CommandError } from '../../shell/command.ts'
import type { SqliteDatabase } from '../database/remote.ts'

/** Rows of a table above which a person has to confirm. */
const MANY_ROWS = 1_000_000

const TRIGGER = /\bCREATE\s+TRIGGER\b[\s\S]*?\bEND\s*;/gi
const TOUCHING =
  /\b(?:ALTER\s+TABLE|DROP\s+TABLE(?:\s+IF\s+EXISTS)?|UPDATE(?:\s+OR\s+\w+)?|DELETE\s+FROM|INTO|FROM|CREATE\s+(?:UNIQUE\s+)?INDEX\s+(?:IF\s+NOT\s+EXISTS\s+)?\S+\s+ON)\s+[`"]?(\w+)/gi

/** Returns the names of tables that the statements of a migration index, change or copy from. */
export function findTouchedTables(migration: string): string[] {
  const statements = migration.replaceAll(/--.*|'[^']*'/g, '').replaceAll(TRIGGER, '')
  return [...new Set([...statements.matchAll(TOUCHING)].map(([, table = '']) => table))]
}

/**
 * Prints what is pending, and the rows of the tables that it touches. Throws a `CommandError` if there are
 * many and nobody confirms.
 */
export async function announceOutage(
  db: SqliteDatabase,
  pending: readonly string[],
  isConfirmed: boolean,
): Promise<void> {
  console.log(
    `D1 serves nothing while a migration runs: calls get 503 try_later, which shops repeat. Pending: ${pending.join(', ')}.`,
  )
  const texts = await Promise.all(pending.map((file) => readFile(`migrations/${file}`, 'utf8')))
  const existing = await db.all<[string]>(sql`SELECT name FROM sqlite_master WHERE type = 'table'`)
  const touched = new Set(texts.flatMap(findTouchedTables))
  const rows: number[] = []
  for (const [table] of existing.filter(([name]) => touched.has(name))) {
    const [[count = 0] = []] = await db.all<[number]>(
      sql`SELECT count(*) FROM ${sql.identifier(table)}`,
    )
    console.log(`  ${table}: ${count} rows`)
    rows.push(count)
  }
  if (isConfirmed || Math.max(0, ...rows) <= MANY_ROWS) return
  if (!process.stdin.isTTY)
    throw new CommandError(
      `A table has more than ${MANY_ROWS} rows. Nothing was migrated. Choose a quiet hour, and add --yes to go on.`,
    )
  if (!(await confirm('A table is large, and the outage may take minutes. Go on?')))
    throw new CommandError('Nothing was migrated.')
}
