import { expect, it, onTestFinished, vi } from 'vitest'
import { API_TOKEN_LIFE, generateSigningKey, verifyToken } from '../../src/identity/tokens.ts'
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

it('checks the signature of a token once, and when it expires each time', async () => {
  const jwt = await aToken(await aUser())
  const verify = vi.spyOn(crypto.subtle, 'verify')
  onTestFinished(() => verify.mockRestore())
  const now = new Date()
  const caller = await verifyToken(issuer, jwt, now)
  expect(await verifyToken(issuer, jwt, now)).toEqual(caller)
  expect(verify).toHaveBeenCalledTimes(1)
  const expired = new Date(now.getTime() + API_TOKEN_LIFE)
  expect(await verifyToken(issuer, jwt, expired)).toBeNull()
})

it('knows a token only as one of the issuer that it was checked for', async () => {
  const jwt = await aToken(await aUser())
  expect(await verifyToken(issuer, jwt, new Date())).not.toBeNull()
  const elsewhere = { ...issuer, url: 'https://elsewhere.example' }
  expect(await verifyToken(elsewhere, jwt, new Date())).toBeNull()
  const withOtherKeys = { ...issuer, keys: [await generateSigningKey()] }
  expect(await verifyToken(withOtherKeys, jwt, new Date())).toBeNull()
  expect(await verifyToken(issuer, jwt, new Date())).not.toBeNull()
})

it('answers 404 for a path that is not there, in the envelope', async () => {
  const response = await call('GET', '/nothing')
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({
    error: 'there is nothing at this path',
    code: 'not_found',
  })
})
