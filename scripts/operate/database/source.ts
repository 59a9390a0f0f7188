/** The database that a command reads. The local one is a file of SQLite; `npm run dev` may be running. */
import { DatabaseSync } from 'node:sqlite'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { findDatabase } from '../../local/paths.ts'
import { CommandError } from '../../shell/command.ts'
import { openRemoteDatabase, type SqliteDatabase } from './remote.ts'

/** Milliseconds after which a command does not wait any longer for others that write. */
const BUSY_TIMEOUT = 5000

/**
 * Opens the deployed database of an environment, or the local one, while `read` runs. Throws a
 * `CommandError` if there is none.
 */
export async function withDatabase<T>(
  environment: string | undefined,
  read: (db: SqliteDatabase) => Promise<T>,
): Promise<T> {
  if (environment) return read(openRemoteDatabase(environment))
  using local = await openDatabaseFile()
  return await read(local.db)
}

/** Opens a database that has tables. Throws a `CommandError` if no migration was applied yet. */
export async function openDatabaseFile(): Promise<{ db: SqliteDatabase } & Disposable> {
  const path = await findDatabase()
  if (path) {
    const file = new DatabaseSync(path, { timeout: BUSY_TIMEOUT })
    if (hasMigrations(file)) return { db: connect(file), [Symbol.dispose]: () => file.close() }
    file.close()
  }
  throw new CommandError('There is no local database yet. Run `npm run dev` to create it.')
}

const hasMigrations = (file: DatabaseSync): boolean =>
  file.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`).get() !== undefined &&
  file.prepare('SELECT 1 FROM d1_migrations LIMIT 1').get() !== undefined

const connect = (file: DatabaseSync): SqliteDatabase =>
  drizzle(async (sql, params) => {
    const statement = file.prepare(sql)
    statement.setReturnArrays(true)
    try {
      return { rows: statement.all(...params) }
    } catch (error) {
      throw isBusy(error)
        ? new CommandError(
            'Another program writes to the local database all the time. Run the command again.',
          )
        : error
    }
  })

/** Whether another program has the file locked: SQLITE_BUSY (https://www.sqlite.org/rescode.html#busy). */
export const isBusy = (error: unknown): boolean =>
  error instanceof Error && 'errcode' in error && error.errcode === 5
