import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import app from '../../src/app.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { aPng } from '../avatars/pictures.ts'
import { aForm } from '../avatars/uploads.ts'
import { callerOf } from '../orders/shop.ts'
import { answerOf, BASE_URL, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aMasterToken, aSession, aToken, aUser, setRow } from '../support/makers.ts'
import { aVisitor, aWallet, requestMessage, sessionIdOf } from '../support/visitor.ts'

/**
 * Sends a request. `keys` are the keys that the rate limits were asked for, with the name of the
 * limit unless it is `RATE_LIMIT`. The limit `reached` refuses.
 */
async function send(
  headers: Record<string, string>,
  { reached = '', path = '/api/public/user/me/billingAddresses' } = {},
) {
  const keys: string[] = []
  const limitNamed = (name: string) => ({
    limit: async ({ key }: { key: string }) => {
      const own = key.replace(`${BASE_URL} `, '')
      keys.push(name === 'RATE_LIMIT' ? own : `${name} ${own}`)
      return { success: name !== reached }
    },
  })
  const limits = {
    RATE_LIMIT: limitNamed('RATE_LIMIT'),
    USER_RATE_LIMIT: limitNamed('USER_RATE_LIMIT'),
    MASTER_RATE_LIMIT: limitNamed('MASTER_RATE_LIMIT'),
  }
  const response = await app.request(
    path,
    { headers },
    { ...env, ...limits },
    createExecutionContext(),
  )
  return { response, keys }
}

/** The keys that count an API call with a user token or a session. */
const keysOf = async (jwt: string, { id }: { id: number }) => [
  `token:${await tokenIdOf(jwt)}`,
  `USER_RATE_LIMIT user:${id}`,
]

const tokenIdOf = async (jwt: string) => (await callerOf(jwt)).tokenId

it('counts user tokens and sessions by themselves, and those of a user together', async () => {
  const user = await aUser()
  for (const jwt of [await aToken(user), await aToken(user)]) {
    const headers = { authorization: `Bearer ${jwt}`, 'cf-connecting-ip': '192.0.2.1' }
    const { response, keys } = await send(headers)
    expect({ status: response.status, keys }).toEqual({
      status: 200,
      keys: await keysOf(jwt, user),
    })
  }
  const session = await aSession(user)
  expect((await send({ cookie: `token=${session}` })).keys).toEqual(await keysOf(session, user))
})

it('does not count for the user what the limit of the token refuses', async () => {
  const jwt = await aToken(await aUser())
  const { keys } = await send({ authorization: `Bearer ${jwt}` }, { reached: 'RATE_LIMIT' })
  expect(keys).toEqual([`token:${await tokenIdOf(jwt)}`])
})

it('counts each master token by itself', async () => {
  for (const jwt of [await aMasterToken(), await aMasterToken()]) {
    const { keys } = await send({ authorization: `Bearer ${jwt}` })
    expect(keys).toEqual([`MASTER_RATE_LIMIT token:${await tokenIdOf(jwt)}`])
  }
})

it('counts a revoked token per client address, for a minute after it was refused', async () => {
  const user = await aUser()
  const jwt = await aToken(user)
  await setRow(tokens, await tokenIdOf(jwt), { revokedAt: new Date().toISOString() })
  const use = (token: string) =>
    send({ authorization: `Bearer ${token}`, 'cf-connecting-ip': '192.0.2.3' })
  stopClock()
  const { response, keys } = await use(jwt)
  const counted = await keysOf(jwt, user)
  expect({ status: response.status, keys }).toEqual({ status: 401, keys: counted })
  expect((await use(jwt)).keys).toEqual(['address:192.0.2.3'])
  const another = await aToken(user)
  expect((await use(another)).keys).toEqual(await keysOf(another, user))
  vi.setSystemTime(Date.now() + 121_000)
  expect((await use(jwt)).keys).toEqual(counted)
})

it('counts requests without a valid token per client address, and IPv6 per /64 network', async () => {
  for (const [address, key] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8:0:7::1', '2001:db8:0:7::/64'],
    ['2001:db8::7:ffff:ffff:ffff:ffff', '2001:db8:0:7::/64'],
    ['2001:db8:0:8::1', '2001:db8:0:8::/64'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
  ] as const) {
    expect((await send({ 'cf-connecting-ip': address })).keys).toEqual([`address:${key}`])
    const forged = { 'cf-connecting-ip': address, authorization: 'Bearer a.b.c' }
    expect((await send(forged)).keys).toEqual([`address:${key}`])
  }
})

/** A limit that one request reaches. `keys` are the keys that it was asked for. */
function aLimitOfOne() {
  const keys: string[] = []
  return {
    keys,
    limit: async ({ key }: { key: string }) => ({
      success: keys.push(key.replace(`${BASE_URL} `, '')) <= 1,
    }),
  }
}

it('limits the changes of avatars, all three endpoints together', async () => {
  const user = await aUser()
  const { keys, limit } = aLimitOfOne()
  const change = async (endpoint: string, content: Parameters<typeof callWith>[3]) =>
    callWith({ AVATAR_LIMIT: { limit } }, 'PUT', `/api/public/user/me/profile/${endpoint}`, {
      token: await aToken(user),
      ...content,
    })
  expect((await change('updateAvatarBytes', { body: aPng() })).status).toBe(200)
  for (const response of [
    await change('updateAvatarBytes', { body: aPng() }),
    await change('updateAvatarFile', { body: aForm(aPng()) }),
    await change('avatar', { json: { avatarUrl: 'https://pictures.example.com/a.jpg' } }),
  ]) {
    expect(response.headers.get('retry-after')).toBe('60')
    expect(await answerOf(response)).toMatchObject({ status: 429, code: 'rate_limited' })
  }
  expect(keys).toEqual(Array(4).fill(`user:${user.id}`))
})

it('limits the generation of tokens', async () => {
  const user = await aUser()
  const visitor = aVisitor(await aSession(user))
  const { keys, limit } = aLimitOfOne()
  const generate = (name: string) =>
    visitor.post('/settings/api-access/tokens', { form: { name }, env: { TOKEN_LIMIT: { limit } } })
  expect((await generate('first')).status).toBe(303)
  expect((await generate('second')).status).toBe(429)
  expect(keys).toEqual(Array(2).fill(`token:${sessionIdOf(visitor)}`))
})

it('counts pages per session, so that a stolen token does not keep its user out', async () => {
  const user = await aUser()
  const session = await aSession(user)
  const page = await send({ cookie: `token=${session}` }, { path: '/settings/api-access' })
  expect(page.keys).toEqual([`token:${await tokenIdOf(session)}`])
  const stolen = await aToken(user)
  const refused = await send({ cookie: `token=${stolen}` }, { path: '/settings/api-access' })
  expect(refused.keys).toEqual([`token:${await tokenIdOf(stolen)}`])
})

it('counts public paths per client address, whatever the token', async () => {
  const authorization = `Bearer ${await aToken(await aUser())}`
  for (const path of ['/api/public/stats', '/.well-known/jwks.json', '/sign-in', '/nowhere']) {
    const { keys } = await send({ authorization, 'cf-connecting-ip': '192.0.2.9' }, { path })
    expect(keys).toEqual(['address:192.0.2.9'])
  }
})

it('counts a live token by itself, although a sign-in with it was refused', async () => {
  const user = await aUser()
  const jwt = await aToken(user)
  const headers = { authorization: `Bearer ${jwt}` }
  const wallet = aWallet()
  const message = await requestMessage(aVisitor(), wallet)
  const signature = await wallet.signMessage({ message })
  // Another browser than the one that requested the message.
  const refused = await aVisitor().postJson('/sign-in/wallet', { message, signature }, { headers })
  expect(refused.status).toBe(401)
  expect((await send(headers)).keys).toEqual(await keysOf(jwt, user))
})

it('counts apart from other instances of the account, whose limits may have the same namespace', async () => {
  const keys: string[] = []
  const limit = async ({ key }: { key: string }) => ({ success: keys.push(key) > 0 })
  const limits = { RATE_LIMIT: { limit }, SIGN_IN_LIMIT: { limit } }
  for (const PUBLIC_URL of ['https://one.example.com', 'https://two.example.com'])
    await callWith({ ...env, ...limits, PUBLIC_URL } as Env, 'GET', '/api/public/stats', {
      headers: { 'cf-connecting-ip': '192.0.2.7' },
    })
  expect(keys).toEqual([
    'https://one.example.com address:192.0.2.7',
    'https://two.example.com address:192.0.2.7',
  ])
})
