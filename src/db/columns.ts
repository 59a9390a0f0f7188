import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Columns<T extends SQLiteTable> = T['_']['columns']

/** The columns of a table with these names, to select. */
export function columnsOf<T extends SQLiteTable, K extends string & keyof Columns<T>>(
  table: T,
  names: readonly K[],
) {
  const columns = getTableColumns(table)
  return Object.fromEntries(names.map((name) => [name, columns[name]])) as Pick<Columns<T>, K>
}
