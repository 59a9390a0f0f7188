/** The database of a deployed instance, as wrangler reaches it with the operator's account. */
import type { BaseSQLiteDatabase } from 'drizzle-orm/sqlite-core'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { runWrangler } from '../wrangler/run.ts'

/** What local and deployed databases have in common: one statement at a time. */
export type Store = BaseSQLiteDatabase<'async', unknown, Record<string, never>>

export const openRemote = (environment: string): Store =>
  drizzle(async (sql, params) => {
    const output = await runWrangler([
      ...['d1', 'execute', 'DB', '--remote', '--env', environment, '--json', '--yes'],
      ...['--command', withValues(sql, params)],
    ])
    const [{ results }] = JSON.parse(output) as [{ results: Record<string, unknown>[] }]
    return { rows: results.map((row) => Object.values(row)) }
  })

/** Wrangler's command takes no parameters. Drizzle's SQL has a `?` for each, and no other. */
function withValues(sql: string, params: readonly unknown[]): string {
  const values = params.values()
  return sql.replaceAll('?', () => literal(values.next().value))
}

function literal(value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (typeof value === 'number') return String(value)
  return `'${String(value).replaceAll("'", "''")}'`
}
