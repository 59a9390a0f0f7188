/** Applies migrations to the database of a deployed instance. */
import { createHash } from 'node:crypto'
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { CommandError } from '../../shell/command.ts'
import { runWrangler } from '../../shell/wrangler.ts'
import { openRemoteDatabase, type SqliteDatabase } from '../database/remote.ts'
import { announceOutage } from './outage.ts'

/**
 * Imports each pending migration as a file, with its record in the table of `wrangler d1
 * migrations`. D1 parses the file, and a failure changes nothing. `wrangler d1 migrations apply`
 * would let the server split the text of a migration, which cuts triggers. Returns the names.
 * `isConfirmed`: large tables were answered for.
 */
export async function applyMigrations(
  environment: string,
  isConfirmed: boolean,
): Promise<string[]> {
  const db = openRemoteDatabase(environment)
  const applied = await readApplied(db)
  const files = (await readdir('migrations')).filter((file) => file.endsWith('.sql')).sort()
  await requireUnchanged(files, applied)
  const pending = files.filter((file) => !applied.has(file))
  if (pending.length > 0 && applied.size > 0) await announceOutage(db, pending, isConfirmed)
  await using folder = await mkdtempDisposable(join(tmpdir(), 'migrations-'))
  for (const file of pending) await applyFile(environment, folder.path, file)
  return pending
}

/** Returns the hash of each migration that was applied, by its name; null if it was not stored. */
async function readApplied(db: SqliteDatabase): Promise<Map<string, string | null>> {
  await db.run(sql`CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`)
  await db.run(
    sql`CREATE TABLE IF NOT EXISTS migrationHashes (name TEXT PRIMARY KEY, hash TEXT NOT NULL)`,
  )
  const rows = await db.all<[string, string | null]>(
    sql`SELECT d1_migrations.name, hash FROM d1_migrations LEFT JOIN migrationHashes USING (name)`,
  )
  return new Map(rows)
}

/** Throws a `CommandError` if a file is not what was applied. */
async function requireUnchanged(
  files: readonly string[],
  applied: ReadonlyMap<string, string | null>,
): Promise<void> {
  for (const file of files) {
    const hash = applied.get(file)
    if (hash && hash !== hashOf(await readMigration(file)))
      throw new CommandError(
        `migrations/${file} was changed after it was applied to this database. Take the file back as it was, and write the change as a new migration.`,
      )
  }
}

const readMigration = (file: string) => readFile(join('migrations', file), 'utf8')
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')

async function applyFile(environment: string, folder: string, file: string): Promise<void> {
  const path = join(folder, file)
  const text = await readMigration(file)
  const records = [
    `INSERT INTO d1_migrations (name) VALUES ('${file}');`,
    `INSERT INTO migrationHashes (name, hash) VALUES ('${file}', '${hashOf(text)}');`,
  ]
  await writeFile(path, `${text}\n${records.join('\n')}\n`)
  const options = ['--remote', '--env', environment, '--yes', '--file', path]
  await runWrangler(['d1', 'execute', 'DB', ...options])
}
