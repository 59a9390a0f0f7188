import { expect, it, onTestFinished, vi } from 'vitest'
import { generateSigningKey } from '../../scripts/operate/keys/generate.ts'
import { API_TOKEN_LIFETIME, newToken, signToken, verifyToken } from '../../src/auth/tokens.ts'
import { tokens } from '../../src/db/schema/users.ts'
import type { SigningKey } from '../../src/env.ts'
import { call } from '../support/api.ts'
import { aToken, aUser, db, issuer } from '../support/makers.ts'
import { aVisitor } from '../support/visitor.ts'

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

const now = new Date()

const withKeys = (...keys: SigningKey[]) => ({
  settings: { JWT_KEYS: JSON.stringify({ keys }) },
  issuer: { url: issuer.url, keys },
})

async function aSignedToken(keys: readonly SigningKey[]) {
  const { id: userId } = await aUser()
  const keyIssuer = { url: issuer.url, keys }
  const record = newToken(keyIssuer, { userId, role: 'user' }, API_TOKEN_LIFETIME, now)
  await db.insert(tokens).values({ ...record, kind: 'api', name: 'rotated', namespace: 'rotated' })
  return { record, jwt: await signToken(keyIssuer, record) }
}

const useToken = (jwt: string, settings: { JWT_KEYS: string }) =>
  aVisitor().get('/api/public/user/me/deliveryAddresses', {
    headers: { authorization: jwt },
    env: settings as Partial<Env>,
  })

it('accepts tokens of both keys, publishes both keys, and signs with the first', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])

  const published = withKeys(before, after)
  const keySet = await aVisitor().get('/.well-known/jwks.json', {
    env: published.settings as Partial<Env>,
  })
  const { keys } = await keySet.json<{ keys: { kid: string }[] }>()
  expect(keys.map(({ kid }) => kid)).toEqual([before.kid, after.kid])
  expect((await useToken(old.jwt, published.settings)).status).toBe(200)

  const rotated = withKeys(after, before)
  const fresh = await aSignedToken(rotated.issuer.keys)
  expect(fresh.record.keyId).toBe(after.kid)
  expect((await useToken(old.jwt, rotated.settings)).status).toBe(200)
  expect((await useToken(fresh.jwt, rotated.settings)).status).toBe(200)
  // An instance that still has the previous configuration accepts new tokens, too.
  expect((await useToken(fresh.jwt, published.settings)).status).toBe(200)
})

it('rejects tokens of a removed key, and signs their records with the current key', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])
  const retired = withKeys(after)
  expect((await useToken(old.jwt, retired.settings)).status).toBe(401)
  const again = await signToken(retired.issuer, old.record)
  expect(await verifyToken(retired.issuer, again, now)).toMatchObject({ tokenId: old.record.id })
  expect((await useToken(again, retired.settings)).status).toBe(200)
})

it('signs a record again with its own key while that key is configured', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])
  expect(await signToken(withKeys(after, before).issuer, old.record)).toBe(old.jwt)
})
