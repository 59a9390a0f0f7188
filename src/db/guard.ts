import type { Query, SQL } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { BoundStatement, type Database, type Statement, toQuery } from './client.ts'

/**
 * A condition that stops a transaction, and the error to throw. `when` is SQL, or the `Query` that
 * `preparedCondition` returns.
 */
export type Guard = { when: SQL | Query; error: () => Error }

/**
 * Runs the statements as one transaction. If the condition of a guard holds, nothing is written
 * and the error of the first such guard is thrown. The check and the write are one trip, so no
 * other request can change the data between them.
 */
export async function guardedBatch<const T extends readonly Statement[]>(
  db: Database,
  guards: readonly Guard[],
  statements: T,
): Promise<BatchResponse<T>> {
  try {
    const [, ...results] = await db.batch([guardStatement(db, guards), ...statements])
    return results as BatchResponse<T>
  } catch (error) {
    throw readGuardError(guards, error) ?? error
  }
}

/** Returns the error of the guard that has stopped a transaction; undefined if none has. */
export function readGuardError(guards: readonly Guard[], error: unknown): Error | undefined {
  const match = /\bguard:(\d+)/.exec(String(error))
  return match ? guards[Number(match[1])]?.error() : undefined
}

/** A trigger on the view `guard` raises the inserted text as an error, unless it is NULL. */
export function guardStatement(db: Database, guards: readonly Guard[]) {
  const queries = guards.map(({ when }) => ('params' in when ? when : toQuery(db, when)))
  const cases = queries.map(({ sql }, i) => `WHEN ${sql} THEN 'guard:${i}'`)
  return new BoundStatement<never[]>(
    db,
    {
      sql: `INSERT INTO guard (failure) SELECT CASE ${cases.join(' ')} END`,
      params: queries.flatMap(({ params }) => params),
    },
    () => [],
  )
}
