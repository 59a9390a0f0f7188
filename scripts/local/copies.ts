/** The copy of the local database that `/dev/backup` makes and `/dev/restore` goes back to. */
import { existsSync } from 'node:fs'
import { copyFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backup, DatabaseSync } from 'node:sqlite'
import { BACKUP, DATABASES } from './paths.ts'

/** Pages of a copy: the largest number that SQLite takes. */
const MAX_PAGES = 2 ** 31 - 1

/** Copies the database as it is at one moment. The Worker may write meanwhile. */
export async function copyDatabase(): Promise<void> {
  using database = new DatabaseSync(await findDatabase(), { readOnly: true })
  const unfinished = `${BACKUP}.part`
  await rm(unfinished, { force: true })
  // All pages in one step: between steps, a write of the Worker would make it start again.
  await backup(database, unfinished, { rate: MAX_PAGES })
  await rename(unfinished, BACKUP)
}

export const hasCopy = () => existsSync(BACKUP)

/** Replaces the database by the copy. Nothing may have it open. */
export async function putBackDatabase(): Promise<void> {
  const file = await findDatabase()
  // What they hold belongs to the database that goes.
  for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true })
  const unfinished = `${file}.part`
  await copyFile(BACKUP, unfinished)
  await rename(unfinished, file)
}

/** Wrangler names the file by a hash of the database's id. */
async function findDatabase(): Promise<string> {
  const files = await readdir(DATABASES, { recursive: true })
  const [name, ...others] = files.filter((file) => /[0-9a-f]{64}\.sqlite$/.test(file))
  if (!name || others.length > 0) throw new Error(`${DATABASES} does not have one database`)
  return join(DATABASES, name)
}
