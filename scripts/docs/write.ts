/** Writes what the Worker serves of the documentation to its static files. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { runnerImport } from 'vite'
import type * as Site from './site.tsx'

/** The static files of the Worker. */
export const ASSETS = 'src/pages/assets'

export async function writeDocs(): Promise<void> {
  await copyFile('docs/openapi.json', `${ASSETS}/openapi.json`)
  // Node does not run JSX.
  const { module } = await runnerImport<typeof Site>('./scripts/docs/site.tsx', {
    configFile: false,
  })
  const { fragments, index } = await module.renderSite()
  await mkdir(`${ASSETS}/docs`, { recursive: true })
  for (const file of await readdir(`${ASSETS}/docs`)) await rm(`${ASSETS}/docs/${file}`)
  for (const [path, html] of Object.entries(fragments))
    await writeFile(`${ASSETS}${path}.fragment`, html)
  await writeFile(`${ASSETS}/docs/search.json`, JSON.stringify(index))
}
