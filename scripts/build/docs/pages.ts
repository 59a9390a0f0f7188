/** The documents that `/docs` serves, and the links between them. */
import { readFile } from 'node:fs/promises'
import { posix } from 'node:path'
import { tableOf } from './tables.ts'

/** The address of the instance in the texts of the documentation. The Worker replaces it. */
export const FILE_URL = 'http://localhost:8787'

/** The files of the guides, by path, in the order in which a shop needs them. */
export const guides = {
  '/docs/first-order': 'docs/guides/first-order.md',
  '/docs/retries': 'docs/guides/retries.md',
  '/docs/compare': 'docs/guides/compare.md',
  '/docs/delivery': 'docs/guides/delivery.md',
  '/docs/webhooks': 'docs/guides/webhooks.md',
  '/docs/creators': 'docs/guides/creators.md',
  '/docs/refunds': 'docs/guides/refunds.md',
  '/docs/local': 'docs/guides/local.md',
  '/docs/check-my-shop': 'docs/guides/check-my-shop.md',
  '/docs/endpoints': 'docs/endpoints.md',
  '/docs/errors': 'docs/errors.md',
  '/docs/limits': 'docs/limits.md',
  '/docs/decisions': 'docs/decisions.md',
  '/docs/versioning': 'docs/versioning.md',
  '/docs/changelog': 'CHANGELOG.md',
}
export const operators = {
  '/docs/catalogue': 'docs/catalogue.md',
  '/docs/runbook': 'docs/runbook.md',
}
export const overview = { '/docs': 'docs/guides/README.md' }

/** Every document, by its path. */
export const documents: Record<string, string> = { ...overview, ...guides, ...operators }

const paths = new Map([
  ...Object.entries(documents).map(([path, file]) => [file, path] as const),
  ['docs/openapi.json', '/openapi.json'],
])

/** Reads a document as the site shows it. */
export async function readDocument(
  file: string,
  linkTo: (path: string) => string,
): Promise<string> {
  const text = await withFields(await withPrograms(await readFile(file, 'utf8'), file), file)
  return withSiteLinks(text, file, linkTo)
}

type Field = { description?: string; enum?: string[]; const?: string; default?: unknown }
type RecordSchema = { properties: Record<string, Field>; required: string[] }

/** Replaces a line that only links to the schema of a catalogue by tables of the fields of records. */
async function withFields(markdown: string, file: string): Promise<string> {
  const line = /^\[[^\]]*\]\((\w+\.schema\.json)\)$/m
  const [, schema] = line.exec(markdown) ?? []
  if (!schema) return markdown
  const path = posix.join(posix.dirname(file), schema)
  const { oneOf }: { oneOf: RecordSchema[] } = JSON.parse(await readFile(path, 'utf8'))
  const tables = oneOf.map(({ properties: { type, ...fields }, required }) => {
    const rows = Object.entries(fields).map(([name, field]) => [
      name,
      `${required.includes(name) ? 'Required. ' : ''}${describeField(field)}`,
    ])
    return tableOf([`field of a \`${type?.const}\``, 'meaning'], rows)
  })
  return markdown.replace(line, () => tables.join('\n').trimEnd())
}

function describeField({ description = '', ...field }: Field): string {
  const values = field.enum
    ? ` One of ${field.enum.map((value) => `\`${value}\``).join(', ')}.`
    : ''
  const byDefault = 'default' in field ? ` Default: \`${JSON.stringify(field.default)}\`.` : ''
  return `${description}${values}${byDefault}`.replaceAll('|', '\\|')
}

/** Replaces a line that only links to a program, as `[The shop](programs/shop.ts)`, by the program. */
async function withPrograms(markdown: string, file: string): Promise<string> {
  const parts = markdown.split(/^\[[^\]]*\]\((programs\/\w+\.(?:sh|ts|py|php|go))\)$/m)
  const texts = parts.map(async (part, i) => {
    if (i % 2 === 0) return part
    const { name, ext } = posix.parse(part)
    const program = await readFile(posix.join(posix.dirname(file), part), 'utf8')
    return `\`\`\`${ext.slice(1)} ${name}\n${program}\`\`\``
  })
  return (await Promise.all(texts)).join('')
}

/**
 * Returns a document with links of the site instead of links between files: `../errors.md#sold_out`
 * leads to `linkTo('/docs/errors') + '#sold_out'`. A file that the site does not have is only named.
 */
function withSiteLinks(markdown: string, file: string, linkTo: (path: string) => string): string {
  const link = (found: string, text: string, href: string) => {
    if (/^([a-z]+:|\/|#)/.test(href)) return found
    const [target = '', anchor] = href.split('#')
    const path = paths.get(posix.join(posix.dirname(file), target))
    return path ? `[${text}](${linkTo(path)}${anchor ? `#${anchor}` : ''})` : text
  }
  return markdown
    .split(/^(```.*?^```$)/ms)
    .map((part) => (part.startsWith('```') ? part : part.replace(/\[([^\]]*)\]\(([^)]+)\)/g, link)))
    .join('')
}
