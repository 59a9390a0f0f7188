import { fillPlaceholders, type Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import { Bound, connect, type Database, queryOf, type Row } from './client.ts'

/** The values that a prepared statement is given, by name. */
export type Placeholders<Values> = { [Name in keyof Values]: Placeholder<string, Values[Name]> }
export type Buildable<Result> = RunnableQuery<Result, 'sqlite'> &
  (PreparedQuery | { prepare(): PreparedQuery })

/** Builders want a client, but use none before they run. */
const builder = connect({
  prepare: (): never => ({}) as never,
  batch: () => Promise.reject(new Error('this statement was made to be bound')),
})

/**
 * A statement whose SQL is built at its first use and from then on only bound: to build one takes
 * Drizzle a tenth to a half of the time of a trip. Only the values of an insert are encoded as
 * their columns want; elsewhere they go to D1 as they are, so a boolean is 0 or 1.
 *
 * Rows are mapped by Drizzle, or by `ofRow`, which gets them as D1 gives them and should be used
 * where a request reads many columns: Drizzle looks for the way to each value of each row anew.
 *
 * @example
 * const addressesOf = prepared((db, at: Placeholders<{ userId: number }>) =>
 *   db.select().from(addresses).where(eq(addresses.userId, at.userId)))
 * await db.batch([addressesOf(db, { userId: 3 })])
 */
export function prepared<Values extends Record<string, unknown>, Result>(
  build: (db: Database, at: Placeholders<Values>) => Buildable<Result>,
): (db: Database, values: Values) => Bound<Result>
export function prepared<Values extends Record<string, unknown>, Mapped>(
  build: (db: Database, at: Placeholders<Values>) => Buildable<unknown>,
  ofRow: (row: Row) => Mapped,
): (db: Database, values: Values) => Bound<Mapped[]>
export function prepared<Values extends Record<string, unknown>>(
  build: (db: Database, at: Placeholders<Values>) => Buildable<unknown>,
  ofRow?: (row: Row) => unknown,
) {
  let statement: { query: Query; mapResult: PreparedQuery['mapResult'] } | undefined
  return (db: Database, values: Values) => {
    statement ??= built(build(builder, placeholders()))
    const { query, mapResult } = statement
    return new Bound(
      db,
      filled(query, values),
      ofRow ? ({ results }) => results.map(ofRow) : mapResult,
    )
  }
}

/** A condition for `guarded`, whose SQL is built at its first use as that of a statement is. */
export function condition<Values extends Record<string, unknown>>(
  build: (db: Database, at: Placeholders<Values>) => SQL,
): (values: Values) => Query {
  let query: Query | undefined
  return (values) => {
    query ??= queryOf(builder, build(builder, placeholders()))
    return filled(query, values)
  }
}

const filled = ({ sql, params }: Query, values: Record<string, unknown>): Query => ({
  sql,
  params: fillPlaceholders(params, values),
})

function placeholders<Values>(): Placeholders<Values> {
  return new Proxy({} as Placeholders<Values>, { get: (_, name) => sql.placeholder(String(name)) })
}

function built(statement: Buildable<unknown>) {
  const query = 'prepare' in statement ? statement.prepare() : statement
  return { query: query.getQuery(), mapResult: query.mapResult.bind(query) }
}
