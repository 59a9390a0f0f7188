import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import type { ZodObject } from 'zod'

type Columns<T extends SQLiteTable> = T['_']['columns']

/**
 * The columns of a table that a schema names, to select. Answers are allow-lists: a column without
 * a field in the schema is never read. Fields without a column of their name are left out.
 */
export function columnsOf<T extends SQLiteTable, S extends ZodObject>(table: T, schema: S) {
  const columns = getTableColumns(table)
  const names = Object.keys(schema.shape).filter((name) => name in columns)
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<
    Columns<T>,
    keyof S['shape'] & keyof Columns<T>
  >
}
