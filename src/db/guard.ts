import type { Query, SQL } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { Bound, type Database, queryOf, type Statement } from './client.ts'

/**
 * One condition under which a write must not happen, and the error to answer with. A `Query` is a
 * condition whose SQL is there already, by `condition` of prepared.ts.
 */
export type Refusal = { when: SQL | Query; because: () => Error }

/**
 * Runs the statements as one transaction, unless a refusal's condition holds: the first that
 * does throws its error, and nothing is written. Check and act are one trip with no gap between.
 */
export async function guarded<T extends readonly Statement[]>(
  db: Database,
  refusals: readonly Refusal[],
  statements: T,
): Promise<BatchResponse<T>> {
  try {
    const [, ...answers] = await db.batch([guard(db, refusals), ...statements])
    return answers as BatchResponse<T>
  } catch (error) {
    const refused = /\brefusal:(\d+)/.exec(String(error))
    throw (refused && refusals[Number(refused[1])]?.because()) ?? error
  }
}

/** The trigger on the view `guard` makes an error of what is put into it, unless it is null. */
function guard(db: Database, refusals: readonly Refusal[]) {
  const queries = refusals.map(({ when }) => ('params' in when ? when : queryOf(db, when)))
  const cases = queries.map(({ sql }, i) => `WHEN ${sql} THEN 'refusal:${i}'`)
  return new Bound<never[]>(
    db,
    {
      sql: `INSERT INTO guard (refusal) SELECT CASE ${cases.join(' ')} END`,
      params: queries.flatMap(({ params }) => params),
    },
    () => [],
  )
}
