import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'

const fetchAsset = (path: string) => env.ASSETS.fetch(`https://marketplace.test${path}`)

it('serves an icon of 32 × 32 pixels for browsers that know no SVG icons', async () => {
  const response = await fetchAsset('/favicon.ico')
  expect(response.status).toBe(200)
  const bytes = new Uint8Array(await response.arrayBuffer())
  // The header of an ICO file with one picture, then its width and height.
  expect([...bytes.slice(0, 8)]).toEqual([0, 0, 1, 0, 1, 0, 32, 32])
})

it('tells crawlers which pages are public', async () => {
  const response = await fetchAsset('/robots.txt')
  expect(response.status).toBe(200)
  expect((await response.text()).trim().split('\n')).toEqual([
    'User-agent: *',
    'Allow: /$',
    'Allow: /docs',
    'Disallow: /api/',
    'Disallow: /settings',
    'Disallow: /orders',
    'Disallow: /collection',
    'Disallow: /sign-in',
    'Disallow: /avatars',
  ])
})

it('serves the package of the client', async () => {
  const response = await fetchAsset('/client.tgz')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  const bytes = new Uint8Array(await response.arrayBuffer())
  // The header of a gzip file (RFC 1952).
  expect([...bytes.slice(0, 3)]).toEqual([0x1f, 0x8b, 8])
})
