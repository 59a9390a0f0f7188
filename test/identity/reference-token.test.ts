import { and, eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { tokens } from '../../src/db/schema/users.ts'
import { call } from '../support/api.ts'
import { db, setRow } from '../support/makers.ts'
import { aSignedInVisitor, revoke, type Visitor } from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'

async function getToken(visitor: Visitor) {
  const response = await visitor.postJson('/docs/token', {})
  return response.json<{ token: string; expiresAt: string }>()
}

const rowsOf = ({ id }: { id: number }) =>
  db
    .select()
    .from(tokens)
    .where(and(eq(tokens.userId, id), eq(tokens.name, 'API reference')))

it('gives a user token for one hour', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { token, expiresAt } = await getToken(visitor)
  const { sub, role, scope, iat = 0, exp = 0 } = decodeJwt(token)
  expect({ sub, role, scope }).toEqual({ sub: String(user.id), role: 'user', scope: undefined })
  expect(exp - iat).toBe(3600)
  expect(expiresAt).toBe(new Date(exp * 1000).toISOString())
  expect((await call('GET', OWN, { token })).status).toBe(200)
  expect(await (await visitor.get('/settings/api-access')).text()).toContain('API reference')
})

it('renews one row of the user, and keeps the tokens given before', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const first = await getToken(visitor)
  const expired = { createdAt: '2020-01-01T00:00:00.000Z', expiresAt: '2020-01-01T01:00:00.000Z' }
  await setRow(tokens, decodeJwt(first.token).jti, expired)
  expect((await call('GET', OWN, { token: first.token })).status).toBe(401)
  const second = await getToken(visitor)
  expect(await rowsOf(user)).toHaveLength(1)
  for (const { token } of [first, second])
    expect((await call('GET', OWN, { token })).status).toBe(200)
})

it('gives another token after the first was revoked', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const first = await getToken(visitor)
  const id = decodeJwt(first.token).jti
  await revoke(visitor, `/settings/api-access/tokens/${id}`)
  const second = await getToken(visitor)
  expect((await call('GET', OWN, { token: first.token })).status).toBe(401)
  expect((await call('GET', OWN, { token: second.token })).status).toBe(200)
  expect(await rowsOf(user)).toHaveLength(2)
})
