import { execFileSync } from 'node:child_process'
import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { aTemporaryFolder } from '../support/folder.ts'

const folder = await aTemporaryFolder()
const git = (...args: string[]) =>
  execFileSync('git', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' })

const secrets = [
  '.dev.vars',
  '.dev.vars.production',
  '.env',
  'server.key',
  'server.p12',
  // docs/deploying.md writes these.
  'jwt-keys.json',
  'delivery-key-secret.txt',
  // `npm run backup` writes these.
  'marketplace.age',
  'marketplace.age.4711.part',
  'part-Ab3dE6/dump.sql',
  // `npm run setup` writes these.
  'secrets.production.json',
  'secrets.production.json.4711.part',
]

it('keeps files with secrets out of git', async () => {
  await copyFile('.gitignore', join(folder, '.gitignore'))
  git('init', '--quiet')
  expect(
    git('check-ignore', ...secrets)
      .trimEnd()
      .split('\n'),
  ).toEqual(secrets)
})
