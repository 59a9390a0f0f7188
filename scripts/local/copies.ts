/** The copy of the local database that `/dev/backup` makes and `/dev/restore` goes back to. */
import { existsSync } from 'node:fs'
import { copyFile, rename, rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { BACKUP, findDatabase } from './paths.ts'

/** Pages of a copy: the largest number that SQLite takes. */
const MAX_PAGES = 2 ** 31 - 1

/** Copies the database as it is at one moment. The Worker may write meanwhile. */
export async function copyDatabase(): Promise<void> {
  using database = new DatabaseSync(await requireDatabase(), { readOnly: true })
  const unfinished = `${BACKUP}.part`
  await rm(unfinished, { force: true })
  // All pages in one step: between steps, a write of the Worker would make it start again.
  await backup(database, unfinished, { rate: MAX_PAGES })
  await rename(unfinished, BACKUP)
}

export const hasCopy = () => existsSync(BACKUP)

/** Replaces the database by the copy. Nothing may have it open. */
export async function putBackDatabase(): Promise<void> {
  const file = await requireDatabase()
  // What they hold belongs to the database that goes.
  for (const suffix of ['-wal', '-shm']) await rm(file + suffix, { force: true })
  const unfinished = `${file}.part`
  await copyFile(BACKUP, unfinished)
  await rename(unfinished, file)
}

async function requireDatabase(): Promise<string> {
  const file = await findDatabase()
  if (!file) throw new Error('there is no database')
  return file
}
