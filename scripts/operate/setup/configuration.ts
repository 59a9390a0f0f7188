/** Writes into wrangler.toml what the setup knows. */
import { readFile, writeFile } from 'node:fs/promises'
import { CommandError } from '../../shell/command.ts'
import type { Environment } from '../cloudflare/environment.ts'
import { PLACEHOLDER } from '../deploy/checks.ts'
import { report, type Setup } from './report.ts'

export type Values = {
  databaseId: string
  domain: string | undefined
  emailFrom: string | undefined
  /** Those that have no line by default, as TOML. */
  variables: Record<string, string>
  jurisdiction: string | undefined
}

/**
 * Replaces placeholders of the environment, and returns the new text of the file, which a dry run
 * does not write. A value that somebody has written stays.
 */
export async function ensureConfiguration(setup: Setup, values: Values): Promise<string> {
  const { environment, isDryRun, demand } = setup
  const before = await readFile('wrangler.toml', 'utf8')
  let toml = before
  const section = `env.${environment.name}`
  if (environment.jurisdiction ?? values.jurisdiction)
    for (const [i, { jurisdiction }] of environment.buckets.entries())
      if (!jurisdiction)
        toml = addPlaceholder(toml, bucketSection(section, i), 'bucket_name', 'jurisdiction')
  for (const name of Object.keys(values.variables).reverse())
    if (!environment.variables.includes(name))
      toml = addPlaceholder(toml, `${section}.vars`, 'EMAIL_FROM', name)
  for (const { section, key, value, given } of listLines(environment, values)) {
    const current = readValue(toml, section, key)
    const name = `${key} of [${section}]`
    if (!PLACEHOLDER.test(current)) {
      report('wrangler.toml', `${name}: already there`)
      if (given && !current.includes(given))
        demand(
          `${name} is ${current} in wrangler.toml. Change it by hand, or leave the option out.`,
        )
    } else if (!value)
      demand(
        '--domain and --email-from replace routes, PUBLIC_URL and EMAIL_FROM in wrangler.toml.',
      )
    else {
      toml = replaceValue(toml, section, key, value)
      report('wrangler.toml', `${name}: ${isDryRun ? 'would be ' : ''}${value}`)
    }
  }
  if (!isDryRun && toml !== before) await writeFile('wrangler.toml', toml)
  return toml
}

/** A value is `''` if it is not known. `given` is the part of it that the operator has chosen. */
function listLines({ name, buckets, jurisdiction }: Environment, values: Values) {
  const { databaseId, domain, emailFrom, variables } = values
  const section = `env.${name}`
  const text = (value: string | undefined) => (value ? JSON.stringify(value) : '')
  const url = text(domain && `https://${domain}`)
  const routes = domain ? `[{ pattern = ${text(domain)}, custom_domain = true }]` : ''
  const place = text(jurisdiction ?? values.jurisdiction)
  const sender = text(emailFrom)
  return [
    { section: `${section}.d1_databases`, key: 'database_id', value: text(databaseId), given: '' },
    ...(place ? buckets : []).map((_, i) => ({
      section: bucketSection(section, i),
      key: 'jurisdiction',
      value: place,
      given: text(values.jurisdiction),
    })),
    { section, key: 'routes', value: routes, given: text(domain) },
    { section: `${section}.vars`, key: 'PUBLIC_URL', value: url, given: url },
    { section: `${section}.vars`, key: 'EMAIL_FROM', value: sender, given: sender },
    ...Object.entries(variables).map(([key, value]) => ({
      section: `${section}.vars`,
      key,
      value,
      given: value,
    })),
  ]
}

/** Adds a key that has no line by default, with a placeholder, behind the line of another key. */
function addPlaceholder(toml: string, section: string, behind: string, key: string): string {
  const { lines, i } = findLine(toml, section, behind)
  return lines.toSpliced(i + 1, 0, `${key} = "<${key}>"`).join('\n')
}

/** The section of a bucket: the first, or another one of the same name. */
const bucketSection = (section: string, index: number) =>
  `${section}.r2_buckets${index > 0 ? `[${index}]` : ''}`

/**
 * Finds the line of a key in a section; with `[1]` at its end, the second section of this name. Group 2 is the
 * value, group 3 the comment behind it.
 */
function findLine(toml: string, section: string, key: string) {
  const lines = toml.split('\n')
  const [name, index = 0] = section.split(/[[\]]/)
  const starts = lines.flatMap((line, i) => (/^\[+([^\]]+)\]/.exec(line)?.[1] === name ? i : []))
  const start = starts[Number(index)] ?? -1
  const length = lines.slice(start + 1).findIndex((line) => line.startsWith('['))
  const end = length < 0 ? lines.length : start + 1 + length
  const pattern = new RegExp(`^(\\s*${key}\\s*=\\s*)(.*?)((?:\\s+#[^"]*)?\\s*)$`)
  for (let i = start + 1; start >= 0 && i < end; i++) {
    const match = pattern.exec(lines[i] ?? '')
    if (match) return { lines, i, match }
  }
  throw new CommandError(`wrangler.toml has no line \`${key} = …\` in [${section}].`)
}

const readValue = (toml: string, section: string, key: string): string =>
  findLine(toml, section, key).match[2] ?? ''

/** Every other byte of the file stays as it is. */
function replaceValue(toml: string, section: string, key: string, value: string): string {
  const { lines, i, match } = findLine(toml, section, key)
  return lines.with(i, `${match[1]}${value}${match[3]}`).join('\n')
}
