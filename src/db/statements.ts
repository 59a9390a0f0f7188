/**
 * Statements for `batch`: handwritten SQL, and statements whose SQL is built once.
 *
 * The one file that relies on what Drizzle does not document: what its `batch` asks of a statement
 * (`_prepare`, `getQuery`, `mapResult`). `test/db/statements.test.ts` fails if an upgrade changes that.
 */
import { Column, fillPlaceholders, is, type Query, sql } from 'drizzle-orm'
import type { BatchItem } from 'drizzle-orm/batch'
import type { RunnableQuery } from 'drizzle-orm/runnable-query'
import type { PreparedQuery } from 'drizzle-orm/session'
import { connect, type Database } from './client.ts'

/** A statement of Drizzle, `raw` or `prepared`. */
export type Statement = BatchItem<'sqlite'>
export type StatementOf<Result> = RunnableQuery<Result, 'sqlite'>

type MapResult = (result: D1Result) => unknown

/** A statement with finished SQL and bound values, as Drizzle's `batch` asks for it. */
class BoundStatement<Result> implements StatementOf<Result> {
  declare readonly _: StatementOf<Result>['_']
  readonly _prepare: () => PreparedQuery

  constructor(db: Database, query: Query, mapResult: MapResult) {
    const stmt = db.$client.prepare(query.sql)
    this._prepare = () => ({ stmt, getQuery: () => query, mapResult })
  }
}

/**
 * Handwritten SQL, with the rows that it returns. Drizzle's `db.all` loses the values in a batch.
 *
 * @example raw<{ id: number }>(db)`SELECT id FROM users WHERE email = ${email}`
 */
export const raw =
  <Row>(db: Database) =>
  (strings: TemplateStringsArray, ...values: unknown[]): StatementOf<Row[]> =>
    new BoundStatement(db, db.all(sql(strings, ...values)).getQuery(), ({ results }) => results)

/** The size of the database in bytes, which D1 tells beside the rows of every statement. */
export const selectSize = (db: Database): StatementOf<number> =>
  new BoundStatement(db, { sql: 'SELECT 1', params: [] }, ({ meta }) => meta.size_after)

/**
 * Builds the SQL of a statement at its first use, and only binds values from then on: building it costs
 * 30 % (a list) to 70 % (an order) of a minimal request, and Drizzle's own `prepare` belongs to one D1
 * session. The SQL must not depend on the values. Outside of Drizzle's INSERT, pass what SQLite stores,
 * as 0 or 1 for a boolean. Two selected columns must not have the same name: D1 rows are objects.
 *
 * @example
 * const selectAll = prepared((db, { userId }: { userId: number }) =>
 *   db.select().from(addresses).where(eq(addresses.userId, userId)))
 */
export function prepared<Values extends Record<string, unknown>, Result>(
  build: (db: Database, values: Values) => StatementOf<Result>,
): (db: Database, values: Values) => StatementOf<Result> {
  let built: { query: Query; mapResult: MapResult } | undefined
  return (db, values) => {
    built ??= finish(build(builder, standIns()))
    const params = fillPlaceholders(built.query.params, values)
    return new BoundStatement(db, { sql: built.query.sql, params }, built.mapResult)
  }
}

type Decoder = { mapFromDriverValue(value: unknown): unknown }
type Expression = { decoder: Decoder }
type Field = { path: string[]; field: Column | Expression | { sql: Expression } }
type DrizzleQuery = PreparedQuery & { fields?: Field[] }

function finish(statement: StatementOf<unknown> & { _prepare?: () => DrizzleQuery }) {
  const query = statement._prepare?.()
  if (!query) throw new Error('Drizzle prepares a statement in another way')
  return { query: query.getQuery(), mapResult: createMapper(query) }
}

/** Drizzle looks up how to decode a value for each row again, which takes half of the time of a list. */
function createMapper(query: DrizzleQuery): MapResult {
  const { fields = [] } = query
  // Drizzle makes null of a joined table that has no row.
  const mayBeNull = fields.some(({ path, field }) => path.length > 1 && is(field, Column))
  if (fields.length === 0 || mayBeNull) return (result) => query.mapResult(result, true)
  const columns = fields.map(({ path, field }, index) => ({
    table: path.length > 1 ? path[0] : undefined,
    name: path.at(-1) ?? '',
    index,
    decoder: decoderOf(field),
  }))
  const tables = Map.groupBy(columns, ({ table }) => table)
  return ({ results }) =>
    results.map((row) => {
      const values: unknown[] = Object.values(row as object)
      const mapped: Record<string, unknown> = {}
      for (const [table, columns] of tables) {
        const target: Record<string, unknown> = table === undefined ? mapped : {}
        for (const { name, index, decoder } of columns) {
          const value = values[index]
          target[name] = value === null ? null : decoder.mapFromDriverValue(value)
        }
        if (table !== undefined) mapped[table] = target
      }
      return mapped
    })
}

function decoderOf(field: Field['field']): Decoder {
  if (is(field, Column)) return field
  return 'sql' in field ? field.sql.decoder : field.decoder
}

/** Builds SQL, for which Drizzle needs a client that it does not use. */
const builder = connect({ prepare: () => ({}) as never, batch: () => Promise.reject() })

/** What stands for the values by name. Throws if something is computed from one. */
const standIns = <Values extends object>() =>
  new Proxy({} as Values, {
    get: (_, name) =>
      Object.assign(sql.placeholder(String(name)), { [Symbol.toPrimitive]: refuse }),
  })

const refuse = () => {
  throw new Error('the SQL of a prepared statement must not depend on a value')
}
