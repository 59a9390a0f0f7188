/** Writes what the Worker serves of the documentation to its static files. */
import { copyFile, mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { load } from '../load.ts'
import { renderMarkdownFiles } from './markdown-files.ts'
import type * as Site from './site.tsx'

/** The static files of the Worker. */
export const ASSETS = 'src/pages/assets'

export async function writeDocs(): Promise<void> {
  const { renderSite } = await load<typeof Site>('./scripts/build/docs/site.tsx')
  const { fragments, index } = await renderSite()
  await mkdir(`${ASSETS}/docs`, { recursive: true })
  for (const file of await readdir(`${ASSETS}/docs`)) await rm(`${ASSETS}/docs/${file}`)
  const texts = { ...fragments, ...(await renderMarkdownFiles()) }
  for (const [path, text] of Object.entries(texts))
    await writeFile(`${ASSETS}${path}.fragment`, text)
  await copyFile('docs/openapi.json', `${ASSETS}/openapi.json.fragment`)
  await writeFile(`${ASSETS}/docs/search.json`, JSON.stringify(index))
}
