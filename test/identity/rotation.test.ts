/** Changing the signing key, step by step as the README tells it. */
import { expect, it } from 'vitest'
import { tokens } from '../../src/db/schema.ts'
import type { SigningKey } from '../../src/env.ts'
import {
  API_TOKEN_LIFE,
  generateSigningKey,
  newToken,
  signToken,
  verifyToken,
} from '../../src/identity/tokens.ts'
import { aUser, db, issuer } from '../support/makers.ts'
import { aVisitor } from '../support/visitor.ts'

const now = new Date()

const withKeys = (...keys: SigningKey[]) => ({
  settings: { JWT_KEYS: JSON.stringify({ keys }) },
  issuer: { url: issuer.url, keys },
})

async function aSignedToken(keys: readonly SigningKey[]) {
  const { id: userId } = await aUser()
  const by = { url: issuer.url, keys }
  const record = newToken(by, { userId, role: 'user' }, API_TOKEN_LIFE, now)
  await db.insert(tokens).values({ ...record, kind: 'api', name: 'rotated' })
  return { record, jwt: await signToken(by, record) }
}

const use = (jwt: string, settings: { JWT_KEYS: string }) =>
  aVisitor().get('/api/public/user/me/deliveryAddresses', {
    headers: { authorization: jwt },
    env: settings as Partial<Env>,
  })

it('takes tokens of both keys while both are live, publishes both, and signs with the first', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])

  const published = withKeys(before, after)
  const keySet = await aVisitor().get('/.well-known/jwks.json', {
    env: published.settings as Partial<Env>,
  })
  const { keys } = await keySet.json<{ keys: { kid: string }[] }>()
  expect(keys.map(({ kid }) => kid)).toEqual([before.kid, after.kid])
  expect((await use(old.jwt, published.settings)).status).toBe(200)

  const rotated = withKeys(after, before)
  const fresh = await aSignedToken(rotated.issuer.keys)
  expect(fresh.record.keyId).toBe(after.kid)
  expect((await use(old.jwt, rotated.settings)).status).toBe(200)
  expect((await use(fresh.jwt, rotated.settings)).status).toBe(200)
  // Whoever has not seen the change yet takes the new tokens too: the key was published before.
  expect((await use(fresh.jwt, published.settings)).status).toBe(200)
})

it('refuses the tokens of a key that was taken away, and shows them signed by the one that stays', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])
  const retired = withKeys(after)
  expect((await use(old.jwt, retired.settings)).status).toBe(401)
  const again = await signToken(retired.issuer, old.record)
  expect(await verifyToken(retired.issuer, again, now)).toMatchObject({ tokenId: old.record.id })
  expect((await use(again, retired.settings)).status).toBe(200)
})

it('shows a token as it was while its key is live, whichever key signs now', async () => {
  const [before, after] = [await generateSigningKey(), await generateSigningKey()]
  const old = await aSignedToken([before])
  expect(await signToken(withKeys(after, before).issuer, old.record)).toBe(old.jwt)
})
