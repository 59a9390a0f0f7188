/** Why forms and links of pages are refused is said in the language of the reader, by the code of the error. */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { errorStatus } from '../../src/http/errors.ts'
import { de } from '../../src/texts/de.ts'
import { refusalCodes } from '../../src/texts/en.ts'
import { es } from '../../src/texts/es.ts'
import { fr } from '../../src/texts/fr.ts'
import { it as italian } from '../../src/texts/it.ts'

const ofEachRequest = ['src/app.ts', 'src/http/error-response.ts', 'src/http/errors.ts']

/** Adds a file, and those that it imports for more than their types. */
function addImports(file: string, files: Set<string>): void {
  // Pages place no orders. They only read what may be wrong with a listing.
  if (files.has(file) || file.startsWith('src/orders/placing/')) return
  files.add(file)
  const code = readFileSync(file, 'utf8')
  const imports = code.matchAll(/^(?:import|export)\s(?!type )[^;]*?from '(\.[^']+)'/gms)
  for (const [, path = ''] of imports) {
    const imported = join(dirname(file), path)
    if (existsSync(imported)) addImports(imported, files)
  }
}

const comments = /\/\*\*.*?\*\//gs
const thrown = /\b(?:ApiError|guard|refuse)\(\s*'(\w+)'|\bcode: '(\w+)'/g

/** Returns the codes of the errors in a file. */
const codesIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').replaceAll(comments, '').matchAll(thrown)]
    .map(([, code, issue]) => code ?? issue ?? '')
    .filter((code) => Object.hasOwn(errorStatus, code))

/** For calls of the API: pages have no strict query, and send no user id. */
const ofPrograms = ['unknown_field', 'user_not_found']

it('translates each code with which pages in the language of their reader may be refused', () => {
  const routes = globSync('src/pages/*/routes.ts*').filter((file) =>
    readFileSync(file, 'utf8').includes('isTranslated: true'),
  )
  expect(routes).toContain('src/pages/phone/routes.tsx')
  const files = new Set(ofEachRequest)
  for (const route of routes) addImports(route, files)
  expect(files).toContain('src/identity/link.ts')
  const codes = new Set([...files].flatMap(codesIn))
  expect([...codes].sort()).toEqual([...refusalCodes, ...ofPrograms].sort())
})

it.each([
  ['de', de],
  ['fr', fr],
  ['es', es],
  ['it', italian],
])('has a sentence in %s for each of them', (_, { refusals }) => {
  expect(Object.keys(refusals).sort()).toEqual([...refusalCodes].sort())
  for (const sentence of Object.values(refusals)) expect(sentence).toMatch(/^\p{Lu}.*\.$/u)
})
