import { describe, expect, it } from 'vitest'
import { ADMINISTRATOR } from '../../src/db/schema/users.ts'
import { answerOf, call } from '../support/api.ts'
import { aListing, anNft, aToken, aUser, aWebhook } from '../support/makers.ts'
import {
  aSignedInVisitor,
  aVisitor,
  locationOf,
  pageOf,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

it('redirects to the sign-in page, and from there back', async () => {
  expect(await locationOf(aVisitor().get('/settings/api-access?notice=token-revoked'))).toBe(
    '/sign-in?redirect=%2Fsettings%2Fapi-access%3Fnotice%3Dtoken-revoked&notice=required',
  )
  const form = aVisitor().post('/settings/api-access/tokens', { form: { name: 'x' } })
  const signIn = '/sign-in?redirect=%2Fsettings%2Fapi-access&notice=not-saved'
  expect(await locationOf(form)).toBe(signIn)
})

it('answers errors as JSON to programs, and as pages to people', async () => {
  const program = answerOf(call('GET', '/settings/api-access'))
  expect(await program).toMatchObject({ status: 401, code: 'unauthenticated' })
  const person = await call('GET', '/nowhere', { headers: asPerson })
  expect(person.headers.get('content-type')).toMatch('text/html')
  const { status, text } = await pageOf(person)
  expect(status).toBe(404)
  expect(text).toContain('There is nothing at this path.')
  const api = await call('GET', '/api/nowhere', { headers: asPerson })
  expect(await api.json()).toEqual({
    error: 'there is nothing at this path',
    code: 'not_found',
    issues: [{ path: '', code: 'not_found', message: 'there is nothing at this path' }],
    requestId: api.headers.get('x-request-id'),
    documentationUrl: 'https://marketplace.test/docs/errors#not_found',
  })
})

it('allows only scripts of this site, no frames and no caching', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const paths = ['/settings/api-access', '/settings/account', '/nowhere']
  const pages = await Promise.all([
    aVisitor().get('/sign-in'),
    ...paths.map((path) => visitor.get(path)),
  ])
  for (const page of pages) {
    const policy = page.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self'")
    expect(policy).toContain("img-src 'self' data:;")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('cross-origin-opener-policy')).toBe('same-origin')
    expect(page.headers.get('referrer-policy')).toBe('same-origin')
    const html = await page.text()
    expect(html).toMatch(/^<!doctype html>/i)
    expect(html).not.toMatch(/<script(?![^>]*src=)|\sstyle=|\son\w+=/)
  }
})

it('shows the menu of the signed-in user on every page, and strangers where to sign in', async () => {
  const { visitor } = await aSignedInVisitor({ name: 'Ada' })
  for (const path of ['/', '/nfts', '/orders', '/docs/retries', '/settings/sessions', '/nowhere'])
    expect(await (await visitor.get(path)).text(), path).toContain('aria-label="Menu of Ada"')
  const { html } = await pageOf(aVisitor().get('/nowhere'))
  expect(html).not.toContain('Menu of')
  expect(html).toContain('href="/sign-in"')
})

it.each([
  ['/settings/profile?notice=profile-saved', 'done', 'Your names are saved.'],
  ['/settings/account?notice=link-sent', 'info', 'A link is on its way'],
  ['/sign-in?notice=not-saved', 'warn', 'Your session has ended'],
])('gives a notice the colour of what it says: %s', async (path, kind, text) => {
  const visitor = path.startsWith('/sign-in') ? aVisitor() : (await aSignedInVisitor()).visitor
  const { html } = await pageOf(visitor.get(path))
  expect(html).toContain(`<p class="notice ${kind}" role="status">${text}`)
})

describe('the menus', () => {
  const sections = ['selling', 'api-access', 'webhooks']
  /** The sections for sellers and developers that the menu of the bar and that of the settings show. */
  async function menusOf(visitor: Visitor, path: string) {
    const { html } = await pageOf(visitor.get(path))
    const [bar = '', side = ''] =
      html.match(/<nav aria-label="(Your account|Settings)">.*?<\/nav>/g) ?? []
    return [bar, side].map((menu) => sections.filter((name) => menu.includes(`/settings/${name}"`)))
  }

  it('lead a buyer to no page for sellers and developers, but the account does', async () => {
    const { visitor } = await aSignedInVisitor()
    expect(await menusOf(visitor, '/settings/account')).toEqual([[], []])
    expect(await menusOf(visitor, '/settings/webhooks')).toEqual([[], ['webhooks']])
    const { html } = await pageOf(visitor.get('/settings/account'))
    for (const name of sections) expect(html).toContain(`href="/settings/${name}"`)
  })

  it('lead to what a user uses, and an administrator to all', async () => {
    const { visitor, user } = await aSignedInVisitor()
    await aListing(await anNft(await aUser()), { sellerId: user.id })
    expect(await menusOf(visitor, '/orders')).toEqual([['selling'], []])
    await aToken(user)
    await aWebhook(user)
    expect(await menusOf(visitor, '/settings/account')).toEqual([sections, sections])
    const operator = await aSignedInVisitor({ roleId: ADMINISTRATOR })
    expect(await menusOf(operator.visitor, '/settings/account')).toEqual([sections, sections])
  })
})
