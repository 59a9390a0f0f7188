/** Wraps D1 and records each trip: its statements, where it went, and the rows that it read and wrote. */

/** One call of the database: a batch or a single statement. */
type Trip = {
  statements: string[]
  /** A session that may begin at a replica reads there. */
  copy: 'primary' | 'replica'
  /** Trips that are under way at the same time are one round. */
  round: number
  /** The bound values of each statement. */
  values: unknown[][]
  rowsRead: number
  rowsWritten: number
  /** The rows that each statement has read and written. */
  reads: number[]
  writes: number[]
}

type RecordTrip = (
  statements: MeasuredStatement[],
  run: () => Promise<D1Result[]>,
) => Promise<D1Result[]>

class MeasuredStatement {
  readonly #record: RecordTrip
  readonly sql: string
  readonly statement: D1PreparedStatement
  readonly values: unknown[]

  constructor(
    record: RecordTrip,
    sql: string,
    statement: D1PreparedStatement,
    values: unknown[] = [],
  ) {
    this.#record = record
    this.sql = sql
    this.statement = statement
    this.values = values
  }

  bind(...values: unknown[]) {
    return new MeasuredStatement(this.#record, this.sql, this.statement.bind(...values), values)
  }

  async run<T>() {
    const [result] = await this.#record([this], async () => [await this.statement.run<T>()])
    return result as D1Result<T>
  }

  all<T>() {
    return this.run<T>()
  }

  async raw<T>() {
    const { results } = await this.run<Record<string, T>>()
    return results.map((row) => Object.values(row))
  }
}

const isWrite = ({ sql }: MeasuredStatement) => /^\s*(INSERT|UPDATE|DELETE)\b/i.test(sql)

/** Returns a database that adds each of its trips, and those of its sessions, to `trips`. */
export function measured(database: D1Database): { database: D1Database; trips: Trip[] } {
  const trips: Trip[] = []
  let [underWay, rounds] = [0, 0]
  const wrap = (d1: D1Database | D1DatabaseSession, reads: Trip['copy']) => {
    const record: RecordTrip = async (statements, run) => {
      if (underWay++ === 0) rounds++
      const round = rounds
      const results = await run().finally(() => underWay--)
      const sum = (of: 'rows_read' | 'rows_written') =>
        results.reduce((total, { meta }) => total + meta[of], 0)
      trips.push({
        statements: statements.map(({ sql }) => sql),
        copy: statements.some(isWrite) ? 'primary' : reads,
        round,
        values: statements.map(({ values }) => values),
        rowsRead: sum('rows_read'),
        rowsWritten: sum('rows_written'),
        reads: results.map(({ meta }) => meta.rows_read),
        writes: results.map(({ meta }) => meta.rows_written),
      })
      return results
    }
    return {
      prepare: (sql: string) => new MeasuredStatement(record, sql, d1.prepare(sql)),
      batch: (statements: MeasuredStatement[]) =>
        record(statements, () => d1.batch(statements.map(({ statement }) => statement))),
      getBookmark: () => ('getBookmark' in d1 ? d1.getBookmark() : null),
      withSession: (from: string) =>
        wrap(database.withSession(from), from === 'first-primary' ? 'primary' : 'replica'),
    }
  }
  // Only the methods of D1Database that the Worker uses.
  return { database: wrap(database, 'primary') as unknown as D1Database, trips }
}
