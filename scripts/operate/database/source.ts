/** The database that a command reads. */
import { openDatabaseFile } from './file.ts'
import { openRemoteDatabase, type SqliteDatabase } from './remote.ts'

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
