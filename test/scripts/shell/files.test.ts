import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { writeLines } from '../../../scripts/shell/files.ts'
import { aTemporaryFolder } from '../../support/folder.ts'

const folder = await aTemporaryFolder()
const path = (name: string) => join(folder, name)

it('writes the file that a link names, and keeps the link', async () => {
  await writeFile(path('real.txt'), 'before')
  await symlink('real.txt', path('link.txt'))
  await writeLines(path('link.txt'), ['after'])
  expect(await readFile(path('real.txt'), 'utf8')).toBe('after\n')
})

const PROGRAM = `
  import { defineCommand, start } from '${resolve('scripts/shell/command.ts')}'
  import { folderBeside } from '${resolve('scripts/shell/files.ts')}'
  const options = { name: 'x', purpose: 'x', example: 'x' }
  await start(defineCommand(options, async () => {
    using folder = await folderBeside('dump.age')
    console.log(folder.path)
    await new Promise((resolve) => setTimeout(resolve, 60_000))
  }))`

it.each([
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const)('leaves no folder if %s ends the command', async (signal, status) => {
  const cwd = path(signal)
  await mkdir(cwd)
  const child = spawn(process.execPath, ['--input-type=module', '-e', PROGRAM], { cwd })
  await once(child.stdout, 'data')
  expect(await readdir(cwd)).toHaveLength(1)
  child.kill(signal)
  expect(await once(child, 'exit')).toEqual([status, null])
  expect(await readdir(cwd)).toEqual([])
})
