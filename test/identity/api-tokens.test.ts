import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { expect, it } from 'vitest'
import { API_TOKEN_LIFETIME, newToken, verifyToken } from '../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema/users.ts'
import { call } from '../support/api.ts'
import { aToken, aUser, db, issuer } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  aWallet,
  generate,
  linkWallet,
  readToken,
  revoke,
  sessionIdOf,
  signInByEmail,
  signInByWallet,
} from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'

/** Returns the namespace of the token that this page shows. */
async function namespaceAt(path: string) {
  const id = path.split('/').at(-1) ?? ''
  const [token] = await db.select().from(tokens).where(eq(tokens.id, id))
  return token?.namespace
}

const useToken = (token: string) => call('GET', OWN, { token })

it('generates a token that the API accepts, lists it, shows it again, and revokes it', async () => {
  const { visitor, user } = await aSignedInVisitor()
  expect(await (await visitor.get('/settings/api-access')).text()).toContain('no tokens yet')
  const { path, jwt } = await generate(visitor, { name: 'my shop' })
  expect(await verifyToken(issuer, jwt, new Date())).toMatchObject({ userId: user.id })
  expect((await useToken(jwt)).status).toBe(200)
  expect(await readToken(visitor, path)).toBe(jwt)
  const list = await (await visitor.get('/settings/api-access')).text()
  expect(list).toContain('<h4>my shop</h4>')
  expect(list).not.toContain(jwt)

  const revoked = await revoke(visitor, path)
  expect(revoked.headers.get('location')).toBe('/settings/api-access?notice=token-revoked')
  expect((await useToken(jwt)).status).toBe(401)
  expect((await visitor.get(path)).status).toBe(404)
  expect((await revoke(visitor, path)).status).toBe(404)
  expect(await (await visitor.get('/settings/api-access')).text()).not.toContain('my shop')
})

it('shows and revokes a token only for its owner', async () => {
  const { path, jwt } = await generate((await aSignedInVisitor()).visitor)
  const { visitor: stranger } = await aSignedInVisitor()
  expect((await stranger.get(path)).status).toBe(404)
  expect((await revoke(stranger, path)).status).toBe(404)
  expect((await useToken(jwt)).status).toBe(200)
})

it('rejects requests of other sites', async () => {
  const { visitor } = await aSignedInVisitor()
  const headers = { 'sec-fetch-site': 'cross-site', origin: 'https://evil.test' }
  const { path } = await generate(visitor)
  expect(
    (await visitor.post('/settings/api-access/tokens', { form: { name: 'x' }, headers })).status,
  ).toBe(403)
  expect((await visitor.post(`${path}/revoke`, { headers })).status).toBe(403)
  expect((await visitor.get(path)).status).toBe(200)
})

it('generates master tokens only for administrators', async () => {
  const form = { name: 'everything', role: 'master' }
  const { response } = await generate((await aSignedInVisitor()).visitor, form)
  expect(response.status).toBe(403)
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const { jwt } = await generate(visitor, form)
  expect(await verifyToken(issuer, jwt, new Date())).toMatchObject({ role: 'master' })
  const other = await aUser()
  const path = `/api/public/user/${other.id}/deliveryAddresses`
  expect((await call('GET', path, { token: jwt })).status).toBe(200)

  await db.update(users).set({ roleId: null }).where(eq(users.id, user.id))
  expect((await call('GET', path, { token: jwt })).status).toBe(401)
  expect((await visitor.get('/settings/api-access/everyone')).status).toBe(403)
})

it('lets an administrator find and revoke the tokens of others, but not read them', async () => {
  const { visitor: owner, user } = await aSignedInVisitor({ email: 'owner@xn--bcher-kva.example' })
  const { path, jwt } = await generate(owner, { name: 'leaked' })
  const { visitor: administrator } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const wallet = user.ethereumPublicAddr
  for (const owner of [
    `${user.id}`,
    'Owner@bücher.example',
    wallet,
    `\u200e0X${wallet.slice(2)}`,
  ]) {
    const query = new URLSearchParams({ owner })
    const page = await administrator.get(`/settings/api-access/everyone?${query}`)
    expect(await page.text()).toContain('<h4>leaked</h4>')
  }
  const nobody = await administrator.get('/settings/api-access/everyone?owner=nobody@example.com')
  expect(await nobody.text()).toContain('“nobody@example.com” has no live token.')
  expect((await administrator.get(path)).status).toBe(404)
  const response = await administrator.post(`${path}/revoke`, { form: { back: 'everyone' } })
  expect(response.headers.get('location')).toBe(
    '/settings/api-access/everyone?notice=token-revoked',
  )
  expect((await useToken(jwt)).status).toBe(401)
})

it('shows all tokens in pages, each token once', async () => {
  const owner = await aUser()
  const records = Array.from({ length: 120 }, () => ({
    ...newToken(
      issuer,
      { userId: owner.id, role: 'user' as const },
      API_TOKEN_LIFETIME,
      new Date(),
    ),
    kind: 'api' as const,
    namespace: 'test',
  }))
  const named = records.map((record, i) => ({ ...record, name: `token ${i}.` }))
  for (let i = 0; i < named.length; i += 10) await db.insert(tokens).values(named.slice(i, i + 10))
  const { visitor } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const seen: string[] = []
  let path: string | undefined = `/settings/api-access/everyone?owner=${owner.id}`
  let pages = 0
  while (path) {
    const page: string = await (await visitor.get(path)).text()
    seen.push(...Array.from(page.matchAll(/<h4>(token \d+\.)<\/h4>/g), ([, name]) => name ?? ''))
    path = /href="([^"]+)"[^>]*>\s*Older tokens/.exec(page)?.[1]?.replaceAll('&amp;', '&')
    pages++
  }
  expect(pages).toBe(3)
  expect(seen.length).toBe(120)
  expect(new Set(seen)).toEqual(new Set(named.map(({ name }) => name)))
})

it('limits a user to 50 live tokens', async () => {
  const { visitor, user } = await aSignedInVisitor()
  for (let i = 0; i < 49; i++) await aToken(user)
  expect((await generate(visitor)).response.status).toBe(303)
  const { response } = await generate(visitor)
  expect(response.status).toBe(409)
  expect(await response.text()).toContain('revoke one that you do not need')
})

it('requires a name of 1 to 100 characters, and escapes it', async () => {
  const { visitor } = await aSignedInVisitor()
  expect((await generate(visitor, { name: '   ' })).response.status).toBe(400)
  expect((await generate(visitor, { name: 'x'.repeat(101) })).response.status).toBe(400)
  await generate(visitor, { name: '<script>alert(1)</script>' })
  const list = await (await visitor.get('/settings/api-access')).text()
  expect(list).toContain('&lt;script&gt;alert(1)&lt;/script&gt;')
  expect(list).not.toContain('<script>alert')
})

it('does not generate a second live token of a name', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path, jwt } = await generate(visitor, { name: 'shop' })
  const { response } = await generate(visitor, { name: 'shop' })
  expect(response.status).toBe(409)
  expect(await response.text()).toContain(
    'There is a live user token with the name &quot;shop&quot;',
  )
  expect((await useToken(jwt)).status).toBe(200)
  expect((await generate(visitor, { name: 'Shop' })).response.status).toBe(303)

  await revoke(visitor, path)
  const again = await generate(visitor, { name: 'shop' })
  expect((await useToken(again.jwt)).status).toBe(200)
  expect((await useToken(jwt)).status).toBe(401)
})

it('generates one token for two calls with the same name at the same time', async () => {
  const { visitor } = await aSignedInVisitor()
  const calls = await Promise.all([generate(visitor), generate(visitor)])
  expect(calls.map(({ response }) => response.status).sort()).toEqual([303, 409])
})

it('generates a token under the name of an expired one', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await generate(visitor)
  const expiresAt = new Date().toISOString()
  await db
    .update(tokens)
    .set({ expiresAt })
    .where(and(eq(tokens.userId, user.id), eq(tokens.kind, 'api')))
  expect((await generate(visitor)).response.status).toBe(303)
})

it.each([
  ['metrics', '/metrics', 'Metrics'],
  ['orders', '/api/externalOrders', 'Orders of one shop'],
])('generates tokens for %s only for administrators', async (scope, readable, badge) => {
  const form = { name: `for ${scope}`, scope }
  const { visitor, user } = await aSignedInVisitor()
  const offer = `<option value="${scope}">`
  expect(await (await visitor.get('/settings/api-access')).text()).not.toContain(offer)
  expect((await generate(visitor, form)).response.status).toBe(403)
  await db.update(users).set({ roleId: ADMINISTRATOR }).where(eq(users.id, user.id))
  expect(await (await visitor.get('/settings/api-access')).text()).toContain(offer)
  const { path, jwt } = await generate(visitor, form)
  const claims = { role: 'master', scope }
  expect(await verifyToken(issuer, jwt, new Date())).toMatchObject(claims)
  expect((await call('GET', readable, { token: jwt })).status).toBe(200)
  expect((await useToken(jwt)).status).toBe(403)
  const page = await (await visitor.get(path)).text()
  expect(page).toContain(`<span class="badge">${badge}</span>`)
  expect(page).toContain(`https://marketplace.test${readable}`)
})

it('lets each user have a token of a name, but only one administrator a master token', async () => {
  const administrators = [
    await aSignedInVisitor({ roleId: ADMINISTRATOR }),
    await aSignedInVisitor({ roleId: ADMINISTRATOR }),
  ]
  const statusesFor = (role: string) =>
    Promise.all(
      administrators.map(async ({ visitor }) => {
        const { response } = await generate(visitor, { name: 'same name', role })
        return response.status
      }),
    )
  expect(await statusesFor('user')).toEqual([303, 303])
  expect((await statusesFor('master')).sort()).toEqual([303, 409])
  const { visitor } = await aSignedInVisitor()
  const { response } = await generate(visitor, { name: 'same name', role: 'master' })
  expect(response.status).toBe(403)
})

it.each([
  ['a\tb', 'U+0009 at position 2'],
  ['a\u0000b', 'U+0000 at position 2'],
  ['a\u202Eb', 'U+202E at position 2'],
  ['shop ', 'U+0020 at position 5'],
])(
  'generates no token with the name %j, and says why beside the field',
  async (name, character) => {
    const { visitor } = await aSignedInVisitor()
    const { response } = await generate(visitor, { name })
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(`Must not have ${character}.`)
  },
)

it.each(['session', 'Session', 'SESSION'])('generates no token with the name %j', async (name) => {
  const { visitor } = await aSignedInVisitor()
  const { response } = await generate(visitor, { name })
  expect(response.status).toBe(400)
  expect(await response.text()).toContain('which is the name of browser sessions')
})

it('keeps the namespace of a user who links a second way to sign in', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  await signInByEmail(visitor, email)
  const before = await generate(visitor, { name: 'shop' })
  await linkWallet(visitor)
  await revoke(visitor, before.path)
  const after = await generate(visitor, { name: 'shop' })
  const rows = await Promise.all([before, after].map(({ path }) => namespaceAt(path)))
  const hash = createHash('sha256').update(`email:${email}`).digest('hex')
  expect(rows).toEqual([`user:${hash}:shop`, `user:${hash}:shop`])
})

it('uses the EIP-55 spelling of the wallet for the namespace, and another one for sessions', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  const { userId } = await (await signInByWallet(visitor, wallet)).json<{ userId: number }>()
  await generate(visitor, { name: 'shop' })
  const rows = await db.select().from(tokens).where(eq(tokens.userId, userId))
  const hash = createHash('sha256').update(`wallet:${wallet.address}`).digest('hex')
  expect(rows.map(({ namespace }) => namespace).sort()).toEqual([
    `user:${hash}:session`,
    `user:${hash}:shop`,
  ])
})

const ownAddress = (token: string) =>
  call('POST', '/api/public/deliveryAddress', { token, json: { name: 'Ada' } })

it('generates a read-only token, which reads but changes nothing', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path, jwt } = await generate(visitor, { name: 'reports', scope: 'read' })
  expect(decodeJwt(jwt)).toMatchObject({ role: 'user', scope: 'read' })
  expect((await useToken(jwt)).status).toBe(200)
  const refused = await ownAddress(jwt)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({
    code: 'forbidden',
    error: 'this token may only read',
  })
  expect(await (await visitor.get(path)).text()).toContain('Read-only')
})

it('names no scope in a token that may write', async () => {
  const { visitor } = await aSignedInVisitor()
  const { jwt } = await generate(visitor)
  expect(Object.keys(decodeJwt(jwt)).sort()).toEqual([
    'aud',
    'exp',
    'iat',
    'iss',
    'jti',
    'role',
    'sub',
  ])
  expect((await ownAddress(jwt)).status).toBe(200)
})

it.each([
  ['7', 7],
  ['30', 30],
  ['90', 90],
  ['365', 365],
  [undefined, 365],
])('generates a token for %s days: it expires after %i', async (days, expected) => {
  const { visitor } = await aSignedInVisitor()
  const { jwt } = await generate(visitor, { name: 'shop', ...(days && { days }) })
  const { iat = 0, exp = 0 } = decodeJwt(jwt)
  expect((exp - iat) / 86_400).toBe(expected)
})

it.each([{ days: '8' }, { days: '0' }, { scope: 'admin' }])('does not accept %j', async (form) => {
  const { visitor } = await aSignedInVisitor()
  expect((await generate(visitor, { name: 'shop', ...form })).response.status).toBe(400)
})

const rowAt = async (path: string) => {
  const id = path.split(/[/?]/).at(4) ?? ''
  const [row] = await db.select().from(tokens).where(eq(tokens.id, id))
  if (!row) throw new Error(`there is no token ${id}`)
  return row
}

it('rolls a token: the new one continues it, and the old one works for 24 hours', async () => {
  const { visitor } = await aSignedInVisitor()
  const old = await generate(visitor, { name: 'shop', scope: 'read', days: '30' })
  const response = await visitor.post(`${old.path}/roll`)
  const path = response.headers.get('location') ?? ''
  expect(path).toMatch(/^\/settings\/api-access\/tokens\/[0-9a-f-]{36}\?notice=token-rolled$/)
  const jwt = await readToken(visitor, path)
  expect(jwt).not.toBe(old.jwt)
  const [before, after] = [await rowAt(old.path), await rowAt(path)]
  const { name, namespace, role, scope, kind, userId } = before
  expect(after).toMatchObject({ name, namespace, role, scope, kind, userId, rolledAt: null })
  expect(Date.parse(after.expiresAt) - Date.parse(after.createdAt)).toBe(30 * 86_400_000)
  expect(decodeJwt(jwt).exp).toBe(Date.parse(after.expiresAt) / 1000)
  expect((await useToken(old.jwt)).status).toBe(200)
  expect((await useToken(jwt)).status).toBe(200)
  const list = await (await visitor.get('/settings/api-access')).text()
  expect(list).toContain('Replaced')

  const rolledAt = new Date(Date.now() - 86_400_000).toISOString()
  await db.update(tokens).set({ rolledAt }).where(eq(tokens.id, before.id))
  expect((await useToken(old.jwt)).status).toBe(401)
  expect((await ownAddress(old.jwt)).status).toBe(403)
  expect((await useToken(jwt)).status).toBe(200)
  expect(await (await visitor.get('/settings/api-access')).text()).toContain('Expired')
})

it('rolls a token once, also for two calls at the same time', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  const calls = await Promise.all([visitor.post(`${path}/roll`), visitor.post(`${path}/roll`)])
  expect(calls.map(({ status }) => status).sort()).toEqual([303, 404])
})

it('does not roll an expired token, one of somebody else, or a session', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  const { visitor: stranger } = await aSignedInVisitor()
  expect((await stranger.post(`${path}/roll`)).status).toBe(404)
  const session = `/settings/api-access/tokens/${sessionIdOf(visitor)}/roll`
  expect((await visitor.post(session)).status).toBe(404)
  const isApi = and(eq(tokens.userId, user.id), eq(tokens.kind, 'api'))
  await db.update(tokens).set({ expiresAt: new Date().toISOString() }).where(isApi)
  expect((await visitor.post(`${path}/roll`)).status).toBe(404)
})

it('keeps the name taken when a token was rolled', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  await visitor.post(`${path}/roll`)
  expect((await generate(visitor)).response.status).toBe(409)
})

it('mails the owner of a new master token, also of a rolled one', async () => {
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR, email: anEmail() })
  await generate(visitor, { name: 'mine' })
  expect(visitor.mails).toEqual([])
  const { path } = await generate(visitor, { name: 'erp 1', role: 'master' })
  await visitor.post(`${path}/roll`)
  const mail = {
    to: user.email,
    subject: 'A master token was generated for marketplace.test',
    text: expect.stringContaining('a new master token with the name “erp 1”'),
  }
  expect(visitor.mails).toMatchObject([mail, mail])
})

it('revokes the master tokens of an administrator who is demoted for good', async () => {
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const master = await generate(visitor, { name: 'erp 2', role: 'master' })
  const own = await generate(visitor, { name: 'mine' })
  const setRole = (roleId: number | null) =>
    db.update(users).set({ roleId }).where(eq(users.id, user.id))
  await setRole(null)
  await setRole(ADMINISTRATOR)
  expect((await useToken(master.jwt)).status).toBe(401)
  expect((await useToken(own.jwt)).status).toBe(200)
  expect((await visitor.get('/settings/api-access/everyone')).status).toBe(200)
})
