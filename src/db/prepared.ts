/** Reads several tables with one statement. */
import {
  fillPlaceholders,
  isSQLWrapper,
  type Query,
  type SQL,
  type SQLWrapper,
  sql,
} from 'drizzle-orm'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import type { StatementOf } from './batch.ts'
import { connect, type Database } from './client.ts'

type Buildable<Result> = RunnableQuery<Result, 'sqlite'> &
  (PreparedQuery | { prepare(): PreparedQuery })
const builder = connect({
  prepare: (): never => ({}) as never,
  batch: () => Promise.reject(new Error()),
})
const bound = <Result>(db: Database, query: Query, mapResult: (result: D1Result) => unknown) =>
  ({
    _prepare: () => ({ stmt: db.$client.prepare(query.sql), getQuery: () => query, mapResult }),
  }) as unknown as StatementOf<Result>
const standIns = <Values>() =>
  new Proxy({} as Values & object, { get: (_, name) => sql.placeholder(String(name)) })
const toQuery = (db: Database, expression: SQL): Query => db.all(expression).getQuery()

/** A SELECT that Drizzle has built. */
export type Select<Row> = Buildable<Row[]> & SQLWrapper & { readonly _: { selectedFields: object } }
type Rows<Selects> = {
  [Name in keyof Selects]: Selects[Name] extends Select<infer R> ? R[] : never
}

/** Arguments that D1 allows a function to have, and terms a compound SELECT. */
const MAX_ARGUMENTS = 32
const MAX_TERMS = 5

const chunks = <T>(values: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(values.length / size) }, (_, i) =>
    values.slice(i * size, (i + 1) * size),
  )

/**
 * Prepares SELECTs as one statement, so that what they have in common, such as the ids of a page, is
 * found once: `shared` are its common table expressions. The statement has a row for each of theirs,
 * with its number and its values as JSON.
 */
export function preparedTables<
  Values extends Record<string, unknown>,
  Selects extends Record<string, Select<unknown>>,
>(
  build: (db: Database, values: Values) => { shared?: SQL; selects: Selects },
): (db: Database, values: Values) => StatementOf<Rows<Selects>> {
  let statement: { query: Query; mapResult: (result: D1Result) => unknown } | undefined
  return (db, values) => {
    statement ??= together(build(builder, standIns()))
    return bound(db, fill(statement.query, values), statement.mapResult)
  }
}

function together({ shared, selects }: { shared?: SQL; selects: Record<string, Select<unknown>> }) {
  const tables = Object.values(selects).map((select, number) => {
    const columns = Array.from({ length: countFields(select._.selectedFields) }, (_, i) => `c${i}`)
    const arrays = chunks(columns, MAX_ARGUMENTS).map((names) => `json_array(${names})`)
    return {
      table: sql`${sql.raw(`t${number} (${columns})`)} AS (${select.getSQL()})`,
      rows: sql.raw(`SELECT ${number} AS number, json_array(${arrays}) AS columns FROM t${number}`),
    }
  })
  const rows = chunks(
    tables.map(({ rows }) => rows),
    MAX_TERMS,
  ).map((terms) => sql`SELECT * FROM (${sql.join(terms, sql` UNION ALL `)})`)
  const ctes = sql.join([...(shared ? [shared] : []), ...tables.map(({ table }) => table)], sql`, `)
  const query = toQuery(builder, sql`WITH ${ctes} ${sql.join(rows, sql` UNION ALL `)}`)
  const finished = Object.entries(selects).map(([name, select]) => [name, finish(select)] as const)
  const mapResult = ({ results }: D1Result) => {
    const rows = Map.groupBy(
      results as { number: number; columns: string }[],
      ({ number }) => number,
    )
    const valuesOf = ({ columns }: { columns: string }) => JSON.parse(columns).flat()
    return Object.fromEntries(
      finished.map(([name, { mapResult }], number) => [
        name,
        mapResult((rows.get(number) ?? []).map(valuesOf)),
      ]),
    )
  }
  return { query, mapResult }
}

/** Nested objects are what Drizzle selects as one field of a row. */
const countFields = (fields: object): number =>
  Object.values(fields).reduce(
    (sum, field) => sum + (isSQLWrapper(field) ? 1 : countFields(field)),
    0,
  )

const fill = ({ sql, params }: Query, values: Record<string, unknown>): Query => ({
  sql,
  params: fillPlaceholders(params, values),
})

function finish(statement: Buildable<unknown>) {
  const prepared = 'prepare' in statement ? statement.prepare() : statement
  // `getQuery` of handwritten SQL builds the text at each call.
  return { query: prepared.getQuery(), mapResult: prepared.mapResult.bind(prepared) }
}
