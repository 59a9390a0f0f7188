import { execFileSync } from 'node:child_process'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { generateSigningKey } from '../../src/auth/tokens.ts'
import { aProject, type Project } from '../support/project.ts'

const JWT_KEYS = JSON.stringify({ keys: [await generateSigningKey()] })

let project: Project

beforeAll(async () => {
  project = await aProject()
  const d1 = (...args: string[]) =>
    execFileSync('node_modules/.bin/wrangler', ['d1', ...args, '--local'], {
      cwd: project.folder,
      env: { ...process.env, CI: 'true', WRANGLER_SEND_METRICS: 'false' },
    })
  d1('migrations', 'apply', 'DB')
  const administrator = `INSERT INTO users (provider, email, identityHash, roleId, createdAt, updatedAt)
    VALUES ('email', 'ada@example.com', 'ada', 1, '', '')`
  d1('execute', 'DB', '--command', administrator)
})

afterAll(() => project.remove())

const issue = (...args: string[]) => project.run('token', args, { JWT_KEYS })

it('prints the same token for a name, and another token for another name', async () => {
  const { out: token } = await issue('--master')
  expect(decodeJwt(token)).toMatchObject({ sub: '1', role: 'master' })
  const { out: second } = await issue('--master', '--name', 'shop2')
  expect(decodeJwt(second)).toMatchObject({ sub: '1', role: 'master' })
  expect(second).not.toBe(token)
  expect((await issue('--master', '--name', 'shop2')).out).toBe(second)
})

it('prints a token for metrics', async () => {
  const { out: token } = await issue('--metrics')
  expect(decodeJwt(token)).toMatchObject({ sub: '1', role: 'master', scope: 'metrics' })
  expect((await issue('--metrics')).out).toBe(token)
})

it('prints an error if the name is that of sessions', async () => {
  expect(await issue('--user', '1', '--name', 'session')).toEqual({
    out: '',
    errors: '--name: must not be "session", which is the name of browser sessions\n',
    status: 1,
  })
})
