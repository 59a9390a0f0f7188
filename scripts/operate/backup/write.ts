/** Writes a backup. */
import { join } from 'node:path'
import type { Encrypter } from 'age-encryption'
import { findTarget, folderBeside } from '../../shell/files.ts'
import { databaseOptions, runWrangler } from '../../shell/wrangler.ts'
import { encrypterFor, writeArchive } from './archive.ts'
import { upload } from './bucket.ts'
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
  console.log(`Wrote ${file}${bucket ? `, and its parts to the bucket ${bucket}` : ''}.`)
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
