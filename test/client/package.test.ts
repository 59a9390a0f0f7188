/** Installs the packed client elsewhere, and runs the program of the README with it. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { instance } from '../support/instance/instance.ts'

const run = promisify(execFile)

/** Returns the TypeScript examples of a document. */
const examplesOf = async (path: string) =>
  [...(await readFile(path, 'utf8')).matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text)

const [readme = ''] = await examplesOf('README.md')
const [first = '', ...snippets] = await examplesOf('client/README.md')
const guide = first.replace(
  '\ntry {',
  `\nconst bytes = new Uint8Array()\n${snippets.join('\n')}\ntry {`,
)

/** A project that has only the packed client installed. */
let shop: string

beforeAll(async () => {
  shop = await mkdtemp(join(tmpdir(), 'shop-'))
  await writeFile(join(shop, 'package.json'), '{ "type": "module" }')
  await run('npm', ['pack', '--workspace', 'client', '--pack-destination', shop])
  const [archive = ''] = (await readdir(shop)).filter((name) => name.endsWith('.tgz'))
  // What `npm install` does with a package that has no dependencies.
  const folder = join(shop, 'node_modules/@marketplace-api/marketplace')
  await mkdir(folder, { recursive: true })
  await run('tar', ['-xzf', join(shop, archive), '-C', folder, '--strip-components', '1'])
})

afterAll(() => rm(shop, { recursive: true }))

/** Returns the errors of a compiler for programs in the shop. */
async function compile(compiler: string, programs: string[], options: object): Promise<string> {
  const compilerOptions = { strict: true, noEmit: true, target: 'ES2022', ...options }
  const files = programs.map((_, i) => `program-${i}.ts`)
  for (const [i, text] of programs.entries()) await writeFile(join(shop, `program-${i}.ts`), text)
  await writeFile(join(shop, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  return run(resolve(compiler), ['-p', shop]).then(
    () => '',
    ({ stdout }) => stdout,
  )
}

const node = {
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  lib: ['ES2022'],
  typeRoots: [resolve('node_modules/@types')],
  types: ['node'],
}
const bundler = { ...node, module: 'ESNext', moduleResolution: 'Bundler' }
const browser = { ...bundler, lib: ['ES2022', 'DOM', 'DOM.AsyncIterable'], types: [] }

it('has the version of the API and no dependencies', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))
  const folder = join(shop, 'node_modules/@marketplace-api/marketplace')
  const installed = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(installed).toMatchObject({ name: '@marketplace-api/marketplace', version })
  expect(installed).not.toHaveProperty('dependencies')
  expect((await readdir(folder)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
})

it.each([
  ['TypeScript 7 for Node', 'node_modules/.bin/tsc', node],
  ['TypeScript 5 for bundlers', 'client/node_modules/.bin/tsc', bundler],
])('%s compiles the programs of the documents', async (_, compiler, options) => {
  expect(await compile(compiler, [readme, guide], options)).toBe('')
})

it('compiles for browsers, without the types of Node', async () => {
  const program = readme.replace('process.env.TOKEN', "''")
  expect(await compile('node_modules/.bin/tsc', [program], browser)).toBe('')
})

it('rejects fields of the wrong type and fields that do not exist', async () => {
  const wrong = readme.replace('quantity: 1', "quantity: '1'").replace('.txId', '.hash')
  const errors = await compile('node_modules/.bin/tsc', [wrong], node)
  expect(errors).toContain("Type 'string' is not assignable to type 'number'")
  expect(errors).toContain("Property 'hash' does not exist")
})

it('runs the program of the README', async () => {
  const program = readme.replace('http://localhost:8787', instance.url)
  await writeFile(join(shop, 'program.js'), program)
  const env = { ...process.env, TOKEN: instance.token }
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: shop, env })
  expect(stdout).toMatch(/^order \d+ is delivered: 0x[0-9a-f]{64}\n$/)
})
