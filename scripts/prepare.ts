/**
 * Runs after `npm install`: copies assets, generates the types of bindings, builds the client, and
 * makes the secrets for development, so that `npx wrangler dev` works.
 */
import { execFileSync } from 'node:child_process'
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { SECRETS } from './local/paths.ts'
import { addMissingSecrets } from './local/secrets.ts'
import { defineCommand, start } from './shell/command.ts'
import { runWrangler } from './shell/wrangler.ts'

const ASSETS = 'src/pages/assets'

export const command = defineCommand(
  {
    name: 'npm run prepare',
    purpose:
      'Copies assets, generates the types of bindings, builds the client, and adds the secrets for development that .dev.vars lacks. `npm install` runs it.',
    example: 'npm run prepare',
  },
  async () => {
    await copyFile('docs/openapi.json', `${ASSETS}/openapi.json`)
    await mkdir(`${ASSETS}/swagger-ui`, { recursive: true })
    await copyFile(
      fileURLToPath(import.meta.resolve('swagger-ui-dist/swagger-ui-bundle.js')),
      `${ASSETS}/swagger-ui/swagger-ui-bundle.js`,
    )
    await addMissingSecrets(SECRETS)
    // Writes worker-configuration.d.ts.
    await runWrangler(['types', '--strict-vars', 'false'])
    execFileSync('npm', ['run', 'build', '--workspace', 'client'], { stdio: 'ignore' })
  },
)

if (import.meta.main) await start(command)
