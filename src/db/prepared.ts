import { fillPlaceholders, type Placeholder, type Query, sql } from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import { connect, type Database } from './client.ts'

/** A statement with its values, to go into a batch. */
class Bound<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #db: Database
  readonly #query: Query
  readonly #mapResult: PreparedQuery['mapResult']

  constructor(db: Database, query: Query, mapResult: PreparedQuery['mapResult']) {
    this.#db = db
    this.#query = query
    this.#mapResult = mapResult
  }

  /** What Drizzle's `batch` asks of each of its items. */
  _prepare() {
    return {
      stmt: this.#db.$client.prepare(this.#query.sql),
      getQuery: () => this.#query,
      mapResult: this.#mapResult,
    }
  }
}

/** The values that a prepared statement is given, by name. */
export type Placeholders<Values> = { [Name in keyof Values]: Placeholder<string, Values[Name]> }
type Buildable<Result> = RunnableQuery<Result, 'sqlite'> &
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
 * @example
 * const addressesOf = prepared((db, at: Placeholders<{ userId: number }>) =>
 *   db.select().from(addresses).where(eq(addresses.userId, at.userId)))
 * await db.batch([addressesOf(db, { userId: 3 })])
 */
export function prepared<Values extends Record<string, unknown>, Result>(
  build: (db: Database, at: Placeholders<Values>) => Buildable<Result>,
): (db: Database, values: Values) => Bound<Result> {
  let statement: { query: Query; mapResult: PreparedQuery['mapResult'] } | undefined
  return (db, values) => {
    statement ??= built(build(builder, placeholders()))
    const { query, mapResult } = statement
    return new Bound(db, { ...query, params: fillPlaceholders(query.params, values) }, mapResult)
  }
}

function placeholders<Values>(): Placeholders<Values> {
  return new Proxy({} as Placeholders<Values>, { get: (_, name) => sql.placeholder(String(name)) })
}

function built(statement: Buildable<unknown>) {
  const query = 'prepare' in statement ? statement.prepare() : statement
  return { query: query.getQuery(), mapResult: query.mapResult.bind(query) }
}
