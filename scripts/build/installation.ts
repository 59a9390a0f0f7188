/** What an installation makes: pages, types, packages and secrets. */
import { execFileSync } from 'node:child_process'
import { rename } from 'node:fs/promises'
import { SECRETS } from '../local/paths.ts'
import { addMissingSecrets } from '../local/secrets.ts'
import { runWrangler } from '../shell/wrangler.ts'
import { ASSETS, writeDocs } from './docs/write.ts'
import { writeTexts } from './texts.ts'

export async function prepare(): Promise<void> {
  await writeDocs()
  await writeTexts()
  await addMissingSecrets(SECRETS)
  // Writes worker-configuration.d.ts.
  await runWrangler(['types', '--strict-vars', 'false'])
  for (const workspace of ['client', 'check-my-shop']) await pack(workspace)
}

/** Builds a workspace, and writes its package to the static files. */
async function pack(workspace: string): Promise<void> {
  const args = ['pack', '--json', '--workspace', workspace, '--pack-destination', ASSETS]
  const [{ filename }] = JSON.parse(execFileSync('npm', args, { encoding: 'utf8', stdio: 'pipe' }))
  await rename(`${ASSETS}/${filename}`, `${ASSETS}/${workspace}.tgz`)
}
