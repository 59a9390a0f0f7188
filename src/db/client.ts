import { type SQL, sql } from 'drizzle-orm'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'

type D1 = Pick<D1Database, 'prepare' | 'batch'>

export type Database = DrizzleD1Database & { $client: Connection }

/** Number of trips to the database, where a batch counts as one, and of the statements in them. */
export type Trips = { count: number; statements: number }

/**
 * What answers: the primary, or the nearest copy, which may be a replica that lags. `caller`: the
 * nearest one that has what the caller has seen; D1 waits until it has.
 */
type Copy = 'primary' | 'nearest' | 'caller'

/** What Drizzle uses of D1, over a session that may go from one copy of the database to another. */
class Connection implements D1 {
  readonly #open: (copy: Copy) => D1 | D1DatabaseSession
  readonly #trips: Trips
  #session: D1 | D1DatabaseSession
  #copy: Copy = 'primary'
  /** Of the sessions before the present one. */
  #bookmark: string | null = null
  /** Whether a replica has answered anything. */
  sawReplica = false

  constructor(open: (copy: Copy) => D1 | D1DatabaseSession, trips: Trips) {
    this.#open = open
    this.#trips = trips
    this.#session = open('primary')
  }

  prepare(query: string): D1PreparedStatement {
    return this.#session.prepare(query)
  }

  async batch<T>(statements: D1PreparedStatement[]): Promise<D1Result<T>[]> {
    this.#trips.count++
    this.#trips.statements += statements.length
    const results = await this.#session.batch<T>(statements)
    this.sawReplica ||= results.some(({ meta }) => meta.served_by_primary === false)
    return results
  }

  /** Statements that were sent. D1 has a limit of 1,000 for an invocation. */
  get statements(): number {
    return this.#trips.statements
  }

  get isAtPrimary(): boolean {
    return this.#copy === 'primary'
  }

  goTo(copy: Copy): void {
    this.#bookmark = this.bookmark()
    this.#copy = copy
    this.#session = this.#open(copy)
  }

  /** Goes to the primary if a replica has answered, and returns whether it has: then read again. */
  leaveReplica(): boolean {
    const mayLag = this.sawReplica && !this.isAtPrimary
    if (mayLag) this.goTo('primary')
    return mayLag
  }

  /** D1's mark of the state that was read or written last; null without a session. */
  bookmark(): string | null {
    return ('getBookmark' in this.#session ? this.#session.getBookmark() : null) ?? this.#bookmark
  }
}

function overConnection(connection: Connection, trips: Trips): Database {
  const logQuery = () => {
    trips.count++
    trips.statements++
  }
  // Drizzle uses only `prepare` and `batch`. It calls the logger for single queries only.
  return drizzle(connection as Connection & D1Database, { logger: { logQuery } })
}

/** Drizzle over D1. */
export const connect = (d1: D1, trips: Trips = { count: 0, statements: 0 }): Database =>
  overConnection(new Connection(() => d1, trips), trips)

/** Drizzle over D1 sessions, for a request. Begins at the primary. `seen`: a bookmark of the caller. */
export function connectSession(d1: D1Database, seen: string | undefined, trips: Trips): Database {
  const starts = {
    primary: 'first-primary',
    nearest: 'first-unconstrained',
    caller: seen ?? 'first-unconstrained',
  }
  return overConnection(new Connection((copy) => d1.withSession(starts[copy]), trips), trips)
}

/** The elements of a JSON array, for `inArray`. One bound value holds a list of any length. */
export const jsonValues = (json: string): SQL => sql`(SELECT value FROM json_each(${json}))`

/** Characters of a bound value. D1 limits it to 2,000,000 bytes. */
const MAX_LENGTH = 500_000

/** Returns rows as JSON arrays, each short enough for a bound value. A bigint becomes text. */
export function toJsonSlices(rows: readonly unknown[]): string[] {
  const slices: string[][] = []
  let length = Infinity
  for (const row of rows) {
    const text = JSON.stringify(row, (_, value) => (typeof value === 'bigint' ? `${value}` : value))
    length += text.length + 1
    if (length > MAX_LENGTH) {
      slices.push([])
      length = text.length
    }
    slices.at(-1)?.push(text)
  }
  return slices.map((slice) => `[${slice}]`)
}

/**
 * What D1 says if it cannot work at the moment ("List of D1_ERRORs" in its documentation), and what
 * its emulation says if another process uses the database.
 */
const transient =
  /Network connection lost|reset because its code was updated|caused object to be reset|limit and was reset|D1 DB is overloaded|due to transient issue|client disconnected|processing a long-running|database is locked|Failed to get session commit token/

/** Whether a statement may succeed if it is repeated. It may have succeeded already. */
export const isTransient = (error: unknown): boolean =>
  error instanceof Error && (transient.test(error.message) || isTransient(error.cause))

/** Whether a statement failed on this constraint: its name, or the columns of a unique index. */
export const violates = (error: unknown, constraint: string): boolean =>
  error instanceof Error &&
  (error.message.includes(`constraint failed: ${constraint}`) || violates(error.cause, constraint))
