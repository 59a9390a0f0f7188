/** Lets one `npm run dev` at a time use the state of this folder. */
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { isBusy } from '../operate/database/source.ts'
import { CommandError } from '../shell/command.ts'
import { FOLDER, LOCK, LOCK_OWNER } from './paths.ts'

/**
 * Locks this folder until this process ends. The operating system releases the lock of SQLite,
 * however the process ends. Throws a `CommandError` that names the process that has the lock.
 */
export async function lockFolder(url: string): Promise<void> {
  await mkdir(FOLDER, { recursive: true })
  // `requireRunning` of another process has it for an instant.
  const lock = new DatabaseSync(LOCK, { timeout: 200 })
  if (!isFree(lock)) {
    const owner = await readFile(LOCK_OWNER, 'utf8')
    const [pid] = /\d+/.exec(owner) ?? []
    throw new CommandError(
      `\`npm run dev\` is already running in this folder (${owner}). \`kill ${pid}\` ends it.`,
    )
  }
  // Keeps the object: the lock ends when it is garbage-collected.
  process.once('exit', () => lock.close())
  await writeFile(LOCK_OWNER, `process ${process.pid}, ${url}`)
}

/** Returns which process has the lock, and its URL. Throws a `CommandError` if none has. */
export async function requireRunning(): Promise<string> {
  if (existsSync(LOCK)) {
    using lock = new DatabaseSync(LOCK)
    if (!isFree(lock)) return readFile(LOCK_OWNER, 'utf8')
  }
  throw new CommandError('Nothing is running in this folder. Start it first: `npm run dev`')
}

function isFree(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (error) {
    if (isBusy(error)) return false
    throw error
  }
}
