import { Column, type GetColumnData, getTableColumns, is, type SQL, sql } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'

type Columns<T extends SQLiteTable> = T['_']['columns']

/**
 * Returns the columns of a table that an answer shows, to select. Answers are allow-lists: a column
 * that the schema does not name is never read. Their other fields are not of this table.
 *
 * @example db.select(shownColumns(addresses, BillingAddress)).from(addresses)
 */
export function shownColumns<T extends SQLiteTable, K extends string>(
  table: T,
  { shape }: { shape: Record<K, unknown> },
) {
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => name in shape)
  return Object.fromEntries(columns) as Pick<Columns<T>, K & keyof Columns<T>>
}

type Selected = Readonly<Record<string, Column | SQL>>
type ValueOf<S extends Column | SQL> = S extends Column
  ? GetColumnData<S>
  : S extends SQL<infer T>
    ? T
    : never

/** The row that a SELECT of these columns returns. */
export type RowOf<Columns extends Selected> = { [Name in keyof Columns]: ValueOf<Columns[Name]> }

/**
 * Returns columns of joined tables, to select them with the prefix and their key as names. D1 returns rows as
 * objects, so two columns of the same name would become one.
 *
 * @example db.select({ order: prefixed('order', orderColumns), nft: prefixed('nft', nftColumns) })
 */
export function prefixed<Columns extends Selected>(prefix: string, columns: Columns) {
  const entries = Object.entries(columns).map(([key, column]) => {
    const value = is(column, Column) ? sql`${column}`.mapWith(column) : column
    return [key, value.as(`${prefix}_${key}`)]
  })
  return Object.fromEntries(entries) as {
    [Name in keyof Columns]: SQL.Aliased<ValueOf<Columns[Name]>>
  }
}
