/** Runs statements in one trip, as one transaction, and gives their results names. */
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { Database, Statement } from './client.ts'
import { type Guard, guardStatement, readGuardError } from './guard.ts'

/** Statements by name. A list of statements has one name, and its rows are joined. */
export type NamedStatements = Readonly<Record<string, Statement | readonly Statement[] | undefined>>

type ResultOf<S> =
  S extends RunnableQuery<infer Result, 'sqlite'>
    ? Result
    : S extends readonly RunnableQuery<infer Result, 'sqlite'>[]
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
  return name(statements, await run(db, toList(statements)))
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
    const [, ...results] = await run(db, [guardStatement(db, guards), ...toList(statements)])
    return name(statements, results)
  } catch (error) {
    throw readGuardError(guards, error) ?? error
  }
}

const toList = (statements: NamedStatements): Statement[] =>
  Object.values(statements).flatMap((statement) => statement ?? [])

/** D1 rejects an empty batch. */
const run = async (db: Database, statements: readonly Statement[]): Promise<unknown[]> => {
  const [first, ...others] = statements
  return first ? db.batch([first, ...others]) : []
}

function name<Statements extends NamedStatements>(
  statements: Statements,
  results: readonly unknown[],
): Results<Statements> {
  const left = results.values()
  const named = Object.entries(statements).map(([key, statement]) => {
    if (!Array.isArray(statement)) return [key, statement ? left.next().value : []]
    return [key, statement.flatMap(() => left.next().value)]
  })
  return Object.fromEntries(named)
}
