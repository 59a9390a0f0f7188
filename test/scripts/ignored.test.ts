import { execFileSync } from 'node:child_process'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

let folder: string
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'ignored-'))
  await copyFile('.gitignore', join(folder, '.gitignore'))
  git('init', '--quiet')
})

afterAll(() => rm(folder, { recursive: true }))

it.each([
  '.dev.vars',
  '.dev.vars.production',
  '.env',
  '.env.local',
  'server.key',
  'keys/server.pem',
  'server.p12',
  'server.pfx',
  // docs/deploying.md writes these.
  'jwt-keys.json',
  'proof-keys.json',
  'delivery-key-secret.txt',
  // `npm run backup` writes these.
  'marketplace.age',
  'marketplace.age.part',
  'backup-Ab3dE6/dump.sql',
  // `npm run setup` writes these.
  'secrets.production.json',
  'secrets.production.json.part',
])('git ignores the secret file %s', (file) => {
  expect(git('check-ignore', file)).toBe(`${file}\n`)
})
