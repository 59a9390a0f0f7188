import { SignJWT } from 'jose'
import { expect, it } from 'vitest'
import { answerOf, call } from '../support/api.ts'
import { forged } from '../support/forged.ts'

const OWN = '/api/public/user/me/deliveryAddresses'

it('asks for a token without one, and says nothing more', async () => {
  const response = await call('GET', OWN)
  expect(response.status).toBe(401)
  expect(response.headers.get('www-authenticate')).toBe('Bearer')
  expect(await response.json()).toMatchObject({ error: 'a token is required' })
})

it.each([
  ['a malformed token', 'the token is malformed'],
  ['an expired token', 'the token has expired'],
  ['a revoked token', 'the token was revoked'],
  ['another issuer', 'the token was issued by another instance'],
  ['an unknown key id', 'the token was signed with an unknown key'],
  ['a token whose claims were changed', 'the token has no valid signature or claims'],
  ['a token without an expiry', 'the token has no valid signature or claims'],
])('says what is wrong with %s (RFC 6750)', async (name, reason) => {
  const forge = forged[name]
  if (!forge) throw new Error(`there is no ${name}`)
  const response = await call('GET', OWN, { token: await forge() })
  const challenge = `Bearer error="invalid_token", error_description="${reason}"`
  expect(response.headers.get('www-authenticate')).toBe(challenge)
  const refused = { status: 401, error: reason, code: 'unauthenticated' }
  expect(await answerOf(response)).toMatchObject(refused)
})

it('repeats nothing of a token', async () => {
  const token = await new SignJWT({ role: 'user' })
    .setProtectedHeader({ alg: 'HS256', kid: '"quoted"' })
    .setIssuer('https://evil.test/"quoted"')
    .sign(new TextEncoder().encode('x'.repeat(32)))
  const response = await call('GET', OWN, { token })
  expect(response.headers.get('www-authenticate')).not.toMatch(/evil|quoted/)
})
