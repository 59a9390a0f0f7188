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

/** Statuses whose error page says what to do, whatever the reason is. */
const toldByStatus = [403, 404, 405, 500, 503]

/** For calls of the API, which have strict queries and name users and several orders. */
const ofPrograms = ['order_not_found', 'unknown_field', 'user_not_found']
/** The form says it of each field, or else its error page. */
const ofFields = ['invalid_input']
/** The form asks for a price, with both. Sellers name no files. */
const ofRecords = ['confirmation_required', 'content_full']
/** SQL finds it, by the name of the check. */
const ofChecks = ['amount_too_small', 'token_taken']
/** Pages say it, in place of that of a mailed link, and those of a phone and its code. */
const ofLinks = ['link_expired', 'wallet_has_account']

it('translates each code with which pages in the language of their reader may be refused', () => {
  const routes = globSync('src/pages/*/routes.ts*').filter((file) =>
    readFileSync(file, 'utf8').includes('isTranslated: true'),
  )
  expect(routes).toContain('src/pages/phone/routes.tsx')
  const files = new Set(ofEachRequest)
  for (const route of routes) addImports(route, files)
  expect(files).toContain('src/identity/link.ts')
  const codes = [...new Set([...files].flatMap(codesIn))]
  const isTold = (code: string) =>
    refusalCodes.some((told) => told === code) ||
    toldByStatus.includes(Reflect.get(errorStatus, code))
  expect(codes.filter((code) => !isTold(code)).sort()).toEqual(
    [...ofFields, ...ofPrograms, ...ofRecords, ...ofLinks].sort(),
  )
  expect([...codes, ...ofChecks]).toEqual(expect.arrayContaining([...refusalCodes]))
  for (const { errors } of [de, fr, es, italian])
    for (const status of toldByStatus) expect(errors.advice).toHaveProperty(String(status))
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
