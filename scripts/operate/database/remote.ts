/** The database of a deployed instance. Wrangler connects to it with the operator's account. */
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { databaseOptions, runWrangler } from '../../shell/wrangler.ts'

/** What local and remote databases have in common. Remote ones support no batches. */
export type SqliteDatabase = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

export const openRemoteDatabase = (environment: string): SqliteDatabase =>
  drizzle(async (sql, params) => {
    const output = await runWrangler([
      ...['d1', 'execute', 'DB', ...databaseOptions(environment), '--json', '--yes'],
      ...['--command', inlineValues(sql, params)],
    ])
    const [{ results }] = JSON.parse(output) as [{ results: Record<string, unknown>[] }]
    return { rows: results.map((row) => Object.values(row)) }
  })

/** `wrangler d1 execute` takes no parameters. Drizzle's SQL has a `?` for each, and no other `?`. */
function inlineValues(sql: string, params: readonly unknown[]): string {
  const values = params.values()
  return sql.replaceAll('?', () => literal(values.next().value))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `'${String(value).replaceAll("'", "''")}'`
}
