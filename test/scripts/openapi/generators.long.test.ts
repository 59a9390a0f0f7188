/** Generators of clients make code of the OpenAPI document that compiles with strict options. */
import { execFile } from 'node:child_process'
import { copyFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { installPackages } from '../../support/install.ts'

const run = promisify(execFile)

/** The packages of the generators, and with them what they generate. */
let folder: string

beforeAll(async () => {
  folder = await installPackages('test/scripts/openapi/generators')
  await copyFile('docs/openapi.json', join(folder, 'openapi.json'))
}, 300_000)

afterAll(() => rm(folder, { recursive: true }))

/** Runs a command of the packages. */
const command = (name: string, ...args: string[]) =>
  run(join(folder, 'node_modules/.bin', name), args, { cwd: folder })

const compilerOptions = {
  target: 'ES2022',
  module: 'ESNext',
  moduleResolution: 'Bundler',
  lib: ['ES2022', 'DOM', 'DOM.Iterable'],
  types: [],
  noEmit: true,
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noImplicitOverride: true,
  noImplicitReturns: true,
  noPropertyAccessFromIndexSignature: true,
  noFallthroughCasesInSwitch: true,
  noUnusedLocals: true,
  isolatedModules: true,
  verbatimModuleSyntax: true,
}

/** Returns the errors of the compiler in a program and in the modules that it imports. */
async function compile(program: string): Promise<string[]> {
  await writeFile(join(folder, 'program.ts'), program)
  const configuration = { compilerOptions, files: ['program.ts'] }
  await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(configuration))
  const { stdout } = await command('tsc', '-p', '.').catch((error: { stdout: string }) => error)
  return stdout.split('\n').filter((line) => /^\S.* error /.test(line))
}

/** Fails to compile if `Actual` is `any` or another type. */
const equals = `
type Equals<Actual, Expected> =
  (<T>() => T extends Actual ? 1 : 2) extends <T>() => T extends Expected ? 1 : 2 ? true : false
const check = <_ extends true>() => {}
`

/** An order as its types allow it. */
const order = `{ nftId: 2, listingId: 2, quantity: 1, buyer: { email: 'ada@example.com' } }`

it('openapi-typescript', async () => {
  await command('openapi-typescript', 'openapi.json', '-o', 'schema.ts')
  const program = `
import type { components, webhooks } from './schema'
type Schemas = components['schemas']
type Body = webhooks['order.failed']['post']['requestBody']['content']['application/json']
check<Equals<Body['type'], 'order.failed'>>()
check<Equals<Schemas['NewAddress']['email'], string | null | undefined>>()
export const order: Schemas['NewOrder'] = ${order}
export const statusOf = (order: Schemas['Order']) => order.orderItems[0]?.status ?? 'queued'
`
  expect(await compile(equals + program)).toEqual([])
})

it('@hey-api/openapi-ts', async () => {
  await command('openapi-ts', '--input', 'openapi.json', '--output', 'hey')
  const program = `
import { placeOrders, type NewAddress, type Webhooks } from './hey'
check<Equals<NewAddress['email'], string | null | undefined>>()
const { data, error } = await placeOrders({ body: [${order}] })
console.log(data?.orders[0]?.orderItems[0]?.status, error?.code === 'sold_out')
export const reasonOf = ({ body }: Webhooks) =>
  body.type === 'order.failed' ? body.data.reasonCode : null
`
  const errors = await compile(equals + program)
  // The generator copies these files, whatever the document. They ignore exactOptionalPropertyTypes.
  const ownFiles = /^hey\/(client|core)\//
  expect(errors.filter((error) => !ownFiles.test(error))).toEqual([])
})

it('orval', async () => {
  const output = { target: 'orval/api.ts', client: 'fetch' }
  const configuration = { api: { input: 'openapi.json', output } }
  await writeFile(
    join(folder, 'orval.config.mjs'),
    `export default ${JSON.stringify(configuration)}`,
  )
  await command('orval', '--config', 'orval.config.mjs')
  const program = `
import { type NewAddress, placeOrders } from './orval/api'
check<Equals<NewAddress['email'], string | null | undefined>>()
const answer = await placeOrders([${order}])
if (answer.status === 200) check<Equals<typeof answer.data.error, null>>()
else if (answer.status === 409) console.log(answer.data.code === 'price_changed')
`
  expect(await compile(equals + program)).toEqual([])
})

it('swagger-typescript-api', async () => {
  await command('swagger-typescript-api', 'generate', '-p', 'openapi.json', '-o', 'swagger')
  const program = `
import { Api, type NewAddress } from './swagger/Api'
check<Equals<NewAddress['email'], string | null | undefined>>()
const { data, error } = await new Api({ baseUrl: 'http://localhost:8787' }).api.placeOrders([${order}])
console.log(data.orders[0]?.orderItems[0]?.status, error?.code === 'sold_out')
`
  expect(await compile(equals + program)).toEqual([])
})
