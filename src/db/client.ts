import { type Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'

type D1 = Pick<D1Database, 'prepare' | 'batch'>

export type Database = DrizzleD1Database & { $client: D1 }

/** Number of trips to the database. A batch counts as one. */
export type Trips = { count: number }

/** Drizzle over D1, or over a D1 session (`env.DB.withSession(bookmark)`). */
export function connect(d1: D1, trips: Trips = { count: 0 }): Database {
  const client: D1 = {
    prepare: (query) => d1.prepare(query),
    batch: (statements) => {
      trips.count++
      return d1.batch(statements)
    },
  }
  // Drizzle uses only these two methods of D1Database. It calls the logger for single queries only.
  return drizzle(client as D1Database, { logger: { logQuery: () => void trips.count++ } })
}

/** Anything that `db.batch` accepts. */
export type Statement = BatchItem<'sqlite'>

/** The elements of a JSON array, for `inArray`. One bound value holds a list of any length. */
export const jsonValues = (json: Placeholder): SQL => sql`(SELECT value FROM json_each(${json}))`

/** A statement with finished SQL and bound values, ready for `db.batch`. */
export class BoundStatement<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #db: Database
  readonly #query: Query
  readonly #mapResult: (result: D1Result) => unknown

  constructor(db: Database, query: Query, mapResult: (result: D1Result) => unknown) {
    this.#db = db
    this.#query = query
    this.#mapResult = mapResult
  }

  /** Called by Drizzle's `batch` for each of its items. */
  _prepare() {
    return {
      stmt: this.#db.$client.prepare(this.#query.sql),
      getQuery: () => this.#query,
      mapResult: this.#mapResult,
    }
  }
}

/** The SQL text and the bound values of an expression. */
export const toQuery = (db: Database, expression: SQL): Query => db.all(expression).getQuery()

/**
 * Handwritten SQL for `db.batch`, with the rows that it returns. Drizzle's `db.all` loses the
 * parameters in a batch.
 */
export const raw = <Row = unknown>(db: Database, statement: SQL) =>
  new BoundStatement<Row[]>(db, toQuery(db, statement), ({ results }) => results)

/**
 * What D1 says if it cannot work at the moment ("List of D1_ERRORs" in its documentation), and what
 * its emulation says if another process uses the database.
 */
const transient =
  /Network connection lost|reset because its code was updated|caused object to be reset|D1 DB is overloaded|due to transient issue|client disconnected|database is locked|Failed to get session commit token/

/** Whether a statement may succeed if it is repeated. It may have succeeded already. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error && (transient.test(error.message) || isTransient(error.cause))

/** Whether a statement failed on this constraint: its name, or the columns of a unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  (error.message.includes(`constraint failed: ${constraint}`) || violates(error.cause, constraint))
