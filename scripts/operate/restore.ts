/** `npm run restore -- FILE`: fills an empty database with what `npm run backup` has written. */
import { CommandError, defineCommand, start } from '../shell/command.ts'
import { instanceOptions, parseInstance } from '../shell/options.ts'

export const command = defineCommand(
  {
    name: 'npm run restore',
    purpose:
      'Fills an empty database with a backup of `npm run backup`. If it fails on the way, begin again with a new database.',
    file: { value: 'FILE', help: 'The backup.' },
    options: {
      bucket: { value: 'NAME', help: 'Get the file from this bucket of R2 first.' },
      ...instanceOptions,
    },
    variables: { BACKUP_KEY: 'The secret key, which `npm run keys -- backup` prints. Required.' },
    example: 'npm run restore -- marketplace.age --remote --env production',
  },
  async ({ bucket, ...instance }, file: string) => {
    const environment = parseInstance(instance)
    const { BACKUP_KEY: key } = process.env
    if (!key) throw new CommandError('BACKUP_KEY is not set.')
    const { restoreBackup } = await import('./backup/restore.ts')
    await restoreBackup({ environment, key, file, bucket })
  },
)

if (import.meta.main) await start(command)
