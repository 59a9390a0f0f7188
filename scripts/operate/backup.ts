/** `npm run backup -- FILE`: exports the database to a file that is encrypted. */
import { join } from 'node:path'
import type { Encrypter } from 'age-encryption'
import { CommandError, defineCommand, start } from '../shell/command.ts'
import { findTarget, folderBeside } from '../shell/files.ts'
import { instanceOptions, parseInstance } from '../shell/instance.ts'
import { runWrangler } from '../shell/wrangler.ts'
import { encrypterFor, writeArchive } from './backup/archive.ts'
import { upload } from './backup/bucket.ts'
import { sortDump } from './backup/dump.ts'
import { databaseOptions } from './database/remote.ts'

export const command = defineCommand(
  {
    name: 'npm run backup',
    purpose:
      'Exports the database to a file that `npm run restore` reads, encrypted with a public key. A deployed database serves nothing meanwhile: calls are answered with 503, or late.',
    file: { value: 'FILE', help: 'The file to write. It is replaced if it exists.' },
    options: {
      bucket: { value: 'NAME', help: 'Copy the file into this bucket of R2, too.' },
      ...instanceOptions,
    },
    variables: {
      BACKUP_PUBLIC_KEY: 'The public key, which `npm run keys -- backup` prints. Required.',
    },
    example: 'npm run backup -- marketplace.age --remote --env production',
  },
  async ({ bucket, ...instance }, file: string) => {
    const database = databaseOptions(parseInstance(instance))
    const { BACKUP_PUBLIC_KEY: publicKey } = process.env
    if (!publicKey) throw new CommandError('BACKUP_PUBLIC_KEY is not set.')
    // Before the export, during which a deployed database serves nothing.
    const encrypter = encrypterFor(publicKey)
    await findTarget(file)
    await exportDatabase(database, file, encrypter)
    if (bucket) await upload(bucket, file)
    console.log(`Wrote ${file}${bucket ? `, and its parts to the bucket ${bucket}` : ''}.`)
  },
)

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

if (import.meta.main) await start(command)
