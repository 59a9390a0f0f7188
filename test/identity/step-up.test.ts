/** What a session may do only for 10 minutes after the sign-in. */
import { expect, it } from 'vitest'
import { answerOf, BASE_URL } from '../support/api.ts'
import { aUser } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  aWallet,
  generate,
  linkWallet,
  locationOf,
  mailedLink,
  pageOf,
  revoke,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const asScript = { accept: 'application/json' }
const required = { code: 'reauthentication_required' }

/** A visitor with a wallet, an e-mail address and a token, at the page of `path`. */
async function anOwner() {
  const { visitor, wallet, user } = await aSignedInVisitor({ email: anEmail() })
  const { path } = await generate(visitor)
  return { visitor, wallet, user, path }
}

const id = crypto.randomUUID()
const post =
  (path: string, form: Record<string, string> = {}) =>
  (visitor: Visitor) =>
    visitor.post(path, { form, headers: asScript })

/** The requests, each with the status that it has after a recent sign-in. */
const requests: [string, number, (visitor: Visitor, path: string) => Promise<Response>][] = [
  ['generating a token', 303, post('/settings/api-access/tokens', { name: 'x' })],
  ['showing a token', 200, (visitor, path) => visitor.get(path, { headers: asScript })],
  ['getting a token for the reference', 200, (visitor) => visitor.postJson('/docs/token', {})],
  ['rolling a token', 303, (visitor, path) => post(`${path}/roll`)(visitor)],
  ['unlinking a wallet', 303, post('/settings/account/wallet/unlink')],
  ['unlinking an e-mail address', 303, post('/settings/account/email/unlink')],
  ['ending another session', 404, post(`/settings/sessions/${id}/end`)],
  ['ending all other sessions', 303, post('/settings/sessions/end-others')],
  ['revoking a token of somebody else', 404, post(`/settings/api-access/tokens/${id}/revoke`)],
]

it.each(requests)('requires a recent sign-in for %s', async (_, status, send) => {
  const { visitor, wallet, path } = await anOwner()
  await ageSession(visitor, 10)
  expect(await answerOf(send(visitor, path))).toMatchObject({
    status: 403,
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

it('links the first wallet for an hour, and each later one for ten minutes after the sign-in', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  await signInByEmail(visitor, email)
  await ageSession(visitor, 60)
  expect(await answerOf(linkWallet(visitor))).toMatchObject({
    ...required,
    error: 'sign in again to do this: your last sign-in was more than 1 hour ago',
  })
  await ageSession(visitor, 59)
  expect((await pageOf(visitor.get('/settings/account'))).html).toContain('id="wallets"')
  expect((await linkWallet(visitor)).status).toBe(200)
  await signInByEmail(visitor, email)
  await visitor.post('/settings/account/wallet/unlink')
  await ageSession(visitor, 10)
  expect(await answerOf(linkWallet(visitor))).toMatchObject(required)
  const page = (await pageOf(visitor.get('/settings/account'))).html
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
  expect(await answerOf(post('/settings/account/email', form)(visitor))).toMatchObject(required)
  expect(visitor.mails).toEqual([])
  await signInByWallet(visitor, wallet)
  await visitor.post('/settings/account/email', { form })
  const secret = secretOf(mailedLink(visitor))
  await ageSession(visitor, 10)
  const confirm = post('/settings/account/email/confirm', { secret })
  expect(await answerOf(confirm(visitor))).toMatchObject(required)
  await signInByWallet(visitor, wallet)
  expect((await confirm(visitor)).status).toBe(303)
})

it('revokes an own token without a new sign-in, so that a leak is stopped at once', async () => {
  const { visitor, path } = await anOwner()
  await ageSession(visitor, 100)
  const revoked = '/settings/api-access?notice=token-revoked'
  expect(await locationOf(revoke(visitor, path))).toBe(revoked)
})

it('leads people to a sign-in, and from there back to the page', async () => {
  const { visitor, user, path } = await anOwner()
  await ageSession(visitor, 10)
  const again = `/sign-in/again?redirect=${encodeURIComponent(path)}`
  expect(await locationOf(visitor.get(path))).toBe(again)
  const page = (await pageOf(visitor.get(again))).html
  expect(page).toContain(user.email)
  expect(page).toContain(`data-address="${user.ethereumPublicAddr}"`)
  const redirect = /name="redirect" value="([^"]+)"/.exec(page)?.[1] ?? ''
  await visitor.post('/sign-in/email', { form: { email: user.email, redirect } })
  const link = mailedLink(visitor)
  expect((await pageOf(visitor.get(link))).html).toContain(`value="${BASE_URL}${path}"`)
  const form = { secret: secretOf(link), redirect }
  const signedIn = visitor.post('/sign-in/email/confirm', { form })
  expect(await locationOf(signedIn)).toBe(`${BASE_URL}${path}`)
  expect((await visitor.get(path)).status).toBe(200)
})

it.each([
  [`${BASE_URL}/settings/sessions`, '/settings/sessions'],
  // Without the message of an earlier page.
  [`${BASE_URL}/settings/api-access?notice=token-revoked&owner=3`, '/settings/api-access?owner=3'],
])('leads from a form of %s back to a page of this site', async (referer, page) => {
  const { visitor } = await anOwner()
  await ageSession(visitor, 10)
  const form = visitor.post('/settings/sessions/end-others', { headers: { referer } })
  expect(await locationOf(form)).toBe(`/sign-in/again?redirect=${encodeURIComponent(page)}`)
})

it('offers only the ways to sign in that the account has', async () => {
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address })
  const visitor = aVisitor()
  await signInByWallet(visitor, wallet)
  await ageSession(visitor, 10)
  const byWallet = (await pageOf(visitor.get('/sign-in/again'))).html
  expect(byWallet).toContain('id="wallets"')
  expect(byWallet).not.toContain('Send me a link')
  const other = aVisitor()
  await signInByEmail(other)
  await ageSession(other, 10)
  const byEmail = (await pageOf(other.get('/sign-in/again'))).html
  expect(byEmail).toContain('Send me a link')
  expect(byEmail).not.toContain('id="wallets"')
})
