/** What programs read of the documentation. `scripts/build/docs` has written it. */

import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { BASE_URL, call } from '../support/api.ts'
import { document } from '../support/document.ts'

/** Returns the links of a text in Markdown. */
const linksIn = (markdown: string) =>
  [...markdown.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].flatMap(([, link]) => link ?? [])

const textOf = async (path: string) => (await call('GET', path)).text()

it('serves the OpenAPI document with the URL of the instance', async () => {
  const response = await call('GET', '/openapi.json')
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('cache-control')).toBe('public, max-age=60, stale-if-error=60')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  const text = JSON.stringify(document).replaceAll('http://localhost:8787', BASE_URL)
  const served = await response.json()
  expect(served).toEqual(JSON.parse(text))
  expect(served).toMatchObject({ servers: [{ url: BASE_URL }] })
})

it('lists the guides in llms.txt, which begins with a title and a summary', async () => {
  const response = await call('GET', '/llms.txt')
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8')
  const text = await response.text()
  expect(text).toMatch(
    /^# Marketplace API\n\n> Place the orders [^\n]+\n\n[^#\n][^\n]+\n\n## Guides\n\n/,
  )
  const links = linksIn(text)
  const guides = [
    ...['first-order', 'retries', 'compare', 'delivery', 'webhooks', 'creators', 'refunds'],
    ...['local', 'check-my-shop', 'endpoints', 'errors', 'limits', 'decisions', 'versioning'],
    'changelog',
  ].map((guide) => `/docs/${guide}.md`)
  const others = ['/openapi.json', '/docs.md', '/docs/catalogue.md', '/docs/runbook.md']
  expect(links).toEqual([...guides, ...others].map((path) => BASE_URL + path))
})

it('serves every guide as Markdown, whose links lead to what exists', async () => {
  const guides = linksIn(await textOf('/llms.txt')).filter((link) => link.endsWith('.md'))
  const seen = new Set<string>()
  for (const guide of guides) {
    const response = await call('GET', guide.replace(BASE_URL, ''))
    expect([guide, response.status]).toEqual([guide, 200])
    expect(response.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    const text = await response.text()
    expect(text).toMatch(/^# /)
    expect(text).not.toContain('localhost:8787')
    for (const link of linksIn(text)) {
      expect([guide, link]).toEqual([guide, expect.stringMatching(/^(https?:\/\/|\/)/)])
      if (link.startsWith(BASE_URL)) seen.add(link.replace(BASE_URL, ''))
    }
  }
  for (const path of seen) expect([path, (await call('GET', path)).status]).not.toEqual([path, 404])
})

it('links a guide to its Markdown, and a page of the reference to none', async () => {
  const link = /<link rel="alternate" type="text\/markdown" href="([^"]*)"/
  for (const path of ['/docs', '/docs/webhooks', '/docs/changelog'])
    expect(link.exec(await textOf(path))?.[1]).toBe(`${path}.md`)
  expect(await textOf('/docs/api-orders')).not.toMatch(link)
})

const fetchAsset = (path: string) => env.ASSETS.fetch(`https://marketplace.test${path}`)

it.each(['/client.tgz', '/check-my-shop.tgz'])('serves the package %s', async (path) => {
  const response = await fetchAsset(path)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/gzip')
  expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  const bytes = new Uint8Array(await response.arrayBuffer())
  // The header of a gzip file (RFC 1952).
  expect([...bytes.slice(0, 3)]).toEqual([0x1f, 0x8b, 8])
})
