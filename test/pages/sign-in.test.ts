import { afterEach, describe, expect, it, vi } from 'vitest'
import { quotas } from '../../src/db/schema/operations.ts'
import { BASE_URL } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, db } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  mailedLink,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const SENT = '/sign-in/email/sent'
const CONFIRM = '/sign-in/email/confirm'

const textOf = async (response: Response | Promise<Response>) => (await response).text()

/** The hidden fields of a page, by name. */
const hiddenFields = (page: string) =>
  Object.fromEntries(
    [...page.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
      name,
      value,
    ]),
  )

/** Requests a link with the form, and returns the page after it. */
async function requestLink(visitor: Visitor, form: Record<string, string>) {
  const response = await visitor.post('/sign-in/email', { form })
  expect(response.status).toBe(303)
  const location = response.headers.get('location') ?? ''
  return { response, location, page: await textOf(visitor.get(location)) }
}

it('shows the e-mail form first, with the focus in its field', async () => {
  const page = await textOf(aVisitor().get('/sign-in'))
  expect(page.indexOf('action="/sign-in/email"')).toBeLessThan(page.indexOf('id="wallets"'))
  expect(page).toMatch(/<input id="email"[^>]* autofocus/)
  expect(page).toContain('data-redirect="/orders"')
})

it('opens the orders if somebody is signed in', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  expect((await visitor.get('/sign-in')).headers.get('location')).toBe('/orders')
})

it('names the address that the link was sent to, which is in no URL', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  const { response, location, page } = await requestLink(visitor, { email })
  expect(location).toBe(SENT)
  expect(response.headers.getSetCookie()).toEqual([
    `link-address=${encodeURIComponent(email)}; Max-Age=900; Path=/sign-in; HttpOnly; Secure; SameSite=Strict`,
    expect.stringMatching(/^bookmark=[\da-f.-]+;/),
  ])
  expect(page).toContain(`A link is on its way to <strong>${email}</strong>.`)
  expect(page).not.toContain('Another link')
})

it('sends another link to the same address, with the same redirect', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  const first = await requestLink(visitor, { email, redirect: '/settings/account?a=1' })
  const redirect = `${BASE_URL}/settings/account?a=1`
  expect(hiddenFields(first.page)).toEqual({ email, redirect })
  expect(first.page).toContain(`href="/sign-in?redirect=${encodeURIComponent(redirect)}"`)
  const second = await requestLink(visitor, hiddenFields(first.page))
  expect(second.page).toContain('Another link is on its way.')
  expect(hiddenFields(second.page)).toEqual({ email, redirect })
  expect(visitor.mails.map(({ to }) => to)).toEqual([email, email])
  expect(hiddenFields(await textOf(visitor.get(mailedLink(visitor))))).toMatchObject({ redirect })
})

it('keeps neither a redirect to another site nor the secret of another link', async () => {
  for (const redirect of ['https://evil.test/', `/settings/account/email?secret=${'a'.repeat(64)}`])
    expect((await requestLink(aVisitor(), { email: anEmail(), redirect })).location).toBe(SENT)
  const page = await textOf(aVisitor().get(`${SENT}?redirect=https://evil.test/`))
  expect(page).not.toContain('evil')
})

it('does not name an address without the cookie', async () => {
  const page = await textOf(aVisitor().get(SENT))
  expect(page).toContain('A link is on its way to your mailbox.')
  expect(page).not.toContain('Send another link')
  expect(page).toContain('Use another address')
})

it.each(['"><script>alert(1)</script>', 'no address', `${'a'.repeat(300)}@example.com`])(
  'ignores a cookie without an address (%j)',
  async (value) => {
    const visitor = aVisitor()
    visitor.cookies.set('link-address', encodeURIComponent(value))
    const page = await textOf(visitor.get(SENT))
    expect(page).toContain('A link is on its way to your mailbox.')
    expect(page).not.toContain('alert(1)')
  },
)

it('escapes the address of the cookie', async () => {
  const visitor = aVisitor()
  visitor.cookies.set('link-address', encodeURIComponent("o'hara@example.com"))
  const page = await textOf(visitor.get(SENT))
  expect(page).toContain('<strong>o&#39;hara@example.com</strong>')
})

it('leads somebody who signs in again back to that page', async () => {
  const { visitor, user } = await aSignedInVisitor({ email: anEmail() })
  const { page } = await requestLink(visitor, { email: user.email, redirect: '/settings/account' })
  expect(page).toContain(
    `href="/sign-in/again?redirect=${encodeURIComponent(`${BASE_URL}/settings/account`)}"`,
  )
  expect(page).toContain('Menu of')
})

it('forgets the address after the sign-in', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  expect([...visitor.cookies.keys()].sort()).toEqual(['bookmark', 'token'])
})

it('explains why a used link does not work, and offers a new one', async () => {
  const visitor = aVisitor()
  const email = anEmail()
  await requestLink(visitor, { email })
  const link = mailedLink(visitor)
  const phone = aVisitor()
  await phone.post(CONFIRM, { form: { secret: secretOf(link) } })
  const opened = await visitor.get(link)
  const sent = await visitor.post(CONFIRM, { form: { secret: secretOf(link) } })
  for (const response of [opened, sent]) {
    expect(response.status).toBe(410)
    const page = await response.text()
    expect(page).toContain('This link no longer works')
    expect(page).toContain('It was used.')
    expect(page).toContain('It is older than 15 minutes.')
    expect(page).toContain('Send me a new link')
    expect(page).toMatch(new RegExp(`<input id="email"[^>]* value="${email}"`))
  }
  expect(await textOf(aVisitor().get(link))).toMatch(/<input id="email"(?![^>]* value=)/)
})

it.each(['?secret=abc', '', `?secret=${'A'.repeat(64)}`])(
  'explains that a link is not complete (%j)',
  async (query) => {
    const response = await aVisitor().get(`/sign-in/email${query}`)
    expect(response.status).toBe(400)
    const page = await response.text()
    expect(page).toContain('This link is not complete')
    expect(page).toContain('Send me a new link')
  },
)

it('explains a broken link of the account settings there', async () => {
  const { visitor } = await aSignedInVisitor()
  const path = '/settings/account/email'
  const ended = await visitor.get(`${path}?secret=${'0'.repeat(64)}`)
  const confirmed = await visitor.post(`${path}/confirm`, { form: { secret: '0'.repeat(64) } })
  for (const response of [ended, confirmed]) {
    expect(response.status).toBe(410)
    const page = await response.text()
    expect(page).toContain('This link no longer works')
    expect(page).toContain('You asked for it in another account.')
    expect(page).toContain('<a class="button primary" href="/settings/account">')
    expect(page).toContain('Menu of')
  }
  const cut = await visitor.get(`${path}?secret=0`)
  expect(cut.status).toBe(400)
  expect(await cut.text()).toContain('This link is not complete')
})

it('answers broken links as JSON to programs', async () => {
  const headers = { accept: 'application/json' }
  const ended = await aVisitor().get(`/sign-in/email?secret=${'0'.repeat(64)}`, { headers })
  expect(await ended.json()).toMatchObject({
    code: 'link_expired',
    error: 'this link was used before or has expired: please ask for a new one',
  })
  const cut = await aVisitor().get('/sign-in/email?secret=0', { headers })
  expect(await cut.json()).toMatchObject({
    code: 'invalid_input',
    error: 'secret: is not a valid secret',
  })
})

it('warns a signed-in person before a link of another account ends the session', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Bo' })
  const stranger = aVisitor()
  await stranger.post('/sign-in/email', { form: { email: 'mallory@example.com' } })
  const page = await (await visitor.get(mailedLink(stranger))).text()
  expect(page).toContain('Menu of Bo')
  expect(page).toContain('You are signed in as Bo. This ends that session in this browser.')
  const signedOut = await (await aVisitor().get(mailedLink(stranger))).text()
  expect(signedOut).not.toContain('You are signed in as')
})

it('says who is signed in when a link was used already, as by a second click', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, 'twice@example.com')
  const again = await visitor.get(mailedLink(visitor))
  expect(again.status).toBe(410)
  const page = await again.text()
  expect(page).toContain('You are signed in as twice@example.com.')
  expect(page).toContain('<a href="/orders">Go to your orders</a>')
})

it.each([
  ['required', 'Sign in to open this page.'],
  ['not-saved', 'Your session has ended, so nothing was saved.'],
  ['signed-out', 'You are signed out.'],
])('says why it is shown: %s', async (notice, text) => {
  const page = await (await aVisitor().get(`/sign-in?notice=${notice}`)).text()
  expect(page).toContain(text)
})

it('does not ask somebody to sign in again who has just signed in', async () => {
  const { visitor } = await aSignedInVisitor()
  const response = await visitor.get('/sign-in/again?redirect=/settings/sessions')
  expect(response.headers.get('location')).toBe('https://marketplace.test/settings/sessions')
})

describe('a mail that cannot be sent', () => {
  const ask = (env: Partial<Env>, email = anEmail()) =>
    aVisitor().post('/sign-in/email', { form: { email }, env })

  it('is a page that asks to try again', async () => {
    const EMAIL = { send: () => Promise.reject(new Error('quota')) } as unknown as SendEmail
    const response = await ask({ EMAIL })
    expect(response.status).toBe(503)
    expect(response.headers.get('retry-after')).toBe('60')
    expect(await response.text()).toContain('The mail could not be sent')
  })

  it.each([
    ['MAX_MAILS_PER_HOUR', 13],
    ['MAX_MAILS_PER_DAY', 10],
  ])(
    'has not been sent because of %s; half of it is kept for known addresses',
    async (name, digits) => {
      stopClock()
      const period = new Date().toISOString().slice(0, digits)
      await db.delete(quotas)
      await db.insert(quotas).values({ name: 'mails', period, used: 4 })
      const limited = { [name]: '10' } as unknown as Partial<Env>
      expect((await ask(limited)).status).toBe(303)
      const refused = await ask(limited)
      expect(refused.status).toBe(503)
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      expect(await refused.text()).toContain('No more mails can be sent at the moment')
      const guest = await aUser({ email: anEmail() })
      expect((await ask(limited, guest.email)).status).toBe(503)
      const { email } = await aUser({ email: anEmail(), lastAccessAt: '2026-01-01T00:00:00.000Z' })
      for (let i = 0; i < 4; i++) expect((await ask(limited, email)).status).toBe(303)
      await db.update(quotas).set({ used: 10 })
      expect((await ask(limited, email)).status).toBe(503)
    },
  )
})

describe('with the keys of Turnstile', () => {
  const keys = { TURNSTILE_SITE_KEY: 'site', TURNSTILE_SECRET: 'secret' } as unknown as Partial<Env>
  const ask = (form: Record<string, string>) =>
    aVisitor().post('/sign-in/email', { form: { email: anEmail(), ...form }, env: keys })
  const answering = (answer: () => Promise<Response>) =>
    vi.spyOn(globalThis, 'fetch').mockImplementation(answer)

  afterEach(() => vi.restoreAllMocks())

  it('shows the check, and allows its script and its frame', async () => {
    const response = await aVisitor().get('/sign-in', { env: keys })
    const html = await response.text()
    expect(html).toContain('<div class="cf-turnstile" data-sitekey="site"></div>')
    expect(html).toMatch(/<script src="https:\/\/challenges\.cloudflare\.com\/[^"]*" async/)
    const policy = response.headers.get('content-security-policy')
    expect(policy).toContain("script-src 'self' https://challenges.cloudflare.com;")
    expect(policy).toContain('frame-src https://challenges.cloudflare.com;')
    const without = await aVisitor().get('/sign-in')
    expect(without.headers.get('content-security-policy')).not.toContain('challenges')
    expect(await without.text()).not.toContain('cf-turnstile')
  })

  it('sends a link after the answer of a person', async () => {
    const fetched = answering(async () => Response.json({ success: true }))
    expect((await ask({ 'cf-turnstile-response': 'proof' })).status).toBe(303)
    expect(fetched).toHaveBeenCalledWith(
      'https://challenges.cloudflare.com/turnstile/v0/siteverify',
      expect.objectContaining({
        body: new URLSearchParams({ secret: 'secret', response: 'proof' }),
      }),
    )
  })

  it.each([{}, { 'cf-turnstile-response': 'copied' }])('sends none otherwise: %j', async (form) => {
    const fetched = answering(async () => Response.json({ success: false }))
    const response = await ask(form)
    expect(response.status).toBe(400)
    expect(fetched).toHaveBeenCalledTimes(Object.keys(form).length)
    expect(await response.text()).toContain('Confirm that you are a person')
  })

  it('asks to try again if Turnstile does not answer', async () => {
    answering(() => Promise.reject(new Error('connection lost')))
    const response = await ask({ 'cf-turnstile-response': 'proof' })
    expect(response.status).toBe(503)
    expect(await response.text()).toContain('The check that you are a person does not answer')
  })

  it('needs both', async () => {
    const response = await aVisitor().get('/sign-in', {
      env: { TURNSTILE_SITE_KEY: 'site' } as unknown as Partial<Env>,
    })
    expect(response.status).toBe(503)
  })
})
