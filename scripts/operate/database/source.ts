/** The database that a command reads. */

import { CommandError } from '../../shell/command.ts'
import { openMigratedDatabase } from './local.ts'
import { openRemoteDatabase, type SqliteDatabase } from './remote.ts'

/** The deployed database of `env` with `remote`, otherwise the local one. */
export type Source = { env?: string; remote: boolean }

/** Opens the database while `read` runs. Throws a `CommandError` if there is none. */
export async function withDatabase<T>(
  { env, remote }: Source,
  read: (db: SqliteDatabase) => Promise<T>,
): Promise<T> {
  if (remote) {
    if (!env) throw new CommandError('--remote needs --env.')
    return read(openRemoteDatabase(env))
  }
  await using local = await openMigratedDatabase()
  return await read(local.db)
}
