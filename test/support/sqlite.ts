/** A database with the schema, for tests that run in Node. It is in memory unless it has a file. */
import { readdirSync, readFileSync } from 'node:fs'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { drizzle } from 'drizzle-orm/sqlite-proxy'
import type { SqliteDatabase } from '../../scripts/operate/database/remote.ts'

export function aDatabase(file = ':memory:'): DatabaseSync {
  const database = new DatabaseSync(file)
  // What a crash of the machine would lose does not matter.
  database.exec('PRAGMA synchronous = OFF')
  const files = readdirSync('migrations').filter((name) => name.endsWith('.sql'))
  for (const file of files.sort()) database.exec(readFileSync(`migrations/${file}`, 'utf8'))
  return database
}

export const withDrizzle = (database: DatabaseSync): SqliteDatabase =>
  drizzle(async (sql, params: SQLInputValue[]) => ({
    rows: database
      .prepare(sql)
      .all(...params)
      .map((row) => Object.values(row)),
  }))
