import { expect, it } from 'vitest'
import { BASE_URL, call } from '../support/api.ts'
import { anNft, aUser } from '../support/makers.ts'

it('tells crawlers which pages are public, and where the sitemap is', async () => {
  const response = await call('GET', '/robots.txt')
  expect(response.headers.get('content-type')).toMatch('text/plain')
  expect((await response.text()).trim().split('\n')).toEqual([
    'User-agent: *',
    'Allow: /$',
    'Allow: /docs',
    'Disallow: /api/',
    'Disallow: /settings',
    'Disallow: /orders',
    'Disallow: /collection',
    'Disallow: /claim',
    'Disallow: /phone',
    'Disallow: /sign-in',
    'Disallow: /avatars',
    `Sitemap: ${BASE_URL}/sitemap.xml`,
  ])
})

it('lists what everybody may see in the sitemap, the newest release first', async () => {
  const creator = await aUser({ username: 'cleo_map' })
  const old = await anNft(creator, { releaseAt: '2026-01-01T00:00:00.000Z' })
  const changedAt = '2026-02-03T00:00:00.000Z'
  const fresh = await anNft(creator, { releaseAt: '2026-02-02T00:00:00.000Z', changedAt })
  for (const hidden of [{ status: 'draft' }, { status: 'unlisted' }, { releaseAt: '2099-01-01' }])
    await anNft(creator, hidden)
  const response = await call('GET', '/sitemap.xml')
  expect(response.headers.get('content-type')).toMatch('application/xml')
  expect(response.headers.get('cache-control')).toMatch('public, max-age=3600')
  const url = (path: string, at?: string) =>
    `<url><loc>${BASE_URL}${path}</loc>${at ? `<lastmod>${at}</lastmod>` : ''}</url>`
  expect((await response.text()).trim().split('\n')).toEqual([
    '<?xml version="1.0" encoding="UTF-8"?>',
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">',
    ...['/', '/nfts', '/docs'].map((path) => url(path)),
    url(`/nfts/${fresh.id}`, changedAt),
    url(`/nfts/${old.id}`, old.changedAt),
    url('/creators/cleo_map'),
    '</urlset>',
  ])
})
