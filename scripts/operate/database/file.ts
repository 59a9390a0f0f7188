/**
 * The local database, opened as a file of SQLite. That takes no time, unlike D1 (`local.ts`), but there
 * are no batches. It can be opened while `npm run dev` is running.
 */
import { DatabaseSync } from 'node:sqlite'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import { findDatabase } from '../../local/paths.ts'
import { CommandError } from '../../shell/command.ts'
import type { SqliteDatabase } from './remote.ts'

/** Opens a database that has tables. Throws a `CommandError` if no migration was applied yet. */
export async function openDatabaseFile(): Promise<{ db: SqliteDatabase } & Disposable> {
  const path = await findDatabase()
  if (path) {
    const file = new DatabaseSync(path)
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
    return { rows: statement.all(...params) }
  })
