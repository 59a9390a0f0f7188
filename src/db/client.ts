import { type SQL, sql } from 'drizzle-orm'
import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'

type D1 = Pick<D1Database, 'prepare' | 'batch'>

/** What Drizzle uses of D1, over a session, with what it has told. */
type Connection = D1 & {
  /** Whether it begins at the nearest copy, which may be a replica that lags behind the primary. */
  readonly isNearest: boolean
  readonly trips: Trips
  /** Whether the answer came from a replica, which may lack what is new. */
  mayLag: boolean
  /** Opens another connection, which begins at the primary. */
  openPrimary(): Database
}

export type Database = DrizzleD1Database & { $client: Connection }

/** What one request, or one run of a job, asks of the database. */
export type Trips = {
  /** A batch counts as one. */
  count: number
  /** In all batches. D1 has a limit of 1,000 for an invocation. */
  statements: number
  /** In the order in which they were opened. */
  readonly sessions: D1DatabaseSession[]
}

export const noTrips = (): Trips => ({ count: 0, statements: 0, sessions: [] })

/** Returns D1's mark of the state that a request has read or written last; null if it has not. */
export const bookmarkOf = ({ sessions }: Trips): string | null =>
  sessions.map((session) => session.getBookmark()).findLast((bookmark) => bookmark !== null) ?? null

const PRIMARY = 'first-primary'

type Options = Pick<Connection, 'isNearest' | 'trips' | 'openPrimary'>

function overSession(session: D1, options: Options): Database {
  const { trips, isNearest } = options
  const connection: Connection = {
    ...options,
    mayLag: false,
    prepare: (query) => session.prepare(query),
    async batch<T>(statements: D1PreparedStatement[]) {
      trips.count++
      trips.statements += statements.length
      const results = await session.batch<T>(statements)
      const isOfReplica = results.some(({ meta }) => meta.served_by_primary === false)
      connection.mayLag ||= isNearest && isOfReplica
      return results
    },
  }
  const logQuery = () => {
    trips.count++
    trips.statements++
  }
  // Drizzle uses only `prepare` and `batch`. It calls the logger for single queries only.
  return drizzle(connection as Connection & D1Database, { logger: { logQuery } })
}

/** Drizzle over D1 without sessions: always the primary. */
export const connect = (d1: D1, trips = noTrips()): Database =>
  overSession(d1, { isNearest: false, trips, openPrimary: () => connect(d1, trips) })

function openSession(d1: D1Database, start: string, trips: Trips): Database {
  const session = d1.withSession(start)
  trips.sessions.push(session)
  const openPrimary = () => connectPrimary(d1, trips)
  return overSession(session, { isNearest: start !== PRIMARY, trips, openPrimary })
}

/** Drizzle over a session that begins at the primary. Its later reads may go to a replica. */
export const connectPrimary = (d1: D1Database, trips: Trips): Database =>
  openSession(d1, PRIMARY, trips)

/**
 * Drizzle over a session that begins at the nearest copy. `seen`: a bookmark of the caller; D1 waits
 * until the copy has what the caller has seen. Writes go to the primary.
 */
export const connectNearest = (d1: D1Database, seen: string | undefined, trips: Trips): Database =>
  openSession(d1, seen ?? 'first-unconstrained', trips)

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
