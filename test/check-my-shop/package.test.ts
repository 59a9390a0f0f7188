/** Packs `check-my-shop`, and runs it with nothing else installed. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { publint } from 'publint'
import { expect, it } from 'vitest'
import { installPackage, run } from '../support/packed.ts'

const { folder } = await installPackage('check-my-shop')

it('has no dependencies', async () => {
  const installed = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'))
  expect(installed).not.toHaveProperty('dependencies')
  expect((await readdir(folder)).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json'])
})

it('has a package.json without mistakes', async () => {
  const { messages } = await publint({ pkgDir: folder, pack: false, strict: true })
  expect(messages).toEqual([])
})

it('runs', async () => {
  const { stdout } = await run(process.execPath, [join(folder, 'dist/cli.js'), '--help'])
  expect(stdout).toContain('usage: check-my-shop [options]')
})
