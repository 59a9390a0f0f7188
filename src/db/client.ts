import { type Placeholder, type Query, type SQL, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'

type D1 = Pick<D1Database, 'prepare' | 'batch'>

export type Database = DrizzleD1Database & { $client: D1 }

/** How often the database was asked, a batch counting once. */
export type Trips = { count: number }

/** Drizzle over D1, or over a session of it (`env.DB.withSession(bookmark)`). */
export function connect(d1: D1, trips: Trips = { count: 0 }): Database {
  const client: D1 = {
    prepare: (query) => d1.prepare(query),
    batch: (statements) => {
      trips.count++
      return d1.batch(statements)
    },
  }
  // Drizzle uses no more of D1Database than that, and logs a query only outside a batch.
  return drizzle(client as D1Database, { logger: { logQuery: () => void trips.count++ } })
}

export type Statement = BatchItem<'sqlite'>

/** The values of a JSON array, for `inArray`: a list of any length is one bound value. */
export const each = (json: Placeholder): SQL => sql`(SELECT value FROM json_each(${json}))`

/** A statement whose SQL is there already, with its values, to go into a batch. */
export class Bound<Result> implements RunnableQuery<Result, 'sqlite'> {
  declare readonly _: { readonly dialect: 'sqlite'; readonly result: Result }
  readonly #db: Database
  readonly #query: Query
  readonly #mapResult: (result: D1Result<Row>) => unknown

  constructor(db: Database, query: Query, mapResult: (result: D1Result<Row>) => unknown) {
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

/** A row as D1 gives it. */
export type Row = Record<string, unknown>

/** The text and the values of a piece of SQL. */
export const queryOf = (db: Database, piece: SQL): Query => db.all(piece).getQuery()

/**
 * SQL of our own, to go into a batch, and the rows that it gives. Drizzle's `db.all` cannot once
 * it has parameters.
 */
export const raw = <T = unknown>(db: Database, statement: SQL) =>
  new Bound<T[]>(db, queryOf(db, statement), ({ results }) => results)

/** Whether a statement failed on the constraint that is named, or on the columns of one. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  (error.message.includes(`constraint failed: ${constraint}`) || violates(error.cause, constraint))
