import { expect, it } from 'vitest'
import { answerOf, call } from '../support/api.ts'
import {
  aSignedInVisitor,
  aVisitor,
  locationOf,
  pageOf,
  signInByWallet,
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
  for (const path of [
    '/',
    '/nfts',
    '/orders',
    '/docs',
    '/docs/retries',
    '/settings/sessions',
    '/nowhere',
  ])
    expect(await (await visitor.get(path)).text(), path).toContain('aria-label="Menu of Ada"')
  const { html } = await pageOf(aVisitor().get('/nowhere'))
  expect(html).not.toContain('Menu of')
  expect(html).toContain('href="/sign-in"')
})
