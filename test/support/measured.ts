/** Wraps D1 and records each trip: its statements, and the rows that it read and wrote. */

/** One call of the database: a batch or a single statement. */
type Trip = {
  statements: string[]
  /** The bound values of each statement. */
  values: unknown[][]
  rowsRead: number
  rowsWritten: number
  /** The rows that each statement has read and written. */
  reads: number[]
  writes: number[]
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
}

const tripOf = (statements: MeasuredStatement[], results: D1Result[]): Trip => ({
  statements: statements.map(({ sql }) => sql),
  values: statements.map(({ values }) => values),
  rowsRead: results.reduce((sum, { meta }) => sum + meta.rows_read, 0),
  rowsWritten: results.reduce((sum, { meta }) => sum + meta.rows_written, 0),
  reads: results.map(({ meta }) => meta.rows_read),
  writes: results.map(({ meta }) => meta.rows_written),
})

/** Returns a database that adds each of its trips, and those of its sessions, to `trips`. */
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
  // Only the methods of D1Database that the Worker uses.
  return { database: wrap(database) as unknown as D1Database, trips }
}
