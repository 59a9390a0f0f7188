/** The local database, as `npm run dev` opens it before it starts the Worker. */
import { readdir, readFile } from 'node:fs/promises'
import { getPlatformProxy } from 'wrangler'
import { connect } from '../../src/db/client.ts'
import { CommandError } from '../shell/command.ts'
import { runWrangler } from '../shell/wrangler.ts'

export type LocalDatabase = Awaited<ReturnType<typeof openLocalDatabase>>

/** Variables and secrets are as `wrangler dev` reads them. */
export async function openLocalDatabase() {
  process.env.WRANGLER_LOG ??= 'error'
  const { env, dispose } = await getPlatformProxy<Env>()
  return { db: connect(env.DB), env, close: dispose, [Symbol.asyncDispose]: dispose }
}

/** Applies new migrations and returns their number. Checks first, because wrangler takes seconds. */
export async function migrate({ env }: LocalDatabase): Promise<number> {
  const files = (await readdir('migrations')).filter((name) => name.endsWith('.sql'))
  const applied = await appliedMigrations(env.DB)
  await requireSameMigrations(env.DB, files, applied)
  const pending = files.filter((name) => !applied.has(name))
  if (pending.length > 0) await runWrangler(['d1', 'migrations', 'apply', 'DB', '--local'])
  return pending.length
}

/**
 * Throws a `CommandError` if the migrations were written anew since some were applied, which is done
 * as long as no version is deployed: a migration is gone, or a trigger is not that of its file.
 */
async function requireSameMigrations(
  d1: D1Database,
  files: readonly string[],
  applied: ReadonlySet<string>,
): Promise<void> {
  const texts = await Promise.all(files.map((name) => readFile(`migrations/${name}`, 'utf8')))
  const { results } = await d1
    .prepare(`SELECT sql FROM sqlite_master WHERE type IN ('trigger', 'view')`)
    .all<{ sql: string }>()
  const isGone = [...applied].some((name) => !files.includes(name))
  const isOther = results.some(({ sql }) => !texts.some((text) => text.includes(sql)))
  if (isGone || isOther)
    throw new CommandError(
      'The local database has tables of an older version, which cannot be migrated. Run `npm run dev -- --fresh` to delete its data and create it anew.',
    )
}

async function appliedMigrations(d1: D1Database): Promise<Set<string>> {
  const table = await d1.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'd1_migrations'`).first()
  if (!table) return new Set()
  const { results } = await d1.prepare('SELECT name FROM d1_migrations').all<{ name: string }>()
  return new Set(results.map(({ name }) => name))
}
