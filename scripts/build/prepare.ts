/**
 * Runs after `npm install`: writes the pages of `/docs`, generates the types of bindings, packs what
 * shops install, and makes the secrets for development, so that `npx wrangler dev` works.
 */
import { execFileSync } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { SECRETS } from '../local/paths.ts'
import { addMissingSecrets } from '../local/secrets.ts'
import { defineCommand, start } from '../shell/command.ts'
import { runWrangler } from '../shell/wrangler.ts'
import { ASSETS, writeDocs } from './docs/write.ts'

export const command = defineCommand(
  {
    name: 'npm run prepare',
    purpose:
      'Writes the pages of /docs, generates the types of bindings, packs what shops install, and adds the secrets for development that .dev.vars lacks. `npm install` runs it.',
    example: 'npm run prepare',
  },
  async () => {
    await writeDocs()
    await addMissingSecrets(SECRETS)
    // Writes worker-configuration.d.ts.
    await runWrangler(['types', '--strict-vars', 'false'])
    for (const workspace of ['client', 'check-my-shop']) await pack(workspace)
  },
)

/** Builds a workspace, and writes its package to the static files. */
async function pack(workspace: string): Promise<void> {
  const args = ['pack', '--json', '--workspace', workspace, '--pack-destination', ASSETS]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }))
  await rename(`${ASSETS}/${filename}`, `${ASSETS}/${workspace}.tgz`)
}

if (import.meta.main) await start(command)
