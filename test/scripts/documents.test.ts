/** Compares the documents with the code that they describe. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { withEndpoints } from '../../scripts/build/docs/endpoints.ts'
import {
  limitSections,
  withEvents,
  withLimits,
  withReasons,
} from '../../scripts/build/docs/tables.ts'
import { stopCodes } from '../../scripts/operate/backup/codes.ts'
import { variables } from '../../src/env.ts'
import { errorStatus } from '../../src/http/errors.ts'
import { severityOf } from '../../src/monitoring/alarms/alarm.ts'

const read = (path: string) => readFileSync(path, 'utf8')
const readme = read('README.md')
const documents = globSync(['*.md', 'docs/**/*.md', 'test/*.md'])
const { scripts, workspaces, dependencies, devDependencies } = JSON.parse(read('package.json'))

const sources = globSync('src/**/*.{ts,tsx}').map(read).join('\n')
const events = new Set(
  [...sources.matchAll(/(?:log\.(?:info|error)\(\s*|event: )'(\w+)'/g)].map(([, event]) => event),
)

it('keeps README.md short', () => {
  expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(150)
})

it.each(Object.keys({ ...dependencies, ...devDependencies }))(
  'tells why there is the dependency %s',
  (name) => {
    expect(read('docs/dependencies.md')).toContain(`\`${name}\``)
  },
)

it.each([
  ['docs/endpoints.md', withEndpoints],
  ['docs/guides/delivery.md', withReasons],
  ['docs/guides/webhooks.md', withEvents],
  ['docs/limits.md', withLimits],
])('has the tables of the code in %s', (file, withTables) => {
  expect(read(file)).toBe(withTables(read(file)))
})

it('shows the limits that variables set', () => {
  const limits = Object.values(limitSections).flatMap((section) => Object.values(section))
  expect(variables).toEqual(expect.arrayContaining(limits.flatMap((limit) => limit.variable ?? [])))
})

it.each(Object.entries(errorStatus))('describes the error code %s', (code, status) => {
  expect(read('docs/errors.md')).toMatch(new RegExp(`^\\| ${status} \\| \`${code}\` \\|`, 'm'))
})

it.each(variables)('describes the variable %s', (name) => {
  expect(read('docs/configuration.md')).toMatch(new RegExp(`^\\| \`${name}\` \\|`, 'm'))
})

it.each([...events])('describes the log event %s', (event) => {
  expect(read('docs/operations.md')).toContain(`\`${event}\``)
})

it('has the statements of a restore for Time Travel, too', () => {
  expect(read('docs/runbook.md')).toContain(`--command "${stopCodes.join('; ')}"`)
})

it('has a section of the runbook for each alarm', () => {
  const titles = [...read('docs/runbook.md').matchAll(/^## (.*)$/gm)].map(([, title = '']) =>
    title.toLowerCase().replaceAll(' ', '_'),
  )
  expect(titles).toEqual(expect.arrayContaining(Object.keys(severityOf)))
})

it('has the same version in the packages, the OpenAPI document and the changelog', () => {
  const folders: string[] = ['.', ...workspaces]
  const versions = folders.map((folder) => JSON.parse(read(join(folder, 'package.json'))).version)
  const [, newest] = /^## \[(\d\S*)\]/m.exec(read('CHANGELOG.md')) ?? []
  const { info } = JSON.parse(read('docs/openapi.json'))
  expect(new Set([...versions, newest])).toEqual(new Set([info.version]))
})

it('has the hash of each package that is installed, on every platform', () => {
  const { packages } = JSON.parse(read('package-lock.json'))
  const installed = Object.entries<{ link?: boolean; integrity?: string }>(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )
  expect(installed.filter(([, { integrity }]) => !integrity)).toEqual([])
})

it('has one entry for what is not released', () => {
  expect([...read('CHANGELOG.md').matchAll(/^## .*Unreleased/gm)].length).toBeLessThanOrEqual(1)
})

/** The changelog also names commands that were removed. */
const guides = documents.filter((document) => document !== 'CHANGELOG.md')

it.each(guides)('names only npm scripts that exist in %s', (document) => {
  const named = [...read(document).matchAll(/npm run (?:--silent )?([\w:-]+)/g)]
  expect(named.flatMap(([, name]) => (name && !(name in scripts) ? name : []))).toEqual([])
})

it.each(guides)('names only files that exist in %s', (document) => {
  const named = [
    ...read(document).matchAll(/`((?:src|test|docs|scripts|client|check-my-shop)\/[\w./-]+)`/g),
  ]
  expect(named.flatMap(([, path]) => (path && !existsSync(path) ? path : []))).toEqual([])
})

it.each(documents)('links only to files that exist in %s', (document) => {
  const links = [...read(document).matchAll(/\]\((?!https?:|\/(?:operations|settings))([^)#]+)/g)]
  const broken = links.flatMap(([, path]) =>
    path && !existsSync(join(dirname(document), path)) ? path : [],
  )
  expect(broken).toEqual([])
})
