import { expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aVisitor, signInByWallet } from '../support/visitor.ts'

const asPerson = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

it('redirects to the sign-in page, and from there back', async () => {
  const response = await aVisitor().get('/settings/api-access?notice=token-revoked')
  expect(response.status).toBe(303)
  expect(response.headers.get('location')).toBe(
    '/sign-in?redirect=%2Fsettings%2Fapi-access%3Fnotice%3Dtoken-revoked',
  )
  const form = await aVisitor().post('/settings/api-access/tokens', { form: { name: 'x' } })
  expect(form.headers.get('location')).toBe('/sign-in?redirect=%2Fsettings%2Faccount')
})

it('answers errors as JSON to programs, and as pages to people', async () => {
  const program = await call('GET', '/settings/api-access')
  expect(program.status).toBe(401)
  expect(await program.json()).toMatchObject({ code: 'unauthenticated' })
  const person = await call('GET', '/nowhere', { headers: asPerson })
  expect(person.status).toBe(404)
  expect(person.headers.get('content-type')).toMatch('text/html')
  expect(await person.text()).toContain('There is nothing at this path.')
  const api = await call('GET', '/api/nowhere', { headers: asPerson })
  expect(await api.json()).toEqual({
    error: 'there is nothing at this path',
    code: 'not_found',
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
