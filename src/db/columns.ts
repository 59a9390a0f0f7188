import { getTableColumns, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Columns<T extends SQLiteTable> = T['_']['columns']

/**
 * Returns the columns of a table that an answer shows, to select. Answers are allow-lists: a column
 * that the schema does not name is never read.
 *
 * @example db.select(shownColumns(addresses, BillingAddress)).from(addresses)
 */
export function shownColumns<T extends SQLiteTable, K extends string & keyof Columns<T>>(
  table: T,
  { shape }: { shape: Record<K, unknown> },
) {
  const columns = getTableColumns(table)
  return Object.fromEntries(Object.keys(shape).map((name) => [name, columns[name]])) as Pick<
    Columns<T>,
    K
  >
}

/** The row that a SELECT of `namedColumns` returns. */
export type NamedRow<Named extends Record<string, SQL>> = {
  [Name in keyof Named]: Named[Name]['_']['type']
}

/** Returns expressions as the columns of a handwritten SELECT, each with its name. */
export const namedColumns = (columns: Record<string, SQL>): SQL =>
  sql.join(
    Object.entries(columns).map(([name, value]) => sql`${value} AS ${sql.identifier(name)}`),
    sql`, `,
  )
