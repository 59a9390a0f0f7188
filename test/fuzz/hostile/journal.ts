/** Records every change of a row with triggers, so that each can be judged. */
import { env } from 'cloudflare:workers'
import { onTestFinished } from 'vitest'

export type Row = Record<string, unknown>

/** `before` is null for a new row, `after` for a deleted one. */
export type Change = { table: string; before: Row | null; after: Row | null }

/** Creates the triggers, until the test is finished. */
export async function startJournal(): Promise<void> {
  const { results } = await env.DB.prepare(
    `SELECT t.name AS "table", c.name AS "column" FROM sqlite_master t, pragma_table_info(t.name) c
     WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite%' AND t.name NOT LIKE '\\_cf%' ESCAPE '\\'
       AND t.name <> 'd1_migrations'`,
  ).all<{ table: string; column: string }>()
  const tables = [...Map.groupBy(results, ({ table }) => table)]
  const triggers = tables.flatMap(([table, columns]) =>
    ['INSERT', 'UPDATE', 'DELETE'].map((event) => {
      const rowOf = (name: string) =>
        `json_object(${columns.map(({ column }) => `'${column}', ${name}."${column}"`).join(', ')})`
      const before = event === 'INSERT' ? 'NULL' : rowOf('OLD')
      const after = event === 'DELETE' ? 'NULL' : rowOf('NEW')
      const name = `journal_${table}_${event}`
      const sql = `CREATE TRIGGER "${name}" AFTER ${event} ON "${table}"
        BEGIN INSERT INTO journal VALUES ('${table}', ${before}, ${after}); END`
      return { name, sql }
    }),
  )
  const run = (statements: string[]) => env.DB.batch(statements.map((sql) => env.DB.prepare(sql)))
  await run([
    'CREATE TABLE journal ("table" TEXT, before TEXT, after TEXT)',
    ...triggers.map(({ sql }) => sql),
  ])
  onTestFinished(async () => {
    const dropped = triggers.map(({ name }) => `DROP TRIGGER "${name}"`)
    await run([...dropped, 'DROP TABLE journal'])
  })
}

/** Returns the changes since the last call, in their order. */
export async function takeChanges(): Promise<Change[]> {
  const [rows] = await env.DB.batch<{ table: string; before: string; after: string }>([
    env.DB.prepare('SELECT "table", before, after FROM journal ORDER BY rowid'),
    env.DB.prepare('DELETE FROM journal'),
  ])
  return (rows?.results ?? []).map(({ table, before, after }) => ({
    table,
    before: JSON.parse(before),
    after: JSON.parse(after),
  }))
}

/** The names of the columns that a change sets to another value. */
export const changedColumns = ({ before, after }: Change): string[] =>
  Object.keys({ ...before, ...after }).filter((name) => before?.[name] !== after?.[name])
