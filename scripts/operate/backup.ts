/** `npm run backup -- FILE`: exports the database to a file that is encrypted. */
import { CommandError, defineCommand, start } from '../shell/command.ts'
import { instanceOptions, parseInstance } from '../shell/options.ts'

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
    const environment = parseInstance(instance)
    const { BACKUP_PUBLIC_KEY: publicKey } = process.env
    if (!publicKey) throw new CommandError('BACKUP_PUBLIC_KEY is not set.')
    const { writeBackup } = await import('./backup/write.ts')
    await writeBackup({ environment, publicKey, file, bucket })
  },
)

if (import.meta.main) await start(command)
