import { describe, expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aMasterToken, anNft, aUser } from '../support/makers.ts'

const token = await aMasterToken()
const ADDRESSES = '/api/public/user/me/billingAddresses'

/** Sends a request that returns the number of its trips, which needs a master token. */
const get = async (path: string, headers: Record<string, string> = {}) => {
  const response = await call('GET', path, {
    token,
    headers: { 'x-server-timing': '1', ...headers },
  })
  const [, trips] = /trips: (\d+)/.exec(response.headers.get('server-timing') ?? '') ?? []
  return { response, trips: Number(trips), body: await response.text() }
}

describe.each(['/api/public/stats', '/api/public/creators', '/api/public/creators?limit=7'])(
  '%s',
  (path) => {
    it('reads from the database at most once in a minute', async () => {
      await anNft(await aUser())
      const first = await get(path)
      expect(first.trips).toBe(1)
      const second = await get(path)
      expect(second.trips).toBe(0)
      expect(second.body).toBe(first.body)
      for (const { response } of [first, second]) {
        expect(response.headers.get('cache-control')).toBe('public, max-age=60')
        expect(response.headers.get('content-type')).toBe('application/json')
      }
      expect(first.response.headers.get('age')).toBeNull()
      expect(Number(second.response.headers.get('age'))).toBeLessThan(60)
    })

    it('returns the headers of each request with a cached body', async () => {
      const [first, second] = [await get(path), await get(path)]
      const ids = [first, second].map(({ response }) => response.headers.get('x-request-id'))
      expect(new Set(ids).size).toBe(2)
      const anonymous = await call('GET', path)
      expect(anonymous.headers.get('server-timing')).toBeNull()
      expect(await anonymous.text()).toBe(first.body)
    })

    it('does not return a bookmark, because caches would share it', async () => {
      await anNft(await aUser())
      const { response: uncached } = await get(ADDRESSES)
      const bookmark = uncached.headers.get('x-d1-bookmark')
      if (!bookmark) throw new Error('the response has no bookmark')
      for (const headers of [{}, { 'x-d1-bookmark': bookmark }])
        for (const { response } of [await get(path, headers), await get(path, headers)]) {
          expect(response.status).toBe(200)
          expect(response.headers.get('x-d1-bookmark')).toBeNull()
        }
    })

    it('uses the cache despite an unknown query parameter', async () => {
      await get(path)
      const query = `${path.includes('?') ? '&' : '?'}cb=${crypto.randomUUID()}`
      expect((await get(path + query)).trips).toBe(0)
    })
  },
)

it('caches each limit separately', async () => {
  for (let i = 0; i < 3; i++) await anNft(await aUser())
  const lengths: number[] = []
  for (const limit of [1, 2, 1, 2]) {
    const { body } = await get(`/api/public/creators?limit=${limit}`)
    lengths.push(JSON.parse(body).creators.length)
  }
  expect(lengths).toEqual([1, 2, 1, 2])
})

it.each(['', 'Bearer broken', `Bearer ${token}`])(
  'returns 200 with the authorization header %j',
  async (authorization) => {
    for (const path of ['/api/public/stats', '/api/public/creators'])
      expect((await call('GET', path, { headers: { authorization } })).status).toBe(200)
  },
)
