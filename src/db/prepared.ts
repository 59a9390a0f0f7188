/**
 * Statements whose SQL is built once per isolate. Building SQL with Drizzle adds 30 % (a list) to
 * 70 % (an order) to a minimal request. Drizzle's own `.prepare()` does not help: it is bound to
 * one D1 client, and every request has its own D1 session.
 */
import { fillPlaceholders, type Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import { BoundStatement, connect, type Database, toQuery } from './client.ts'

/** The values of a prepared statement, by name. */
export type Placeholders<Values> = { [Name in keyof Values]: Placeholder<string, Values[Name]> }

type Buildable<Result> = RunnableQuery<Result, 'sqlite'> &
  (PreparedQuery | { prepare(): PreparedQuery })

/** Drizzle needs a client to build SQL, but does not use it. */
const builder = connect({
  prepare: (): never => ({}) as never,
  batch: () => Promise.reject(new Error('prepared statements run through db.batch')),
})

/**
 * Builds a statement at its first use and only binds values from then on. Drizzle encodes the
 * values of an INSERT by their columns; everywhere else pass what SQLite stores, as 0 or 1 for a
 * boolean. Two selected columns must not have the same name: D1 returns rows as objects.
 *
 * @example
 * const findAddresses = prepared((db, values: Placeholders<{ userId: number }>) =>
 *   db.select().from(addresses).where(eq(addresses.userId, values.userId)))
 * const [rows] = await db.batch([findAddresses(db, { userId: 3 })])
 */
export function prepared<Values extends Record<string, unknown>, Result>(
  build: (db: Database, values: Placeholders<Values>) => Buildable<Result>,
): (db: Database, values: Values) => BoundStatement<Result> {
  let statement: { query: Query; mapResult: PreparedQuery['mapResult'] } | undefined
  return (db, values) => {
    statement ??= finish(build(builder, placeholders()))
    return new BoundStatement(db, fill(statement.query, values), statement.mapResult)
  }
}

/** A condition for `guardedBatch`, built at its first use like a prepared statement. */
export function preparedCondition<Values extends Record<string, unknown>>(
  build: (db: Database, values: Placeholders<Values>) => SQL,
): (values: Values) => Query {
  let query: Query | undefined
  return (values) => {
    query ??= toQuery(builder, build(builder, placeholders()))
    return fill(query, values)
  }
}

const fill = ({ sql, params }: Query, values: Record<string, unknown>): Query => ({
  sql,
  params: fillPlaceholders(params, values),
})

function placeholders<Values>(): Placeholders<Values> {
  return new Proxy({} as Placeholders<Values>, { get: (_, name) => sql.placeholder(String(name)) })
}

function finish(statement: Buildable<unknown>) {
  const prepared = 'prepare' in statement ? statement.prepare() : statement
  // `getQuery` of handwritten SQL builds the text at each call.
  return { query: prepared.getQuery(), mapResult: prepared.mapResult.bind(prepared) }
}
