/** Fails if the schema has changes that no migration contains. */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
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
    const copy = mkdtempSync(join('node_modules', '.migrations-'))
    try {
      cpSync('migrations', copy, { recursive: true })
      const options = ['--dialect', 'sqlite', '--schema', './src/db/schema/*.ts']
      execFileSync('drizzle-kit', ['generate', ...options, '--out', relative('.', copy)], {
        stdio: ['ignore', 'ignore', 'inherit'],
      })
      if (readdirSync(copy).length > readdirSync('migrations').length)
        throw new CommandError(
          'src/db/schema/ has changes without a migration. Run `npm run db:generate`.',
        )
    } finally {
      rmSync(copy, { recursive: true })
    }
  },
)

if (import.meta.main) await start(command)
