import { type SQL, sql } from 'drizzle-orm'

/** A condition that stops a transaction, and the error to throw. */
export type Guard = { when: SQL; error: () => Error }

/**
 * The statement that stops a transaction if the condition of a guard holds. A trigger on the view
 * `guard` raises the inserted text as an error, unless it is NULL.
 */
export function guardSql(guards: readonly Guard[]): SQL {
  const cases = guards.map(({ when }, i) => sql`WHEN ${when} THEN ${sql.raw(`'guard:${i}'`)}`)
  return sql`INSERT INTO guard (failure) SELECT CASE ${sql.join(cases, sql` `)} END`
}

/** Returns the error of the guard that has stopped a transaction; undefined if none has. */
export function readGuardError(guards: readonly Guard[], error: unknown): Error | undefined {
  const match = /\bguard:(\d+)/.exec(String(error))
  return match ? guards[Number(match[1])]?.error() : undefined
}
