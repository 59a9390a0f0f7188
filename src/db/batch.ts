/** Runs statements in one trip, as one transaction, and gives their results names. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { raw, type Statement, type StatementOf } from './statements.ts'

/** A condition that stops a transaction, and the error to throw. */
export type Guard = { when: SQL; error: () => Error }

/** Statements by name. A list of statements has one name, and its rows are joined. */
export type NamedStatements = Readonly<Record<string, Statement | readonly Statement[] | undefined>>

type ResultOf<S> =
  S extends StatementOf<infer Result>
    ? Result
    : S extends readonly StatementOf<infer Result>[]
      ? Result
      : []

/** The rows of each statement, under its name. Empty for one that is undefined. */
export type Results<Statements extends NamedStatements> = {
  [Name in keyof Statements]: ResultOf<Exclude<Statements[Name], undefined>>
}

/**
 * Runs the statements in their order.
 *
 * @example
 * const { user, addresses } = await batch(db, { user: selectUser(db, 3), addresses: selectAll(db) })
 */
export async function batch<const Statements extends NamedStatements>(
  db: Database,
  statements: Statements,
): Promise<Results<Statements>> {
  const [first, ...others] = listOf(statements)
  // D1 rejects an empty batch.
  return nameResults(statements, first ? await db.batch([first, ...others]) : [])
}

/**
 * Runs the statements in their order. If the condition of a guard holds, nothing is written and the
 * error of the first such guard is thrown. The check and the write are one trip, so no other request
 * can change the data between them.
 */
export async function guarded<const Statements extends NamedStatements>(
  db: Database,
  guards: readonly Guard[],
  statements: Statements,
): Promise<Results<Statements>> {
  try {
    const stop = raw<never>(db)`${guardSql(guards)}`
    const [, ...results] = await db.batch([stop, ...listOf(statements)])
    return nameResults(statements, results)
  } catch (error) {
    throw readGuardError(guards, error) ?? error
  }
}

/**
 * The statement that stops a transaction if the condition of a guard holds. A trigger on the view
 * `guard` raises the inserted text as an error, unless it is NULL.
 */
function guardSql(guards: readonly Guard[]): SQL {
  const cases = guards.map(({ when }, i) => sql`WHEN ${when} THEN ${sql.raw(`'guard:${i}'`)}`)
  return sql`INSERT INTO guard (failure) SELECT CASE ${sql.join(cases, sql` `)} END`
}

/** Returns the error of the guard that has stopped a transaction; undefined if none has. */
function readGuardError(guards: readonly Guard[], error: unknown): Error | undefined {
  const match = /\bguard:(\d+)/.exec(String(error))
  return match ? guards[Number(match[1])]?.error() : undefined
}

const listOf = (statements: NamedStatements): Statement[] =>
  Object.values(statements).flatMap((statement) => statement ?? [])

/** Gives each statement its rows, in the order of `listOf`. */
function nameResults<Statements extends NamedStatements>(
  statements: Statements,
  results: readonly unknown[],
): Results<Statements> {
  const left = results.values()
  const named = Object.entries(statements).map(([name, statement]) => {
    if (!Array.isArray(statement)) return [name, statement ? left.next().value : []]
    return [name, statement.flatMap(() => left.next().value)]
  })
  return Object.fromEntries(named)
}
