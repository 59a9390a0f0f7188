/**
 * Columns that tables share. Columns have the names of the fields in the API's JSON. Timestamps are ISO 8601
 * UTC text with milliseconds, which sorts by time. Wei and ETH are decimal text, because D1 rounds integers
 * above 2^53. Money is an integer in minor units of its currency (ISO 4217).
 *
 * The triggers, and the view `guard` that stops a batch, are in `migrations/0001_triggers.sql`.
 */
import { sql } from 'drizzle-orm'
import { type AnySQLiteColumn, integer, text } from 'drizzle-orm/sqlite-core'

/**
 * The id that SQLite gives a row: one more than the highest. No AUTOINCREMENT, which costs a second write.
 * Of the tables with it, rows are deleted from addresses and findings alone, and the newest stays, so no id
 * is used again.
 *
 * Other tables have the id of another row (a delivery that of its order item), a time (events: microseconds), a
 * UUID (reservations, tokens, webhook endpoints, imports), or columns that name the row (the others).
 */
export const idColumn = () => integer().primaryKey()
/** A time, as `2026-01-31T12:00:00.000Z`. */
export const timestamp = () => text()
/** A boolean, stored as 0 or 1. */
export const boolean = () => integer({ mode: 'boolean' })
/** The id of a row of another table. */
export const reference = (column: () => AnySQLiteColumn) => integer().notNull().references(column)
export const timestampColumns = {
  createdAt: timestamp().notNull(),
  updatedAt: timestamp().notNull(),
}
/** Returns the condition of a check: the column has one of these values. */
export const isOneOfSql = (column: AnySQLiteColumn, values: readonly string[]) =>
  sql`${column} IN (${sql.raw(values.map((value) => `'${value}'`).join(', '))})`
