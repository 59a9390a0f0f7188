/** Folders and databases for commands that are called in this process. */
import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { savePublicUrl } from '../../scripts/local/paths.ts'
import { aDatabase } from './sqlite.ts'

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

/** Creates the local database of the working directory, which is empty then, where wrangler has it. */
export async function aLocalDatabase(): Promise<DatabaseSync> {
  const folder = '.wrangler/state/v3/d1'
  await mkdir(folder, { recursive: true })
  const database = aDatabase(join(folder, `${'0'.repeat(64)}.sqlite`))
  database.exec("CREATE TABLE d1_migrations (name TEXT); INSERT INTO d1_migrations VALUES ('all')")
  await savePublicUrl('http://localhost:8787')
  return database
}
