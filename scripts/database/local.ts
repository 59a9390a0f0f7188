/** The local database, whether or not `npm run dev` is running. */
import { readdir } from 'node:fs/promises'
import { getPlatformProxy } from 'wrangler'
import { connect, type Database } from '../../src/db/client.ts'
import { Failure } from '../shell/command.ts'
import { runWrangler } from '../wrangler/run.ts'

export type Local = {
  db: Database
  /** Variables and secrets as `wrangler dev` reads them. */
  env: Env
  close: () => Promise<void>
}

export async function openLocal(): Promise<Local> {
  // Wrangler speaks of itself on stdout, where only what was asked for is to go.
  process.env.WRANGLER_LOG ??= 'error'
  const { env, dispose } = await getPlatformProxy<Env>()
  return { db: connect(env.DB), env, close: dispose }
}

/** The same, for commands that need its tables. Throws a failure when there are none yet. */
export async function openMigrated(): Promise<Local> {
  const local = await openLocal()
  if ((await appliedTo(local.env.DB)).size > 0) return local
  await local.close()
  throw new Failure('There is no local database yet: `npm run dev` makes it.')
}

/** Applies what is new in migrations/, and gives the number: to ask wrangler takes seconds. */
export async function migrate({ env }: Local): Promise<number> {
  const files = (await readdir('migrations')).filter((name) => name.endsWith('.sql'))
  const applied = await appliedTo(env.DB)
  const pending = files.filter((name) => !applied.has(name))
  if (pending.length > 0) await runWrangler(['d1', 'migrations', 'apply', 'DB', '--local'])
  return pending.length
}

async function appliedTo(d1: D1Database): Promise<Set<string>> {
  const known = await d1.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`).first()
  if (!known) return new Set()
  const { results } = await d1.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}
