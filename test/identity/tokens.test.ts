import { expect, it } from 'vitest'
import { verifyToken } from '../../src/identity/tokens.ts'
import { call } from '../support/api.ts'
import { aToken, aUser, issuer } from '../support/makers.ts'

it('publishes the public part of each signing key, and never the private one', async () => {
  const response = await call('GET', '/.well-known/jwks.json')
  expect(response.status).toBe(200)
  const { keys } = await response.json<{ keys: Record<string, string>[] }>()
  expect(keys).toHaveLength(1)
  expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
})

it('knows the user and the role of a token that it signed', async () => {
  const user = await aUser()
  const caller = await verifyToken(issuer, await aToken(user), new Date())
  expect(caller).toMatchObject({ userId: user.id, role: 'user' })
})

it('answers 404 for a path that is not there, in the envelope', async () => {
  const response = await call('GET', '/nothing')
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    error: 'there is nothing at this path',
    code: 'not_found',
  })
})
