/** What a session may do only for 10 minutes after the sign-in. */
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { emailLinks } from '../../src/db/schema/users.ts'
import { BASE_URL } from '../support/api.ts'
import { aUser, db } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  aWallet,
  generate,
  linkWallet,
  mailedLink,
  revoke,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const asScript = { accept: 'application/json' }

/** A visitor with a wallet, an e-mail address and a token, at the page of `path`. */
async function anOwner() {
  const { visitor, wallet, user } = await aSignedInVisitor({ email: anEmail() })
  const { path } = await generate(visitor)
  return { visitor, wallet, user, path }
}

const id = crypto.randomUUID()

/** The requests, each with the status that it has after a recent sign-in. */
const requests: [string, number, (visitor: Visitor, path: string) => Promise<Response>][] = [
  [
    'generating a token',
    303,
    (visitor) =>
      visitor.post('/settings/api-access/tokens', { form: { name: 'x' }, headers: asScript }),
  ],
  ['showing a token', 200, (visitor, path) => visitor.get(path, { headers: asScript })],
  ['getting a token for the reference', 200, (visitor) => visitor.postJson('/docs/token', {})],
  ['rolling a token', 303, (visitor, path) => visitor.post(`${path}/roll`, { headers: asScript })],
  [
    'unlinking a wallet',
    303,
    (visitor) => visitor.post('/settings/account/wallet/unlink', { headers: asScript }),
  ],
  [
    'unlinking an e-mail address',
    303,
    (visitor) => visitor.post('/settings/account/email/unlink', { headers: asScript }),
  ],
  [
    'ending another session',
    404,
    (visitor) => visitor.post(`/settings/sessions/${id}/end`, { headers: asScript }),
  ],
  [
    'ending all other sessions',
    303,
    (visitor) => visitor.post('/settings/sessions/end-others', { headers: asScript }),
  ],
  [
    'revoking a token of somebody else',
    404,
    (visitor) => visitor.post(`/settings/api-access/tokens/${id}/revoke`, { headers: asScript }),
  ],
]

it.each(requests)('requires a recent sign-in for %s', async (_, status, send) => {
  const { visitor, wallet, path } = await anOwner()
  await ageSession(visitor, 10)
  const refused = await send(visitor, path)
  expect(refused.status).toBe(403)
  expect(await refused.json()).toMatchObject({
    code: 'reauthentication_required',
    error: 'sign in again to do this: your last sign-in was more than 10 minutes ago',
  })
  await signInByWallet(visitor, wallet)
  expect((await send(visitor, path)).status).toBe(status)
})

it('accepts a sign-in of 9 minutes ago', async () => {
  const { visitor, path } = await anOwner()
  await ageSession(visitor, 9)
  expect((await visitor.get(path)).status).toBe(200)
})

it('requires a recent sign-in for linking a wallet, and nothing is linked without', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  await signInByEmail(visitor, email)
  await ageSession(visitor, 10)
  const refused = await linkWallet(visitor)
  expect(await refused.json()).toMatchObject({ code: 'reauthentication_required' })
  const page = await (await visitor.get('/settings/account')).text()
  expect(page).toContain('No wallet is linked.')
  expect(page).toContain('Sign in again to link a wallet.')
  expect(page).not.toContain('id="wallets"')
  await signInByEmail(visitor, email)
  expect((await linkWallet(visitor)).status).toBe(200)
})

it('requires a recent sign-in for asking for a link, and for opening it', async () => {
  const visitor = aVisitor()
  const wallet = aWallet()
  await signInByWallet(visitor, wallet)
  await ageSession(visitor, 10)
  const form = { email: anEmail() }
  const refused = await visitor.post('/settings/account/email', { form, headers: asScript })
  expect(await refused.json()).toMatchObject({ code: 'reauthentication_required' })
  expect(visitor.mails).toEqual([])
  await signInByWallet(visitor, wallet)
  await visitor.post('/settings/account/email', { form })
  const secret = secretOf(mailedLink(visitor))
  await ageSession(visitor, 10)
  const confirm = () =>
    visitor.post('/settings/account/email/confirm', { form: { secret }, headers: asScript })
  expect(await (await confirm()).json()).toMatchObject({ code: 'reauthentication_required' })
  await signInByWallet(visitor, wallet)
  expect((await confirm()).status).toBe(303)
})

it('revokes an own token without a new sign-in, so that a leak is stopped at once', async () => {
  const { visitor, path } = await anOwner()
  await ageSession(visitor, 100)
  expect((await revoke(visitor, path)).headers.get('location')).toBe(
    '/settings/api-access?notice=token-revoked',
  )
})

it('leads people to a sign-in, and from there back to the page', async () => {
  const { visitor, user, path } = await anOwner()
  await ageSession(visitor, 10)
  const shown = await visitor.get(path)
  expect(shown.status).toBe(303)
  const again = `/sign-in/again?redirect=${encodeURIComponent(path)}`
  expect(shown.headers.get('location')).toBe(again)
  const form = await visitor.post('/settings/sessions/end-others', {
    headers: { referer: `${BASE_URL}/settings/sessions` },
  })
  expect(form.headers.get('location')).toBe('/sign-in/again?redirect=%2Fsettings%2Fsessions')

  const page = await (await visitor.get(again)).text()
  expect(page).toContain(user.email)
  expect(page).toContain(`data-address="${user.ethereumPublicAddr}"`)
  const redirect = /name="redirect" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await visitor.post('/sign-in/email', { form: { email: user.email, redirect } })
  const link = mailedLink(visitor)
  expect(await (await visitor.get(link)).text()).toContain(`value="${BASE_URL}${path}"`)
  const secret = secretOf(link)
  const signedIn = await visitor.post('/sign-in/email/confirm', { form: { secret, redirect } })
  expect(signedIn.headers.get('location')).toBe(`${BASE_URL}${path}`)
  expect((await visitor.get(path)).status).toBe(200)
})

it('does not show the message of an earlier page again', async () => {
  const { visitor } = await anOwner()
  await ageSession(visitor, 10)
  const referer = `${BASE_URL}/settings/api-access?notice=token-revoked&owner=3`
  const form = await visitor.post('/settings/sessions/end-others', { headers: { referer } })
  expect(form.headers.get('location')).toBe(
    `/sign-in/again?redirect=${encodeURIComponent('/settings/api-access?owner=3')}`,
  )
})

it('does not store the secret of another link with a sign-in link', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  const redirect = `/settings/account/email?secret=${'a'.repeat(64)}`
  await visitor.post('/sign-in/email', { form: { email, redirect } })
  const [link] = await db.select().from(emailLinks).where(eq(emailLinks.email, email))
  expect(link?.redirect).toBeNull()
})

it.each(['https://evil.test/settings', 'not a URL'])(
  'does not return to a page of another site after a form (%j)',
  async (referer) => {
    const { visitor } = await anOwner()
    await ageSession(visitor, 10)
    const form = await visitor.post('/settings/sessions/end-others', { headers: { referer } })
    expect(form.headers.get('location')).toBe('/sign-in/again?redirect=%2Fsettings%2Fsessions')
  },
)

it('offers only the ways to sign in that the account has', async () => {
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address })
  const visitor = aVisitor()
  await signInByWallet(visitor, wallet)
  await ageSession(visitor, 10)
  const byWallet = await (await visitor.get('/sign-in/again')).text()
  expect(byWallet).toContain('id="wallets"')
  expect(byWallet).not.toContain('Send me a link')
  const other = aVisitor()
  await signInByEmail(other)
  await ageSession(other, 10)
  const byEmail = await (await other.get('/sign-in/again')).text()
  expect(byEmail).toContain('Send me a link')
  expect(byEmail).not.toContain('id="wallets"')
})

it('shows what needs a new sign-in in place of the forms', async () => {
  const { visitor } = await anOwner()
  expect(await (await visitor.get('/settings/api-access')).text()).toContain('Generate token')
  await ageSession(visitor, 10)
  const page = await (await visitor.get('/settings/api-access')).text()
  expect(page).not.toContain('Generate token')
  expect(page).toContain('Sign in again to generate, show or roll a token.')
})
