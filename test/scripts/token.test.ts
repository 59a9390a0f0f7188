import type { DatabaseSync } from 'node:sqlite'
import { decodeJwt } from 'jose'
import { beforeAll, expect, it } from 'vitest'
import { generateSigningKey } from '../../scripts/operate/keys/generate.ts'
import { command as token } from '../../scripts/operate/token.ts'
import { call } from '../support/call.ts'
import { aFolder, aLocalDatabase } from '../support/command.ts'

const JWT_KEYS = JSON.stringify({ keys: [await generateSigningKey()] })

let database: DatabaseSync
beforeAll(async () => {
  const { remove } = await aFolder()
  database = await aLocalDatabase()
  database.exec(
    `INSERT INTO users (provider, email, identityHash, roleId, createdAt, updatedAt) VALUES ('email', 'ada@example.com', 'ada', 1, '', '')`,
  )
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
  database.exec('BEGIN IMMEDIATE')
  expect(await issue('--shop', '--name', 'busy')).toEqual({
    out: '',
    errors: 'Another program writes to the local database all the time. Run the command again.\n',
    status: 1,
  })
  database.exec('ROLLBACK')
})

it.each([
  [['--shop', '--metrics'], 'Only one of --shop, --master and --metrics can be given.'],
  [['--user', '3', '--env', 'production'], '--env needs --remote.'],
])('prints no token for %j', async (args, sentence) => {
  const { out, errors, status } = await issue(...args)
  expect({ out, status }).toEqual({ out: '', status: 1 })
  expect(errors).toContain(sentence)
})
