/** Installs the packed client elsewhere, and runs the program of the README with it. */
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { expect, it } from 'vitest'
import { firstCases, inLong } from '../support/cases.ts'
import { environment } from '../support/environment.ts'
import { instance } from '../support/instance/instance.ts'
import { installPackage, run } from '../support/packed.ts'

/** Returns the TypeScript examples of a document. */
const examplesOf = async (path: string) =>
  [...(await readFile(path, 'utf8')).matchAll(/```ts\n(.*?)```/gs)].map(([, text = '']) => text)

const [readme = ''] = await examplesOf('README.md')
const [first = '', ...snippets] = await examplesOf('client/README.md')
const guide = first.replace(
  '\ntry {',
  `\nconst bytes = new Uint8Array()\n${snippets.join('\n')}\ntry {`,
)

const { shop, folder, archive } = await installPackage('client')

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
  const installed = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(installed).toMatchObject({ name: '@marketplace-api/marketplace', version })
  expect(installed).not.toHaveProperty('dependencies')
  expect((await readdir(folder)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
})

it('has a README that links to nothing outside the package', async () => {
  const links = [...(await readFile(join(folder, 'README.md'), 'utf8')).matchAll(/\]\((.*?)\)/g)]
  expect(
    links.map(([, target]) => target).filter((target) => !target?.startsWith('https:')),
  ).toEqual([])
})

inLong('has the right types for every way to import it', async () => {
  const data = new Uint8Array(await readFile(archive))
  const analysis = await checkPackage(createPackageFromTarballData(data))
  expect(analysis).toMatchObject({ types: { kind: 'included' }, problems: [] })
})

it('has a package.json without mistakes', async () => {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true })
  expect(messages).toEqual([])
})

it.each(
  firstCases(1, [
    ['TypeScript 7 for Node', 'node_modules/.bin/tsc', node],
    ['TypeScript 5 for bundlers', 'client/node_modules/.bin/tsc', bundler],
  ] as const),
)('%s compiles the programs of the documents', async (_, compiler, options) => {
  expect(await compile(compiler, [readme, guide], options)).toBe('')
})

inLong('compiles for browsers, without the types of Node', async () => {
  const program = readme.replace('process.env.TOKEN', "''")
  expect(await compile('node_modules/.bin/tsc', [program], browser)).toBe('')
})

inLong('rejects fields of the wrong type and fields that do not exist', async () => {
  const wrong = readme.replace('quantity: 1', "quantity: '1'").replace('.txId', '.hash')
  const errors = await compile('node_modules/.bin/tsc', [wrong], node)
  expect(errors).toContain("Type 'string' is not assignable to type 'number'")
  expect(errors).toContain("Property 'hash' does not exist")
})

inLong('runs the programs of the guides in a folder that `npm init -y` has made', async () => {
  const cwd = await mkdtemp(join(tmpdir(), 'init-'))
  await run('npm', ['init', '-y'], { cwd })
  await run('npm', ['install', archive, '--no-audit', '--no-fund'], { cwd })
  const program = await readFile('docs/guides/programs/sale.ts', 'utf8')
  await writeFile(join(cwd, 'sale.mts'), program.replace('http://localhost:8787', instance.url))
  const env = environment({ TOKEN: instance.shopToken })
  const { stdout } = await run(process.execPath, ['sale.mts'], { cwd, env })
  expect(stdout).toMatch(/^order \d+: paid$/m)
  await rm(cwd, { recursive: true })
})

it('runs the program of the README', async () => {
  const program = readme.replace('http://localhost:8787', instance.url)
  await writeFile(join(shop, 'program.js'), program)
  const env = environment({ TOKEN: instance.shopToken })
  const { stdout } = await run(process.execPath, ['program.js'], { cwd: shop, env })
  expect(stdout).toMatch(/^order \d+ is delivered: 0x[0-9a-f]{64}\n$/)
})
