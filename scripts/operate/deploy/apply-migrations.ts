/** Applies migrations to the database of a deployed instance. */
import { mkdtempDisposable, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'drizzle-orm'
import { runWrangler } from '../../shell/wrangler.ts'
import { openRemoteDatabase } from '../database/remote.ts'

/**
 * Imports each pending migration as a file, with its record in the table of `wrangler d1
 * migrations`. D1 parses the file, and a failure changes nothing. `wrangler d1 migrations apply`
 * would let the server split the text of a migration, which cuts triggers. Returns the names.
 */
export async function applyMigrations(environment: string): Promise<string[]> {
  const db = openRemoteDatabase(environment)
  await db.run(sql`CREATE TABLE IF NOT EXISTS d1_migrations (id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT UNIQUE, applied_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP NOT NULL)`)
  const applied = await db.all<[string]>(sql`SELECT name FROM d1_migrations`)
  const names = new Set(applied.map(([name]) => name))
  const files = (await readdir('migrations')).filter((file) => file.endsWith('.sql'))
  const pending = files.filter((file) => !names.has(file)).sort()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'migrations-'))
  for (const file of pending) await applyFile(environment, folder.path, file)
  return pending
}

async function applyFile(environment: string, folder: string, file: string): Promise<void> {
  const path = join(folder, file)
  const record = `INSERT INTO d1_migrations (name) VALUES ('${file}');\n`
  await writeFile(path, `${await readFile(join('migrations', file), 'utf8')}\n${record}`)
  const options = ['--remote', '--env', environment, '--yes', '--file', path]
  await runWrangler(['d1', 'execute', 'DB', ...options])
}
