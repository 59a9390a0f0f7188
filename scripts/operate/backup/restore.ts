/** Restores a backup into an empty database. */
import { createWriteStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { CommandError } from '../../shell/command.ts'
import { folderBeside } from '../../shell/files.ts'
import { databaseOptions, runWrangler } from '../../shell/wrangler.ts'
import { readArchive } from './archive.ts'
import { download } from './bucket.ts'
import { stopSaleOfCodes } from './codes.ts'
import { describeLost } from './content.ts'
import { readStatements } from './dump.ts'

/** Bytes of a file that D1 imports at once. It takes 5 GB. */
const MAX_IMPORT = 1024 ** 3

type Backup = {
  environment: string | undefined
  key: string
  file: string
  /** The bucket to get the file from first, if any. */
  bucket: string | undefined
}

export async function restoreBackup({ environment, key, file, bucket }: Backup): Promise<void> {
  const execute = (...args: string[]) =>
    runWrangler(['d1', 'execute', 'DB', ...databaseOptions(environment), '--yes', ...args])
  await checkEmpty(execute)
  if (bucket) await download(bucket, file)
  using folder = await folderBeside(file)
  // All of it, so that a damaged file is noticed before the database is changed.
  const isOfMarketplace = await writeImports(folder.path, readArchive(file, key))
  if (!isOfMarketplace)
    throw new CommandError(`${file} does not hold the database of a marketplace.`)
  for (const name of (await readdir(folder.path)).sort()) {
    await execute('--file', join(folder.path, name))
    console.log(`Imported ${name}.`)
  }
  console.log(`Restored ${file}.`)
  const stopped = await stopSaleOfCodes(execute)
  if (stopped) console.log(stopped)
  const lost = environment && (await describeLost(environment))
  if (lost) console.log(lost)
}

type Execute = (...args: string[]) => Promise<string>

async function checkEmpty(execute: Execute): Promise<void> {
  const sql =
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT GLOB 'sqlite_*' AND name NOT GLOB '_cf_*'"
  const [{ results }] = JSON.parse(await execute('--json', '--command', sql))
  if (results.length > 0)
    throw new CommandError(
      `The database is not empty: it has ${results.length} tables. Restore into a new one.`,
    )
}

/** What the database of a marketplace has. */
const ORDERS = /^CREATE TABLE (IF NOT EXISTS )?["'`]?orders\b/

/** Cuts the SQL into files between statements. Returns whether it is of a marketplace. */
async function writeImports(folder: string, sql: AsyncIterable<string>): Promise<boolean> {
  const statements = readStatements(sql)
  let hasOrders = false
  let next = await statements.next()
  for (let number = 0; !next.done; number++) {
    async function* part() {
      for (let size = 0; !next.done && size < MAX_IMPORT; next = await statements.next()) {
        const { text } = next.value
        hasOrders ||= ORDERS.test(text)
        size += text.length
        yield text
      }
    }
    const file = join(folder, `${String(number).padStart(3, '0')}.sql`)
    await pipeline(part, createWriteStream(file, { encoding: 'latin1' }))
  }
  return hasOrders
}
