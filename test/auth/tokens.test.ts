import { expect, it, onTestFinished, vi } from 'vitest'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { API_TOKEN_LIFETIME, verifyToken } from '../../src/auth/tokens.ts'
import { call } from '../support/api.ts'
import { aToken, aUser, issuer } from '../support/makers.ts'

it('publishes only the public part of each signing key', async () => {
  const response = await call('GET', '/.well-known/jwks.json')
  expect(response.headers.get('cache-control')).toBe('public, max-age=300, stale-if-error=300')
  const { keys } = await response.json<{ keys: Record<string, string>[] }>()
  expect(keys).toHaveLength(1)
  expect(Object.keys(keys[0] ?? {}).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x'])
})

it('verifies the signature once, and the expiry each time', async () => {
  const jwt = await aToken(await aUser())
  const verify = vi.spyOn(crypto.subtle, 'verify')
  onTestFinished(() => verify.mockRestore())
  const now = new Date()
  const caller = await verifyToken(issuer, jwt, now)
  expect(await verifyToken(issuer, jwt, now)).toEqual(caller)
  expect(verify).toHaveBeenCalledTimes(1)
  const expired = new Date(now.getTime() + API_TOKEN_LIFETIME)
  expect(await verifyToken(issuer, jwt, expired)).toBeNull()
})

it('does not accept a cached token for another issuer or other keys', async () => {
  const jwt = await aToken(await aUser())
  expect(await verifyToken(issuer, jwt, new Date())).not.toBeNull()
  const elsewhere = { ...issuer, url: 'https://elsewhere.example' }
  expect(await verifyToken(elsewhere, jwt, new Date())).toBeNull()
  const withOtherKeys = { ...issuer, keys: [await generateSigningKey()] }
  expect(await verifyToken(withOtherKeys, jwt, new Date())).toBeNull()
  expect(await verifyToken(issuer, jwt, new Date())).not.toBeNull()
})
