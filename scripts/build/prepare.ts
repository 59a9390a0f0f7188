/**
 * Runs after `npm install`: writes the pages of `/docs`, generates the types of bindings, packs what
 * shops install, and makes the secrets for development, so that `npx wrangler dev` works.
 */
import { defineCommand, start } from '../shell/command.ts'

export const command = defineCommand(
  {
    name: 'npm run prepare',
    purpose:
      'Writes the pages of /docs, generates the types of bindings, packs what shops install, and adds the secrets for development that .dev.vars lacks. `npm install` runs it.',
    example: 'npm run prepare',
  },
  async () => {
    const { prepare } = await import('./installation.ts')
    await prepare()
  },
)

if (import.meta.main) await start(command)
