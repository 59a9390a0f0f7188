import { createHash } from 'node:crypto'
import { and, eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { API_TOKEN_LIFETIME, newToken, verifyToken } from '../../src/auth/tokens.ts'
import { ADMINISTRATOR, tokens, users } from '../../src/db/schema.ts'
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
  const { path, jwt } = await generate(visitor, { name: '  my shop ' })
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

it('does not accept an API token of the same user', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { path } = await generate(visitor)
  const program = aVisitor()
  program.cookies.set('token', await aToken(user))
  expect((await generate(program)).response.status).toBe(403)
  expect((await program.get(path)).status).toBe(403)
  expect((await program.get('/settings/api-access')).status).toBe(403)
  expect((await revoke(program, path)).status).toBe(403)
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
  const { visitor: owner, user } = await aSignedInVisitor({ email: 'owner@example.com' })
  const { path, jwt } = await generate(owner, { name: 'leaked' })
  const { visitor: administrator } = await aSignedInVisitor({ roleId: ADMINISTRATOR })
  for (const search of [String(user.id), 'Owner@example.com', user.ethereumPublicAddr]) {
    const page = await administrator.get(`/settings/api-access/everyone?owner=${search}`)
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
  const { response } = await generate(visitor, { name: ' shop ' })
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

it.each(['session', ' Session', 'SESSION'])('generates no token with the name %j', async (name) => {
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
