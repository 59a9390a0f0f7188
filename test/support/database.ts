/** The database and the bucket of the tests. All files that run in one worker share them. */
import { applyD1Migrations } from 'cloudflare:test'
import { env } from 'cloudflare:workers'

type SchemaObject = { type: string; name: string; sql: string }

async function schema(type: 'table' | 'trigger'): Promise<SchemaObject[]> {
  const { results } = await env.DB.prepare(
    `SELECT type, name, sql FROM sqlite_master
     WHERE type = ? AND name <> 'd1_migrations' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '\\_cf%' ESCAPE '\\'`,
  )
    .bind(type)
    .all<SchemaObject>()
  return results
}

/**
 * The names of the tables, each before those that it refers to. In another order, SQLite would look
 * for references to each deleted row, in a table without an index by reading all of it.
 */
async function childrenFirst(): Promise<string[]> {
  let waiting = await schema('table')
  const ordered: string[] = []
  while (waiting.length > 0) {
    const isParent = (name: string) =>
      waiting.some((table) => table.name !== name && table.sql.includes(`REFERENCES \`${name}\``))
    const next = waiting.map(({ name }) => name).filter((name) => !isParent(name))
    if (next.length === 0) throw new Error('tables refer to each other')
    ordered.push(...next)
    waiting = waiting.filter(({ name }) => !next.includes(name))
  }
  return ordered
}

/** The triggers of the migrations, once those are applied. */
let triggers: SchemaObject[] | undefined

/**
 * Deletes all rows. The migrations are applied only once, and `reset()` of `cloudflare:test` is not
 * used, because a database sometimes survives it.
 */
export async function emptyDatabase(): Promise<void> {
  if (!triggers) {
    await applyD1Migrations(env.DB, env.MIGRATIONS)
    triggers = await schema('trigger')
    return
  }
  const run = (sql: string) => env.DB.prepare(sql)
  await env.DB.batch([
    // Without triggers, deleting takes less time and counts nothing.
    ...(await schema('trigger')).map(({ name }) => run(`DROP TRIGGER "${name}"`)),
    ...(await childrenFirst()).map((name) => run(`DELETE FROM "${name}"`)),
    ...triggers.map(({ sql }) => run(sql)),
  ])
}

/** Deletes all pictures and files. */
export async function emptyBuckets(): Promise<void> {
  for (const bucket of [env.AVATARS, env.CONTENT]) {
    const { objects } = await bucket.list()
    await bucket.delete(objects.map(({ key }) => key))
  }
}
