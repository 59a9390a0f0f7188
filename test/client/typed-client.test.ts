/** The README's program for hono/client, held against the types of the app. */
import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const readme = await readFile('README.md', 'utf8')
const program = /```ts\n(import \{ hc \}.*?)```/s.exec(readme)?.[1] ?? ''

/** What the compiler says of a program that lies beside `src/`. */
async function compile(text: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'client-'))
  try {
    for (const name of ['src', 'node_modules', 'package.json', 'worker-configuration.d.ts'])
      await symlink(resolve(name), join(folder, name))
    const { compilerOptions } = JSON.parse(await readFile('tsconfig.json', 'utf8'))
    const config = {
      compilerOptions: { ...compilerOptions, preserveSymlinks: true },
      files: ['program.ts'],
    }
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(config))
    await writeFile(join(folder, 'program.ts'), text)
    await promisify(execFile)('tsc', ['-p', folder])
    return ''
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error)
  } finally {
    await rm(folder, { recursive: true })
  }
}

it('compiles, and is as short as it looks', async () => {
  expect(program.trim().split('\n').length).toBeLessThanOrEqual(12)
  expect(await compile(program)).toBe('')
})

it('would not compile with a field of another type, or one that the answer has not', async () => {
  const wrong = program
    .replace('quantity: 1', "quantity: '1'")
    .replaceAll('totalPriceCents', 'price')
  const errors = await compile(wrong)
  expect(errors).toContain("Type 'string' is not assignable to type 'number'")
  expect(errors).toContain("Property 'price' does not exist")
})
