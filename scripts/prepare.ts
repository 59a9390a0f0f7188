/** Runs after `npm install`: copies assets and generates the types of bindings. */
import { copyFile, mkdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { runCommand } from './shell/command.ts'
import { runWrangler } from './shell/wrangler.ts'

const ASSETS = 'src/site/assets'

await runCommand(async () => {
  await copyFile('docs/openapi.json', `${ASSETS}/openapi.json`)
  await mkdir(`${ASSETS}/swagger-ui`, { recursive: true })
  for (const file of ['swagger-ui-bundle.js', 'swagger-ui.css'])
    await copyFile(
      fileURLToPath(import.meta.resolve(`swagger-ui-dist/${file}`)),
      `${ASSETS}/swagger-ui/${file}`,
    )
  // Writes worker-configuration.d.ts.
  await runWrangler(['types', '--strict-vars', 'false'])
})
