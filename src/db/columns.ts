import { getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Columns<T extends SQLiteTable> = T['_']['columns']

/**
 * The columns of a table that an answer shows, to select. Answers are allow-lists: a column that the
 * schema does not name is never read.
 *
 * @example db.select(columnsOf(addresses, BillingAddress)).from(addresses)
 */
export function columnsOf<T extends SQLiteTable, K extends string & keyof Columns<T>>(
  table: T,
  answer: { shape: Record<K, unknown> } | readonly K[],
) {
  const columns = getTableColumns(table)
  return Object.fromEntries(
    ('shape' in answer ? Object.keys(answer.shape) : answer).map((name) => [name, columns[name]]),
  ) as Pick<Columns<T>, K>
}
