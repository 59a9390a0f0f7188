/** Fails if the schema has changes that no migration contains. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempDisposableSync, readdirSync } from 'node:fs'
import { join, relative } from 'node:path'
import { CommandError, defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npx node scripts/build/migrations.ts',
    purpose:
      'Fails if src/db/schema/ has changes that no migration contains. Part of `npm run check`.',
    example: 'npx node scripts/build/migrations.ts',
  },
  () => {
    using copy = mkdtempDisposableSync(join('node_modules', '.migrations-'))
    cpSync('migrations', copy.path, { recursive: true })
    const options = ['--dialect', 'sqlite', '--schema', './src/db/schema/*.ts']
    execFileSync('drizzle-kit', ['generate', ...options, '--out', relative('.', copy.path)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    })
    if (readdirSync(copy.path).length > readdirSync('migrations').length)
      throw new CommandError(
        'src/db/schema/ has changes without a migration. Run `npm run db:generate`.',
      )
  },
)

if (import.meta.main) await start(command)
