/** Folders and databases for commands that are called in this process. */
import { readdirSync, readFileSync } from 'node:fs'
import { copyFile, cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { savePublicUrl } from '../../scripts/local/paths.ts'
import { openLocalDatabase } from '../../scripts/operate/database/local.ts'

/** What commands read in the folder of the project. */
const LINKED = ['migrations', 'src']

type Folder = { path: string; remove: () => Promise<void> }

/** Makes a folder with the configuration of this project the working directory. */
export async function aFolder(): Promise<Folder> {
  const root = process.cwd()
  const path = await mkdtemp(join(tmpdir(), 'command-'))
  for (const name of LINKED) await symlink(resolve(name), join(path, name))
  await copyFile('wrangler.toml', join(path, 'wrangler.toml'))
  process.chdir(path)
  return {
    path,
    remove: async () => {
      process.chdir(root)
      await rm(path, { recursive: true })
    },
  }
}

/** Gives the environment `staging` in the working directory the URL of an instance. */
export async function pointStagingAt(url: string): Promise<void> {
  const toml = await readFile('wrangler.toml', 'utf8')
  await writeFile(
    'wrangler.toml',
    toml
      .replace('PUBLIC_URL = "https://staging', `PUBLIC_URL = "${url}" # "`)
      .replace('[env.staging.vars.NETWORKS.sepolia]', '[env.staging.vars.NETWORKS.localhost]'),
  )
}

/** The state of an empty local database, once this process has made one. */
let emptyState: string | undefined

/** Creates the local database of the working directory, which is empty then. */
export async function aLocalDatabase(): Promise<void> {
  if (emptyState) return cp(emptyState, '.wrangler', { recursive: true })
  const { env, close } = await openLocalDatabase()
  try {
    await env.DB.exec('CREATE TABLE d1_migrations (name TEXT)')
    for (const file of readdirSync('migrations')
      .filter((name) => name.endsWith('.sql'))
      .sort()) {
      const statements = readFileSync(`migrations/${file}`, 'utf8').split(
        '--> statement-breakpoint',
      )
      const record = env.DB.prepare('INSERT INTO d1_migrations VALUES (?)').bind(file)
      await env.DB.batch([...statements.map((sql) => env.DB.prepare(sql)), record])
    }
  } finally {
    await close()
  }
  await savePublicUrl('http://localhost:8787')
  emptyState = await mkdtemp(join(tmpdir(), 'database-'))
  await cp('.wrangler', emptyState, { recursive: true })
}
