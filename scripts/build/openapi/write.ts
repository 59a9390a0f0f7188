/**
 * Writes the OpenAPI document, the types of the client, the schema of catalogues, the tables of claims,
 * reasons, events, limits and endpoints, and the pages of `/docs`.
 */
import { execFileSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import * as z from 'zod'
import { generateSchema } from '../../../client/generate.ts'
import { CatalogueRecord } from '../../../src/catalogue/record.ts'
import { CommandError } from '../../shell/command.ts'
import type * as Endpoints from '../docs/endpoints.ts'
import { withClaims, withEvents, withLimits, withReasons } from '../docs/tables.ts'
import { writeDocs } from '../docs/write.ts'
import { load } from '../load.ts'
import type * as Builder from './document.ts'

const DOCUMENT = 'docs/openapi.json'
const EXAMPLES = 'scripts/build/openapi/examples.json'
const CLIENT = 'client/src/schema.ts'
const CATALOGUE = 'docs/catalogue.schema.json'

type Options = {
  /** Whether to fail, in place of writing, if one of the files is out of date. */
  check: boolean
  /**
   * Whether to record the examples again, which takes the document as it is without them, and then to
   * write everything once more.
   */
  examples: boolean
}

export async function writeDocuments({ check, examples }: Options): Promise<void> {
  await writeAll(check)
  if (examples) {
    recordExamples()
    await writeAll()
  }
  if (!check) await writeDocs()
}

/** Writes all files but the pages of `/docs`. With `check` it fails in place of the first. */
async function writeAll(check = false): Promise<void> {
  const module = await load<typeof Builder>('./scripts/build/openapi/document.ts')
  const { withEndpoints } = await load<typeof Endpoints>('./scripts/build/docs/endpoints.ts')
  const document = format(module.createOpenApi(JSON.parse(await readFile(EXAMPLES, 'utf8'))))
  const texts: Record<string, string> = {
    [DOCUMENT]: document,
    [CLIENT]: await generateSchema(document),
    [CATALOGUE]: catalogueSchema(),
  }
  const tables = {
    'docs/architecture.md': withClaims,
    'docs/guides/delivery.md': withReasons,
    'docs/guides/webhooks.md': withEvents,
    'docs/limits.md': withLimits,
    'docs/endpoints.md': withEndpoints,
  }
  for (const [file, withTables] of Object.entries(tables))
    texts[file] = withTables(await readFile(file, 'utf8'))
  for (const [file, text] of Object.entries(texts)) {
    if ((await readFile(file, 'utf8').catch(() => null)) === text) continue
    if (check) throw new CommandError(`${file} is out of date. Run \`npm run openapi\`.`)
    await writeFile(file, text)
  }
}

/** Returns the JSON Schema of a line of a catalogue, for editors. */
function catalogueSchema(): string {
  const options = { io: 'input', target: 'draft-7', unrepresentable: 'any' } as const
  const schema = z.toJSONSchema(CatalogueRecord, options)
  return `${JSON.stringify({ title: 'A line of a catalogue', ...schema }, null, 2)}\n`
}

/** Runs the tests that compare the files with what the Worker sends, and lets them write the files. */
function recordExamples(): void {
  const test = ['run', '--project', 'workers', 'test/openapi', '--update']
  execFileSync('vitest', test, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** Writes each operation and each component on one line, so that a diff shows what changed. */
function format(document: object): string {
  return `${JSON.stringify(document, null, 1).replace(/\n {4,}|\n {3}(?=[}\]])/g, '')}\n`
}
