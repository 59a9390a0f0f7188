import { DatabaseSync } from 'node:sqlite'
import { decodeJwt } from 'jose'
import { beforeAll, expect, it, vi } from 'vitest'
import { retryWhileBusy } from '../../scripts/operate/database/busy.ts'
import { openLocalDatabase } from '../../scripts/operate/database/local.ts'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { command as token } from '../../scripts/operate/token.ts'
import { call } from '../support/call.ts'
import { aFolder, aLocalDatabase } from '../support/command.ts'
import { databaseFile } from '../support/project.ts'

const JWT_KEYS = JSON.stringify({ keys: [await generateSigningKey()] })

beforeAll(async () => {
  const { remove } = await aFolder()
  await aLocalDatabase()
  const { env, close } = await openLocalDatabase()
  await env.DB.exec(
    `INSERT INTO users (provider, email, identityHash, roleId, createdAt, updatedAt) VALUES ('email', 'ada@example.com', 'ada', 1, '', '')`,
  )
  await close()
  return remove
})

const issue = (...args: string[]) => call(token, args, { JWT_KEYS })

it('prints a token for a shop, for metrics or for everything, and the same for its name', async () => {
  const { out: token } = await issue('--shop')
  const tokens = [token, (await issue('--metrics')).out, (await issue('--master')).out]
  expect(tokens.map((jwt) => decodeJwt(jwt))).toMatchObject([
    { sub: '1', role: 'master', scope: 'orders' },
    { sub: '1', role: 'master', scope: 'metrics' },
    expect.not.objectContaining({ scope: expect.anything() }),
  ])
  expect((await issue('--shop', '--name', 'shop')).out).toBe(token)
})

it('gives up with a sentence if another program writes all the time', async () => {
  const database = new DatabaseSync(databaseFile('.'))
  database.exec('BEGIN IMMEDIATE')
  expect(await issue('--shop', '--name', 'busy')).toEqual({
    out: '',
    errors: 'Another program writes to the local database all the time. Run the command again.\n',
    status: 1,
  })
  database.close()
})

it('tries again while another program writes, and only then', async () => {
  const busy = new Error('D1_ERROR: Failed to get session commit token: internal error')
  const run = vi
    .fn(async () => 'a token')
    .mockRejectedValueOnce(busy)
    .mockRejectedValueOnce(busy)
  expect(await retryWhileBusy(run)).toBe('a token')
  const broken = vi.fn(() => Promise.reject(new Error('no such table')))
  await expect(retryWhileBusy(broken)).rejects.toThrow('no such table')
  expect([run, broken].map(({ mock }) => mock.calls.length)).toEqual([3, 1])
})

it.each([
  [['--shop', '--metrics'], 'Only one of --shop, --master and --metrics can be given.'],
  [['--user', '3', '--env', 'production'], '--env needs --remote.'],
])('prints no token for %j', async (args, sentence) => {
  const { out, errors, status } = await issue(...args)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toContain(sentence)
})
