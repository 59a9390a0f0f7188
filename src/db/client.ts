import { type Column, type GetColumnData, type Placeholder, type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
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

/**
 * Columns to select under names of their own. D1 gives each row of a batch as an object, in which
 * columns that joined tables call the same would be one.
 */
export const named = <T extends Record<string, Column>>(prefix: string, columns: T) =>
  Object.fromEntries(
    Object.entries(columns).map(([name, column]) => [
      name,
      sql`${column}`.mapWith(column).as(`${prefix}.${name}`),
    ]),
  ) as { [Name in keyof T]: SQL.Aliased<GetColumnData<T[Name]>> }

/**
 * SQL of our own, to go into a batch, and the rows that it gives. Drizzle's `db.all` cannot once
 * it has parameters.
 */
export function raw<T = unknown>(db: Database, statement: SQL): RunnableQuery<T[], 'sqlite'> {
  const all = db.all<T>(statement)
  const query = all.getQuery()
  return Object.assign(all, {
    _prepare: () => ({
      stmt: db.$client.prepare(query.sql),
      getQuery: () => query,
      mapResult: ({ results }: D1Result<T>) => results,
    }),
  })
}

/** One condition under which a write must not happen, and the error to answer with. */
export type Refusal = { when: SQL; because: () => Error }

/**
 * Runs the statements as one transaction, unless a refusal's condition holds: the first that
 * does throws its error, and nothing is written. Check and act are one trip with no gap between.
 */
export async function guarded<T extends readonly Statement[]>(
  db: Database,
  refusals: readonly Refusal[],
  statements: T,
): Promise<BatchResponse<T>> {
  const cases = refusals.map(({ when }, i) => sql`WHEN ${when} THEN ${`refusal:${i}`}`)
  const guard = raw(db, sql`INSERT INTO guard (refusal) SELECT CASE ${sql.join(cases, sql` `)} END`)
  try {
    const [, ...answers] = await db.batch([guard, ...statements])
    return answers as BatchResponse<T>
  } catch (error) {
    const refused = /\brefusal:(\d+)/.exec(String(error))
    throw (refused && refusals[Number(refused[1])]?.because()) ?? error
  }
}

/** Whether a statement failed on the constraint that is named, or on the columns of one. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  (error.message.includes(`constraint failed: ${constraint}`) || violates(error.cause, constraint))
