/** `npm run migrate -- --env production`: applies migrations to a deployed database. */
import { defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run migrate',
    purpose:
      'Applies the pending migrations to a deployed database. `npm run deploy` does it, too.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
      yes: { help: 'Migrate tables of more than a million rows without asking.' },
    },
    example: 'npm run migrate -- --env production',
  },
  async ({ env, yes }) => {
    const { readEnvironment } = await import('./cloudflare/environment.ts')
    const { applyMigrations } = await import('./deploy/apply-migrations.ts')
    const applied = await applyMigrations(readEnvironment(env).name, yes)
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'Nothing to apply.')
  },
)

if (import.meta.main) await start(command)
