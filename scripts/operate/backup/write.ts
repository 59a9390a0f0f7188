/** Writes a backup. */
import { join } from 'node:path'
import type { Encrypter } from 'age-encryption'
import { sql } from 'drizzle-orm'
import { backups } from '../../../src/db/schema/operations.ts'
import { CommandError, returnCommandError } from '../../shell/command.ts'
import { findTarget, folderBeside } from '../../shell/files.ts'
import { databaseOptions, runWrangler } from '../../shell/wrangler.ts'
import { oneLineReason } from '../cloudflare/account.ts'
import { openRemoteDatabase } from '../database/remote.ts'
import { encrypterFor, writeArchive } from './archive.ts'
import { upload } from './bucket.ts'
import { describeLeftOut } from './content.ts'
import { sortDump } from './dump.ts'

type Backup = {
  environment: string | undefined
  publicKey: string
  file: string
  /** The bucket to copy the file into, if any. */
  bucket: string | undefined
}

export async function writeBackup(backup: Backup): Promise<void> {
  const { environment, publicKey, file, bucket } = backup
  // Before the export, during which a deployed database serves nothing.
  const encrypter = encrypterFor(publicKey)
  await findTarget(file)
  await exportDatabase(databaseOptions(environment), file, encrypter)
  if (bucket) await upload(bucket, file)
  if (environment) await record(environment, new Date())
  console.log(`Wrote ${file}${bucket ? `, and its parts to the bucket ${bucket}` : ''}.`)
  const leftOut = await describeLeftOut(environment)
  if (leftOut) console.log(leftOut)
}

/** Lets the instance know, which raises an alarm when backups stop. The file is as good without that. */
async function record(environment: string, now: Date): Promise<void> {
  const at = now.toISOString()
  const written = await openRemoteDatabase(environment)
    .insert(backups)
    .values({ id: 1, at })
    .onConflictDoUpdate({ target: backups.id, set: { previousAt: sql`at`, at } })
    .catch(returnCommandError)
  if (written instanceof CommandError)
    console.error(`The instance could not be told of the backup: ${oneLineReason(written)}`)
}

/** Only the encrypted file is left. */
async function exportDatabase(
  database: string[],
  file: string,
  encrypter: Encrypter,
): Promise<void> {
  using folder = await folderBeside(file)
  const dump = join(folder.path, 'dump.sql')
  await runWrangler(['d1', 'export', 'DB', ...database, '--skip-confirmation', '--output', dump])
  await writeArchive(file, encrypter, sortDump(dump))
}
