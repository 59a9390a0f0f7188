import { type SQL, sql } from 'drizzle-orm'
import type { BatchItem, BatchResponse } from 'drizzle-orm/batch'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'

type D1 = Pick<D1Database, 'prepare' | 'batch'>

export type Database = DrizzleD1Database & { $client: D1 }

/** Drizzle over D1, or over a session of it (`env.DB.withSession(bookmark)`). */
export const connect = (d1: D1): Database =>
  // A session has the part of D1Database that Drizzle uses: `prepare` and `batch`.
  drizzle(d1 as D1Database)

export type Statement = BatchItem<'sqlite'>

/** SQL of our own, to go into a batch. Drizzle's `db.run` cannot once it has parameters. */
function raw(db: Database, statement: SQL): Statement {
  const run = db.run(statement)
  const query = run.getQuery()
  return Object.assign(run, {
    _prepare: () => ({
      stmt: db.$client.prepare(query.sql),
      getQuery: () => query,
      mapResult: (result: unknown) => result,
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
