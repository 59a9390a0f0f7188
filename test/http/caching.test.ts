/** Cloudflare's cache answers public responses to everybody, and keeps what does not say for how long. */
import { exports } from 'cloudflare:workers'
import { expect, it, vi } from 'vitest'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'
import { CachedReads } from '../../src/worker.ts'
import { callWith, requestOf } from '../support/api.ts'
import { sampleWorld } from '../support/endpoints.ts'
import { anAdministrator, aSession } from '../support/makers.ts'
import { publicEndpoints } from '../support/permissions.ts'

const { tokenOf, sampleRequest } = await sampleWorld()
const session = await aSession(await anAdministrator())

const callers: Record<string, Record<string, string>> = {
  nobody: {},
  'a master token': { authorization: tokenOf.master, 'x-server-timing': '1' },
  'a browser': { cookie: `token=${session}` },
}

const expectUncached = ({ status, headers }: Response, expected: number) =>
  expect([status, headers.get('cache-control')]).toEqual([expected, 'private, no-store'])

const endpoints = listEndpoints(app).map(({ method, path }) => `${method} ${path}`)

it('answers prices and stock for a minute, and for one more while the Worker fails', async () => {
  for (const path of ['stats', 'creators', 'listings', 'listings/:ids', 'nfts', 'nfts/:ids']) {
    const request = await sampleRequest(`GET /api/public/${path}`)
    const { headers } = await callWith({}, request.method, request.path)
    expect([path, headers.get('cache-control')]).toEqual([
      path,
      'public, max-age=60, stale-if-error=60',
    ])
  }
})

it('returns the same to every caller where caches may keep it', async () => {
  for (const endpoint of publicEndpoints) {
    const { path } = await sampleRequest(endpoint)
    const answers = await Promise.all(
      Object.values(callers).map(async (headers) => {
        const response = await callWith({}, 'GET', path, { headers })
        return [endpoint, [...response.headers], await response.text()]
      }),
    )
    expect(answers[1]).toEqual(answers[0])
    expect(answers[2]).toEqual(answers[0])
  }
})

it('keeps an answer with an error, and of OPTIONS, out of caches', async () => {
  for (const [method, path, status] of [
    ['GET', '/nothing', 404],
    ['PATCH', '/api/public/stats', 405],
    ['GET', '/api/public/listings/999999', 400],
    ['GET', '/api/public/nfts?limit=x', 400],
    ['GET', '/avatars/1/unknown.jpg', 404],
    ['GET', '/nfts/999999/art/card', 404],
    ['OPTIONS', '/api/public/stats', 204],
  ] as const)
    expectUncached(await callWith({}, method, path), status)
  const RATE_LIMIT = { limit: async () => ({ success: false }) } as unknown as RateLimit
  expectUncached(await callWith({ RATE_LIMIT }, 'GET', '/api/public/stats'), 429)
})

/** Whether a request passes the entrypoint that has the cache. */
async function passesCache(...request: Parameters<typeof requestOf>): Promise<boolean> {
  const entered = vi.spyOn(CachedReads.prototype, 'fetch')
  const response = await exports.default.fetch(requestOf(...request))
  await response.arrayBuffer()
  const times = entered.mock.calls.length
  entered.mockRestore()
  return times > 0
}

it('passes the cache only if the cache may have its answer', async () => {
  for (const endpoint of endpoints.filter((name) => name.startsWith('GET '))) {
    const { method, path, ...content } = await sampleRequest(endpoint)
    const isPublic = publicEndpoints.includes(endpoint)
    expect([endpoint, await passesCache(method, path, content)]).toEqual([endpoint, isPublic])
  }
})

it('passes the cache whoever asks', async () => {
  for (const headers of Object.values(callers))
    expect(await passesCache('GET', '/api/public/stats', { headers })).toBe(true)
})

it('passes HEAD through the cache, and neither OPTIONS nor a path that is unknown', async () => {
  const passed = (method: string, path: string) => passesCache(method, path)
  expect(await passed('HEAD', '/api/public/stats?x=1')).toBe(true)
  expect(await passed('OPTIONS', '/api/public/stats')).toBe(false)
  expect(await passed('POST', '/api/public/stats')).toBe(false)
  expect(await passed('GET', '/api/public/stats/1')).toBe(false)
})
