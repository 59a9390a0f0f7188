import { env } from 'cloudflare:workers'
import { expect, it } from 'vitest'
import { BASE_URL } from '../support/api.ts'
import { document } from '../support/document.ts'

const fetchDocument = (init?: RequestInit) => env.ASSETS.fetch(`${BASE_URL}/openapi.json`, init)

it('serves the OpenAPI document as a static asset', async () => {
  const response = await fetchDocument()
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('application/json')
  expect(response.headers.get('cache-control')).toBe('public, max-age=60')
  expect(response.headers.get('x-content-type-options')).toBe('nosniff')
  expect(await response.json()).toEqual(document)
})

it('lets scripts of other sites read it', async () => {
  const response = await fetchDocument({ headers: { origin: 'https://shop.example' } })
  expect(response.status).toBe(200)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
})

it('answers 304 if the ETag matches', async () => {
  const etag = (await fetchDocument()).headers.get('etag') ?? ''
  const response = await fetchDocument({ headers: { 'if-none-match': etag } })
  expect(response.status).toBe(304)
})

it.each(['OPTIONS', 'POST', 'PUT', 'DELETE'])('answers %s with 405 and Allow', async (method) => {
  const response = await fetchDocument({ method })
  expect(response.status).toBe(405)
  expect(response.headers.get('allow')).toBe('GET, HEAD')
})
