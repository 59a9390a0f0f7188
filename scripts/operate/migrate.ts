/** `npm run migrate -- --env production`: applies migrations to a deployed database. */
import { defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run migrate',
    purpose:
      'Applies the pending migrations to a deployed database. `npm run deploy` does it, too.',
    options: {
      env: { value: 'NAME', required: true, help: 'production or staging.' },
    },
    example: 'npm run migrate -- --env production',
  },
  async ({ env }) => {
    const { readEnvironment } = await import('./cloudflare/environment.ts')
    const { applyMigrations } = await import('./deploy/apply-migrations.ts')
    const applied = await applyMigrations(readEnvironment(env).name)
    console.log(applied.length > 0 ? `Applied ${applied.join(', ')}.` : 'Nothing to apply.')
  },
)

if (import.meta.main) await start(command)
