/** A D1 whose every trip is a step of a run. */
import type { Life } from './life.ts'

type Trip = <T>(sql: string, act: () => Promise<T>) => Promise<T>

/** Statements keep the real one, because only that can go into a batch. */
class WatchedStatement {
  readonly real: D1PreparedStatement
  readonly sql: string
  readonly #trip: Trip

  constructor(real: D1PreparedStatement, sql: string, trip: Trip) {
    this.real = real
    this.sql = sql
    this.#trip = trip
  }

  bind(...values: unknown[]) {
    return new WatchedStatement(this.real.bind(...values), this.sql, this.#trip)
  }
  run() {
    return this.#trip(this.sql, () => this.real.run())
  }
  all() {
    return this.#trip(this.sql, () => this.real.all())
  }
  raw(options?: { columnNames?: false }) {
    return this.#trip(this.sql, () => this.real.raw(options))
  }
  first() {
    return this.#trip(this.sql, () => this.real.first())
  }
}

export function watchedD1(real: D1Database, life: Life): D1Database {
  const trip: Trip = (what, act) => life.step({ kind: 'd1', what }, act)
  const over = (target: Pick<D1Database, 'prepare' | 'batch'>) => ({
    prepare: (sql: string) => new WatchedStatement(target.prepare(sql), sql, trip),
    batch: (statements: WatchedStatement[]) =>
      trip(statements.map(({ sql }) => sql).join('; '), () =>
        target.batch(statements.map((statement) => statement.real)),
      ),
  })
  const withSession = (bookmark?: string) => {
    const session = real.withSession(bookmark)
    return { ...over(session), getBookmark: () => session.getBookmark() }
  }
  // The part of a D1 database that the Worker uses.
  return { ...over(real), withSession } as unknown as D1Database
}
