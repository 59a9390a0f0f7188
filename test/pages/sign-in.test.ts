import { afterEach, describe, expect, it, vi } from 'vitest'
import { quotas } from '../../src/db/schema/operations.ts'
import { allowedRedirect } from '../../src/pages/sign-in/redirect.ts'
import { BASE_URL } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import { aUser, db } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  locationOf,
  mailedLink,
  pageOf,
  secretOf,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'

const SENT = '/sign-in/email/sent'
const CONFIRM = '/sign-in/email/confirm'

const htmlOf = async (response: Promise<Response>) => (await pageOf(response)).html

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
  return { response, location, page: await htmlOf(visitor.get(location)) }
}

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
  expect(hiddenFields(await htmlOf(visitor.get(mailedLink(visitor))))).toMatchObject({ redirect })
})

it('keeps neither a redirect to another site nor the secret of another link', async () => {
  const link = `/settings/account/email?secret=${'a'.repeat(64)}`
  const within = `/sign-in?redirect=${encodeURIComponent(link)}`
  for (const redirect of ['https://evil.test/', link, within])
    expect((await requestLink(aVisitor(), { email: anEmail(), redirect })).location).toBe(SENT)
  const garden = await requestLink(aVisitor(), { email: anEmail(), redirect: '/secret-garden' })
  expect(garden.location).toContain('secret-garden')
  const page = await htmlOf(aVisitor().get(`${SENT}?redirect=https://evil.test/`))
  expect(page).not.toContain('evil')
})

it('does not name an address without the cookie, or with one that has no address', async () => {
  const visitor = aVisitor()
  const values = ['', '"><script>alert(1)</script>', 'no address', `${'a'.repeat(300)}@example.com`]
  for (const value of values) {
    if (value) visitor.cookies.set('link-address', encodeURIComponent(value))
    const page = await htmlOf(visitor.get(SENT))
    expect(page).toContain('A link is on its way to your mailbox.')
    expect(page).not.toMatch(/Send another link|alert\(1\)/)
    expect(page).toContain('Use another address')
  }
  visitor.cookies.set('link-address', encodeURIComponent("o'hara@example.com"))
  const escaped = '<strong>o&#39;hara@example.com</strong>'
  expect(await htmlOf(visitor.get(SENT))).toContain(escaped)
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
  const opened = visitor.get(link)
  const sent = visitor.post(CONFIRM, { form: { secret: secretOf(link) } })
  for (const response of [opened, sent]) {
    const { status, html } = await pageOf(response)
    expect(status).toBe(410)
    expect(html).toContain('This link no longer works')
    expect(html).toContain('It was used.')
    expect(html).toContain('It is older than 15 minutes.')
    expect(html).toContain('Send me a new link')
    expect(html).toMatch(new RegExp(`<input id="email"[^>]* value="${email}"`))
  }
  expect(await htmlOf(aVisitor().get(link))).toMatch(/<input id="email"(?![^>]* value=)/)
})

it('explains a broken link of the account settings there', async () => {
  const { visitor } = await aSignedInVisitor()
  const path = '/settings/account/email'
  const ended = visitor.get(`${path}?secret=${'0'.repeat(64)}`)
  const confirmed = visitor.post(`${path}/confirm`, { form: { secret: '0'.repeat(64) } })
  for (const response of [ended, confirmed]) {
    const { status, html } = await pageOf(response)
    expect(status).toBe(410)
    expect(html).toContain('This link no longer works')
    expect(html).toContain('You asked for it in another account.')
    expect(html).toContain('<a class="button primary" href="/settings/account">')
    expect(html).toContain('Menu of')
  }
  const cut = await pageOf(visitor.get(`${path}?secret=0`))
  expect(cut.status).toBe(400)
  expect(cut.html).toContain('This link is not complete')
})

it('warns a signed-in person before a link of another account ends the session', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Bo' })
  const stranger = aVisitor()
  await stranger.post('/sign-in/email', { form: { email: 'mallory@example.com' } })
  const page = await htmlOf(visitor.get(mailedLink(stranger)))
  expect(page).toContain('Menu of Bo')
  expect(page).toContain('You are signed in as Bo. This ends that session in this browser.')
  const signedOut = await htmlOf(aVisitor().get(mailedLink(stranger)))
  expect(signedOut).not.toContain('You are signed in as')
})

it('does not ask somebody to sign in again who has just signed in', async () => {
  const { visitor } = await aSignedInVisitor()
  const again = visitor.get('/sign-in/again?redirect=/settings/sessions')
  expect(await locationOf(again)).toBe('https://marketplace.test/settings/sessions')
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
    'may not come because of %s; half of it is kept for known addresses, and the answers are alike',
    async (name, digits) => {
      stopClock()
      const period = new Date().toISOString().slice(0, digits)
      await db.delete(quotas)
      await db.insert(quotas).values({ name: 'mails', period, used: 4 })
      const limited = { [name]: '10' } as unknown as Partial<Env>
      const guest = await aUser({ email: anEmail() })
      const { email } = await aUser({ email: anEmail(), lastAccessAt: '2026-01-01T00:00:00.000Z' })
      const used = async () => (await db.select().from(quotas)).map(({ used }) => used)
      /** What the answer says, and whether a mail was sent. */
      const answerFor = async (address = anEmail()) => {
        const before = String(await used())
        const { status, headers } = await ask(limited, address)
        return { status, to: headers.get('location'), isSent: String(await used()) !== before }
      }
      const sent = { status: 303, to: '/sign-in/email/sent', isSent: true }
      expect(await answerFor()).toEqual(sent)
      const scarce = { ...sent, to: '/sign-in/email/sent?notice=scarce' }
      for (let i = 0; i < 5; i++) {
        expect(await answerFor()).toEqual({ ...scarce, isSent: false })
        expect(await answerFor(guest.email)).toEqual({ ...scarce, isSent: false })
        expect(await answerFor(email)).toEqual(scarce)
      }
      for (const address of [undefined, guest.email, email])
        expect(await answerFor(address)).toEqual({ ...scarce, isSent: false })
      const page = await aVisitor().get(scarce.to)
      expect(await page.text()).toContain('only addresses with an account get one')
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
    const { status, text } = await pageOf(ask(form))
    expect(status).toBe(400)
    expect(fetched).toHaveBeenCalledTimes(Object.keys(form).length)
    expect(text).toContain('Confirm that you are a person')
  })

  it('asks to try again if Turnstile does not answer', async () => {
    answering(() => Promise.reject(new Error('connection lost')))
    const { status, text } = await pageOf(ask({ 'cf-turnstile-response': 'proof' }))
    expect(status).toBe(503)
    expect(text).toContain('The check that you are a person does not answer')
  })

  it('needs both', async () => {
    const env = { TURNSTILE_SITE_KEY: 'site' } as unknown as Partial<Env>
    expect((await aVisitor().get('/sign-in', { env })).status).toBe(503)
  })
})

const site = {
  PUBLIC_URL: 'https://marketplace.test',
  REDIRECT_ORIGINS: ['https://shop.example'],
}

it.each([
  ['/settings/account', 'https://marketplace.test/settings/account'],
  ['settings?a=1#b', 'https://marketplace.test/settings?a=1#b'],
  ['https://shop.example/cart?id=1', 'https://shop.example/cart?id=1'],
  // Paths that a browser could read as a host.
  ['https:evil.test', 'https://marketplace.test/evil.test'],
  ['/.//evil.test', 'https://marketplace.test//evil.test'],
])('allows %s', (target, url) => {
  expect(allowedRedirect(site, target)).toBe(url)
})

it.each([
  'https://evil.test',
  '//evil.test',
  '/\\evil.test',
  '/\t/evil.test',
  'https://marketplace.test.evil.test',
  'https://marketplace.test@evil.test',
  'https://user:password@marketplace.test',
  'https://shop.example:8443',
  'http://shop.example',
  'javascript:alert(1)',
  '',
])('rejects %j', (target) => {
  expect(allowedRedirect(site, target)).toBeNull()
})

it('redirects after sign-in only to allowed sites', async () => {
  const env = { REDIRECT_ORIGINS: ['https://shop.example'] } as Partial<Env>
  for (const [redirect, location] of [
    ['https://shop.example/cart', 'https://shop.example/cart'],
    ['/settings/account', 'https://marketplace.test/settings/account'],
    ['https://evil.test', '/orders'],
    ['//evil.test', '/orders'],
  ] as const) {
    const visitor = aVisitor()
    const path = `/sign-in?redirect=${encodeURIComponent(redirect)}`
    expect((await pageOf(visitor.get(path, { env }))).html).not.toContain('evil')
    await visitor.post('/sign-in/email', { form: { email: anEmail(), redirect }, env })
    const link = mailedLink(visitor)
    const { html } = await pageOf(visitor.get(link, { env }))
    expect(html.includes('name="redirect"')).toBe(!redirect.includes('evil'))
    const form = { secret: secretOf(link), redirect }
    const confirmed = visitor.post('/sign-in/email/confirm', { form, env })
    expect(await locationOf(confirmed)).toBe(location)
  }
})
