/** Writes the OpenAPI document. With `--check` it fails if the file is out of date. */
import { copyFile, readFile, writeFile } from 'node:fs/promises'
import { runnerImport } from 'vite'
import type * as Builder from './openapi/document.ts'
import { CommandError, parseOptions, runCommand } from './shell/command.ts'

const FILE = 'docs/openapi.json'

await runCommand(async () => {
  const { check } = parseOptions({ check: { type: 'boolean' } }, 'npm run openapi [-- --check]')
  // Vite loads the routes, because Node does not run JSX.
  const { module } = await runnerImport<typeof Builder>('./scripts/openapi/document.ts', {
    configFile: false,
  })
  const text = format(module.createOpenApi())
  if (check) {
    if ((await readFile(FILE, 'utf8')) === text) return
    throw new CommandError(`${FILE} is out of date. Run \`npm run openapi\`.`)
  }
  await writeFile(FILE, text)
  await copyFile(FILE, 'src/site/assets/openapi.json')
})

/** Writes each operation and each component on one line, so that a diff shows what changed. */
function format(document: object): string {
  return `${JSON.stringify(document, null, 1).replace(/\n {4,}|\n {3}(?=[}\]])/g, '')}\n`
}
