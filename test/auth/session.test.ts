import { expect, it, vi } from 'vitest'
import { newToken, signToken } from '../../src/auth/tokens.ts'
import { call } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aSession, aToken, aUser, issuer } from '../support/makers.ts'
import { aVisitor, sessionIdOf, signInByWallet } from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'

it('ends at sign-out, even for a copy of the cookie', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const stolen = visitor.cookies.get('token') ?? ''
  const response = await visitor.post('/sign-out')
  expect(response.headers.get('location')).toBe('/sign-in?notice=signed-out')
  expect(visitor.cookies.has('token')).toBe(false)
  const thief = aVisitor()
  thief.cookies.set('token', stolen)
  expect((await thief.get(OWN)).status).toBe(401)
  expect((await thief.get('/sign-in')).status).toBe(200)
})

it('is not used if the cookie is there twice with different values', async () => {
  const [own, foreign] = [await aSession(await aUser()), await aSession(await aUser())]
  const statusWith = async (cookie: string) =>
    (await call('GET', OWN, { headers: { cookie } })).status
  expect(await statusWith(`token=${own}`)).toBe(200)
  expect(await statusWith(`a=1; token=${own}; xtoken=${foreign};token=${own}`)).toBe(200)
  for (const other of [foreign, 'broken', '', '"'])
    for (const [first, second] of [
      [own, other],
      [other, own],
    ])
      expect(await statusWith(`token=${first}; token=${second}`)).toBe(401)
})

it('ends after 30 days', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const end = Date.now() + 30 * 24 * 60 * 60 * 1000
  stopClock()
  vi.setSystemTime(end - 10_000)
  expect((await visitor.get(OWN)).status).toBe(200)
  vi.setSystemTime(end + 10_000)
  expect((await visitor.get(OWN)).status).toBe(401)
})

it('does not revoke an API token in the cookie at sign-out', async () => {
  const token = await aToken(await aUser())
  const visitor = aVisitor()
  visitor.cookies.set('token', token)
  await visitor.post('/sign-out')
  visitor.cookies.set('token', token)
  expect((await visitor.get(OWN)).status).toBe(200)
})

it('does not end by the sign-out of a forged token with its id', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const id = sessionIdOf(visitor)
  const thief = await aUser()
  const forged = newToken(issuer, { userId: thief.id, role: 'user', id }, 60_000, new Date())
  const forger = aVisitor()
  forger.cookies.set('token', await signToken(issuer, forged))
  expect((await forger.post('/sign-out')).status).toBe(303)
  expect((await visitor.get(OWN)).status).toBe(200)
})
