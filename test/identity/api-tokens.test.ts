import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { decodeJwt } from 'jose'
import { describe, expect, it } from 'vitest'
import { verifyToken } from '../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema/users.ts'
import { answerOf, call } from '../support/api.ts'
import { aToken, aUser, db, findRow, issuer, setRow } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  generate,
  linkWallet,
  locationOf,
  pageOf,
  readToken,
  revoke,
  sessionIdOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'

const OWN = '/api/public/user/me/deliveryAddresses'
const EVERYONE = '/settings/api-access/everyone'

/** The row of the token that this page shows. */
async function rowAt(path: string) {
  const id = path.split(/[/?]/).at(4) ?? ''
  const row = await findRow(tokens, id)
  if (!row) throw new Error(`there is no token ${id}`)
  return row
}

const listOf = async (visitor: Visitor) => (await pageOf(visitor.get('/settings/api-access'))).html

const useToken = (token: string) => call('GET', OWN, { token })

it('generates a token that the API accepts, lists it, shows it again, and revokes it', async () => {
  const { visitor, user } = await aSignedInVisitor()
  expect(await listOf(visitor)).toContain('no tokens yet')
  const { path, jwt } = await generate(visitor, { name: 'my shop' })
  expect(await verifyToken(issuer, jwt, new Date())).toMatchObject({ userId: user.id })
  expect((await useToken(jwt)).status).toBe(200)
  expect(await readToken(visitor, path)).toBe(jwt)
  const list = await listOf(visitor)
  expect(list).toContain('<h4>my shop</h4>')
  expect(list).not.toContain(jwt)

  const revoked = '/settings/api-access?notice=token-revoked'
  expect(await locationOf(revoke(visitor, path))).toBe(revoked)
  expect((await useToken(jwt)).status).toBe(401)
  expect((await visitor.get(path)).status).toBe(404)
  expect((await revoke(visitor, path)).status).toBe(404)
  expect(await listOf(visitor)).not.toContain('my shop')
})

it('shows and revokes a token only for its owner', async () => {
  const { path, jwt } = await generate((await aSignedInVisitor()).visitor)
  const { visitor: stranger } = await aSignedInVisitor()
  expect((await stranger.get(path)).status).toBe(404)
  expect((await revoke(stranger, path)).status).toBe(404)
  expect((await useToken(jwt)).status).toBe(200)
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

  await setRow(users, user.id, { roleId: null })
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
    const { html } = await pageOf(administrator.get(`${EVERYONE}?${query}`))
    expect(html).toContain('<h4>leaked</h4>')
  }
  const nobody = await pageOf(administrator.get(`${EVERYONE}?owner=nobody@example.com`))
  expect(nobody.html).toContain('“nobody@example.com” has no live token.')
  expect((await administrator.get(path)).status).toBe(404)
  const revoking = administrator.post(`${path}/revoke`, { form: { back: 'everyone' } })
  expect(await locationOf(revoking)).toBe(`${EVERYONE}?notice=token-revoked`)
  expect((await useToken(jwt)).status).toBe(401)
})

it('shows all tokens in pages, each token once', async () => {
  const owner = await aUser()
  for (let i = 0; i < 51; i++) await aToken(owner, 'user', 'api', `token ${i}.`)
  const { visitor } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const read = async (path: string) => {
    const { html } = await pageOf(visitor.get(path))
    const older = /href="([^"]+)"[^>]*>\s*Older tokens/.exec(html)?.[1]?.replaceAll('&amp;', '&')
    const names = [...html.matchAll(/<h4>(.*?)<\/h4>/g)].map(([, name]) => name)
    return { names, older }
  }
  const first = await read(`${EVERYONE}?owner=${owner.id}`)
  const second = await read(first.older ?? '')
  expect(second.older).toBe(undefined)
  const all = Array.from({ length: 51 }, (_, i) => `token ${i}.`)
  expect([...first.names, ...second.names].sort()).toEqual(all.sort())
})

it('limits a user to 50 live tokens', async () => {
  const { visitor, user } = await aSignedInVisitor()
  for (let i = 0; i < 49; i++) await aToken(user)
  expect((await generate(visitor)).response.status).toBe(303)
  const { status, html } = await pageOf((await generate(visitor)).response)
  expect(status).toBe(409)
  expect(html).toContain('revoke one that you do not need')
})

it('does not generate a second live token of a name', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path, jwt } = await generate(visitor, { name: 'shop' })
  const { status, html } = await pageOf((await generate(visitor, { name: 'shop' })).response)
  expect(status).toBe(409)
  expect(html).toContain('There is a live user token with the name &quot;shop&quot;')
  expect((await useToken(jwt)).status).toBe(200)
  expect((await generate(visitor, { name: 'Shop' })).response.status).toBe(303)

  await revoke(visitor, path)
  const again = await generate(visitor, { name: 'shop' })
  expect((await useToken(again.jwt)).status).toBe(200)
  expect((await useToken(jwt)).status).toBe(401)
})

it('generates a token under the name of an expired one', async () => {
  const { visitor } = await aSignedInVisitor()
  const { id } = await rowAt((await generate(visitor)).path)
  await setRow(tokens, id, { expiresAt: new Date().toISOString() })
  expect((await generate(visitor)).response.status).toBe(303)
})

it.each([
  ['metrics', '/metrics', 'Metrics'],
  ['orders', '/api/externalOrders', 'Orders of one shop'],
])('generates tokens for %s only for administrators', async (scope, readable, badge) => {
  const form = { name: `for ${scope}`, scope }
  const { visitor, user } = await aSignedInVisitor()
  const offer = `<option value="${scope}">`
  expect(await listOf(visitor)).not.toContain(offer)
  expect((await generate(visitor, form)).response.status).toBe(403)
  await setRow(users, user.id, { roleId: ADMINISTRATOR })
  expect(await listOf(visitor)).toContain(offer)
  const { path, jwt } = await generate(visitor, form)
  const claims = { role: 'master', scope }
  expect(await verifyToken(issuer, jwt, new Date())).toMatchObject(claims)
  expect((await call('GET', readable, { token: jwt })).status).toBe(200)
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
})

it('generates no token with a name that is refused, and says why beside the field', async () => {
  const { visitor } = await aSignedInVisitor()
  for (const [name, problem] of [
    ['   ', 'Must not have U+0020 at position 1.'],
    ['x'.repeat(101), 'Must be 1 to 100 characters.'],
    ['a\tb', 'Must not have U+0009 at position 2.'],
    ['session', 'which is the name of browser sessions'],
    ['api reference', 'which is the name of tokens of the API reference'],
  ] as const) {
    const { status, html } = await pageOf((await generate(visitor, { name })).response)
    expect([name, status]).toEqual([name, 400])
    expect(html).toContain(problem)
  }
})

it('keeps the namespace of a user who links a second way to sign in', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  await signInByEmail(visitor, email)
  const before = await generate(visitor, { name: 'shop' })
  await linkWallet(visitor)
  await revoke(visitor, before.path)
  const after = await generate(visitor, { name: 'shop' })
  const hash = createHash('sha256').update(`email:${email}`).digest('hex')
  for (const { path } of [before, after])
    expect((await rowAt(path)).namespace).toBe(`user:${hash}:shop`)
})

const ownAddress = (token: string) =>
  call('POST', '/api/public/deliveryAddress', { token, json: { name: 'Ada' } })

it('generates a token for the days that were chosen, or 365', async () => {
  const { visitor } = await aSignedInVisitor()
  for (const days of ['7', '365', '']) {
    const { jwt } = await generate(visitor, { name: `days${days}`, ...(days && { days }) })
    const { iat = 0, exp = 0 } = decodeJwt(jwt)
    expect((exp - iat) / 86_400).toBe(Number(days || 365))
  }
  for (const form of [{ days: '8' }, { scope: 'admin' }])
    expect((await generate(visitor, { name: 'shop', ...form })).response.status).toBe(400)
})

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
  expect(await listOf(visitor)).toContain('Replaced')
  // The name stays taken.
  expect((await generate(visitor, { name: 'shop' })).response.status).toBe(409)

  const rolledAt = new Date(Date.now() - 86_400_000).toISOString()
  await setRow(tokens, before.id, { rolledAt })
  expect((await useToken(old.jwt)).status).toBe(401)
  expect((await ownAddress(old.jwt)).status).toBe(403)
  expect((await useToken(jwt)).status).toBe(200)
  expect(await listOf(visitor)).toContain('Expired')
})

it('rolls a token once, also for two calls at the same time', async () => {
  const { visitor } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  const calls = await Promise.all([visitor.post(`${path}/roll`), visitor.post(`${path}/roll`)])
  expect(calls.map(({ status }) => status).sort()).toEqual([303, 404])
})

it('does not roll an expired token, one of somebody else, or a session', async () => {
  const { visitor } = await aSignedInVisitor()
  const { visitor: stranger } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  expect((await stranger.post(`${path}/roll`)).status).toBe(404)
  const session = `/settings/api-access/tokens/${sessionIdOf(visitor)}/roll`
  expect((await visitor.post(session)).status).toBe(404)
  await setRow(tokens, (await rowAt(path)).id, { expiresAt: new Date().toISOString() })
  expect((await visitor.post(`${path}/roll`)).status).toBe(404)
})

it('mails the owner of a new master token, also of a rolled one', async () => {
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR, email: anEmail() })
  await generate(visitor, { name: 'mine' })
  expect(visitor.mails).toEqual([])
  const { path } = await generate(visitor, { name: 'erp 1', role: 'master' })
  await visitor.post(`${path}/roll`)
  const mail = {
    to: user.email,
    subject: 'A master token was generated (marketplace.test)',
    text: expect.stringContaining('a new master token with the name “erp 1”'),
  }
  expect(visitor.mails).toMatchObject([mail, mail])
})

it('revokes the master tokens of an administrator who is demoted for good', async () => {
  const { visitor, user } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  const master = await generate(visitor, { name: 'erp 2', role: 'master' })
  const own = await generate(visitor, { name: 'mine' })
  const setRole = (roleId: number | null) => setRow(users, user.id, { roleId })
  await setRole(null)
  await setRole(ADMINISTRATOR)
  expect((await useToken(master.jwt)).status).toBe(401)
  expect((await useToken(own.jwt)).status).toBe(200)
  expect((await visitor.get('/settings/api-access/everyone')).status).toBe(200)
})

describe('a token for the reference of the API', () => {
  const getToken = (visitor: Visitor) =>
    answerOf<{ token: string; expiresAt: string }>(visitor.postJson('/docs/token', {}))

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
    expect((await useToken(token)).status).toBe(200)
    expect(await listOf(visitor)).toContain('API reference')
  })

  it('renews one row of the user, and keeps the tokens given before', async () => {
    const { visitor, user } = await aSignedInVisitor()
    const first = await getToken(visitor)
    const expired = { createdAt: '2020-01-01T00:00:00.000Z', expiresAt: '2020-01-01T01:00:00.000Z' }
    await setRow(tokens, decodeJwt(first.token).jti, expired)
    expect((await useToken(first.token)).status).toBe(401)
    const second = await getToken(visitor)
    expect(await rowsOf(user)).toHaveLength(1)
    for (const { token } of [first, second]) expect((await useToken(token)).status).toBe(200)
  })

  it('gives another token after the first was revoked', async () => {
    const { visitor, user } = await aSignedInVisitor()
    const first = await getToken(visitor)
    const id = decodeJwt(first.token).jti
    await revoke(visitor, `/settings/api-access/tokens/${id}`)
    const second = await getToken(visitor)
    expect((await useToken(first.token)).status).toBe(401)
    expect((await useToken(second.token)).status).toBe(200)
    expect(await rowsOf(user)).toHaveLength(2)
  })
})
