/** D1 as it is, and beside it what was asked of it. */

/** One trip: a batch, or a statement that was run by itself. */
type Trip = {
  statements: string[]
  /** What was bound to each of them. */
  values: unknown[][]
  rowsRead: number
  rowsWritten: number
}

class MeasuredStatement {
  readonly #measure: (trip: Trip) => void
  readonly sql: string
  readonly statement: D1PreparedStatement
  readonly values: unknown[]

  constructor(
    measure: (trip: Trip) => void,
    sql: string,
    statement: D1PreparedStatement,
    values: unknown[] = [],
  ) {
    this.#measure = measure
    this.sql = sql
    this.statement = statement
    this.values = values
  }

  bind(...values: unknown[]) {
    return new MeasuredStatement(this.#measure, this.sql, this.statement.bind(...values), values)
  }

  async run<T>() {
    const result = await this.statement.run<T>()
    this.#measure(tripOf([this], [result]))
    return result
  }

  all<T>() {
    return this.run<T>()
  }

  async raw<T>() {
    const { results } = await this.run<Record<string, T>>()
    return results.map((row) => Object.values(row))
  }

  async first<T>() {
    const { results } = await this.run<T>()
    return results[0] ?? null
  }
}

const tripOf = (statements: MeasuredStatement[], results: D1Result[]): Trip => ({
  statements: statements.map(({ sql }) => sql),
  values: statements.map(({ values }) => values),
  rowsRead: results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
  rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
})

/** Wraps a database; `trips` grows as it is used, also through its sessions. */
export function measured(database: D1Database): { database: D1Database; trips: Trip[] } {
  const trips: Trip[] = []
  const measure = (trip: Trip) => void trips.push(trip)
  const wrap = (d1: D1Database | D1DatabaseSession) => ({
    prepare: (sql: string) => new MeasuredStatement(measure, sql, d1.prepare(sql)),
    async batch(statements: MeasuredStatement[]) {
      const results = await d1.batch(statements.map(({ statement }) => statement))
      measure(tripOf(statements, results))
      return results
    },
    getBookmark: () => ('getBookmark' in d1 ? d1.getBookmark() : null),
    withSession: (bookmark: string) => wrap(database.withSession(bookmark)),
  })
  // All that the Worker uses of a D1Database, with statements that only this wrapper looks into.
  return { database: wrap(database) as unknown as D1Database, trips }
}
