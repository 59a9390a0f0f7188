import { expect, it } from 'vitest'
import { allowedRedirect } from '../../src/pages/sign-in/redirect.ts'
import { anEmail, aVisitor, mailedLink, secretOf } from '../support/visitor.ts'

const site = {
  PUBLIC_URL: 'https://marketplace.test',
  REDIRECT_ORIGINS: ['https://shop.example'],
}

it.each([
  ['/settings/account', 'https://marketplace.test/settings/account'],
  ['settings?a=1#b', 'https://marketplace.test/settings?a=1#b'],
  ['https://marketplace.test/x', 'https://marketplace.test/x'],
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
  '\\\\evil.test',
  '/\t/evil.test',
  'http://marketplace.test',
  'https://marketplace.test.evil.test',
  'https://marketplace.test@evil.test',
  'https://user:password@marketplace.test',
  'https://shop.example:8443',
  'http://shop.example',
  'javascript:alert(1)',
  'data:text/html,x',
  'blob:https://marketplace.test/x',
  'https://',
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
    const signInPage = await visitor.get(`/sign-in?redirect=${encodeURIComponent(redirect)}`, {
      env,
    })
    expect((await signInPage.text()).includes('evil')).toBe(false)
    await visitor.post('/sign-in/email', { form: { email: anEmail(), redirect }, env })
    const link = mailedLink(visitor)
    const page = await (await visitor.get(link, { env })).text()
    expect(page.includes('name="redirect"')).toBe(!redirect.includes('evil'))
    const form = { secret: secretOf(link), redirect }
    const response = await visitor.post('/sign-in/email/confirm', { form, env })
    expect(response.headers.get('location')).toBe(location)
  }
})
