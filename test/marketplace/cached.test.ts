import { describe, expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aMasterToken, anNft, aUser } from '../support/makers.ts'

const master = await aMasterToken()

/** How often an answer asked the database: a master may know. */
const ask = async (path: string, headers: Record<string, string> = {}) => {
  const response = await call('GET', path, {
    headers: { authorization: `Bearer ${master}`, 'x-server-timing': '1', ...headers },
  })
  const [, trips] = /trips: (\d+)/.exec(response.headers.get('server-timing') ?? '') ?? []
  return { response, trips: Number(trips), body: await response.text() }
}

describe.each(['/api/public/stats', '/api/public/creators', '/api/public/creators?limit=7'])(
  '%s',
  (path) => {
    it('asks the database once, and for a minute not again', async () => {
      await anNft(await aUser())
      const first = await ask(path)
      expect(first.trips).toBe(1)
      const second = await ask(path)
      expect(second.trips).toBe(0)
      expect(second.body).toBe(first.body)
      for (const { response } of [first, second]) {
        expect(response.headers.get('cache-control')).toBe('public, max-age=60')
        expect(response.headers.get('content-type')).toBe('application/json')
      }
      expect(first.response.headers.get('age')).toBeNull()
      expect(Number(second.response.headers.get('age'))).toBeLessThan(60)
    })

    it('gives each caller headers of their own', async () => {
      const [first, second] = [await ask(path), await ask(path)]
      const ids = [first, second].map(({ response }) => response.headers.get('x-request-id'))
      expect(new Set(ids).size).toBe(2)
      const anonymous = await call('GET', path)
      expect(anonymous.headers.get('server-timing')).toBeNull()
      expect(await anonymous.text()).toBe(first.body)
    })

    it('never says a bookmark, which others would get from a cache', async () => {
      await anNft(await aUser())
      for (const headers of [{}, { 'x-d1-bookmark': 'first-primary' }])
        for (const { response } of [await ask(path, headers), await ask(path, headers)])
          expect(response.headers.get('x-d1-bookmark')).toBeNull()
    })

    it('is not made to ask again by a query that it does not know', async () => {
      await ask(path)
      const query = `${path.includes('?') ? '&' : '?'}cb=${crypto.randomUUID()}`
      expect((await ask(path + query)).trips).toBe(0)
    })
  },
)

it('keeps the answers to different limits apart', async () => {
  for (let i = 0; i < 3; i++) await anNft(await aUser())
  const lengths: number[] = []
  for (const limit of [1, 2, 1, 2]) {
    const { body } = await ask(`/api/public/creators?limit=${limit}`)
    lengths.push(JSON.parse(body).creators.length)
  }
  expect(lengths).toEqual([1, 2, 1, 2])
})

it.each(['', 'Bearer broken', `Bearer ${master}`])(
  'needs no credentials, and accepts %j',
  async (authorization) => {
    for (const path of ['/api/public/stats', '/api/public/creators'])
      expect((await call('GET', path, { headers: { authorization } })).status).toBe(200)
  },
)
