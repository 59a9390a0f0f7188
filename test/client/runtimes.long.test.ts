/** The packed client in the oldest Node that it supports, in Deno and in Bun. */
import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { run } from '../support/packed.ts'
import { expected, prepareRuntimes } from './runtimes.ts'

const { shop } = await prepareRuntimes()
let runtimes: string

beforeAll(async () => {
  runtimes = await mkdtemp(join(tmpdir(), 'runtimes-'))
  await cp('test/client/runtimes', runtimes, { recursive: true })
  await cp('.npmrc', join(runtimes, '.npmrc'))
  await run('npm', ['install', '--no-package-lock'], { cwd: runtimes })
}, 300_000)

afterAll(() => rm(runtimes, { recursive: true, force: true }))

it.each([
  ['node', ['module.mjs']],
  ['node', ['common.cjs']],
  ['deno', ['run', '--allow-net', 'module.mjs']],
  ['deno', ['run', '--allow-net', '--allow-read', 'common.cjs']],
  ['bun', ['module.mjs']],
  ['bun', ['common.cjs']],
])('runs in %s with %j', async (runtime, args) => {
  const { stdout } = await run(join(runtimes, 'node_modules/.bin', runtime), args, { cwd: shop })
  expect(JSON.parse(stdout)).toEqual(expected)
})
