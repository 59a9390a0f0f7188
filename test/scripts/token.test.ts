import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { openLocalDatabase } from '../../scripts/operate/database/local.ts'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { command as token } from '../../scripts/operate/token.ts'
import { aFolder, aLocalDatabase, call, type Folder } from '../support/command.ts'

const JWT_KEYS = JSON.stringify({ keys: [await generateSigningKey()] })

let folder: Folder

beforeAll(async () => {
  folder = await aFolder()
  await aLocalDatabase()
  const { env, close } = await openLocalDatabase()
  await env.DB.exec(
    `INSERT INTO users (provider, email, identityHash, roleId, createdAt, updatedAt) VALUES ('email', 'ada@example.com', 'ada', 1, '', '')`,
  )
  await close()
})

afterAll(() => folder.remove())

const issue = (...args: string[]) => call(token, args, { JWT_KEYS })

it('prints the same token for a name, and another token for another name', async () => {
  const { out: token } = await issue('--master')
  expect(decodeJwt(token)).toMatchObject({ sub: '1', role: 'master' })
  const { out: second } = await issue('--master', '--name', 'shop2')
  expect(decodeJwt(second)).toMatchObject({ sub: '1', role: 'master' })
  expect(second).not.toBe(token)
  expect((await issue('--master', '--name', 'shop2')).out).toBe(second)
})

it('prints a token for the orders of a shop', async () => {
  const { out: token } = await issue('--shop')
  expect(decodeJwt(token)).toMatchObject({ sub: '1', role: 'master', scope: 'orders' })
  expect((await issue('--shop', '--name', 'shop')).out).toBe(token)
  expect((await issue('--shop', '--name', 'other')).out).not.toBe(token)
})

it('prints a token for metrics', async () => {
  const { out: token } = await issue('--metrics')
  expect(decodeJwt(token)).toMatchObject({ sub: '1', role: 'master', scope: 'metrics' })
  expect((await issue('--metrics')).out).toBe(token)
})
