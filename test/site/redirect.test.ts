import { expect, it } from 'vitest'
import { allowedRedirect } from '../../src/site/redirect.ts'
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
  // A path that a browser would read as a host stays a path of ours.
  ['https:evil.test', 'https://marketplace.test/evil.test'],
  ['/.//evil.test', 'https://marketplace.test//evil.test'],
])('goes to %s', (target, url) => {
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
])('does not go to %j', (target) => {
  expect(allowedRedirect(site, target)).toBeNull()
})

it('leads back after signing in, and never to a site that is not allowed', async () => {
  const env = { REDIRECT_ORIGINS: ['https://shop.example'] } as Partial<Env>
  for (const [redirect, location] of [
    ['https://shop.example/cart', 'https://shop.example/cart'],
    ['/settings/account', 'https://marketplace.test/settings/account'],
    ['https://evil.test', '/settings/api-access'],
    ['//evil.test', '/settings/api-access'],
  ] as const) {
    const visitor = aVisitor()
    const entrance = await visitor.get(`/sign-in?redirect=${encodeURIComponent(redirect)}`, { env })
    expect((await entrance.text()).includes('evil')).toBe(false)
    await visitor.post('/sign-in/email', { form: { email: anEmail(), redirect }, env })
    const link = mailedLink(visitor)
    const page = await (await visitor.get(link, { env })).text()
    expect(page.includes('name="redirect"')).toBe(!redirect.includes('evil'))
    const form = { secret: secretOf(link), redirect }
    const response = await visitor.post('/sign-in/email/confirm', { form, env })
    expect(response.headers.get('location')).toBe(location)
  }
})
