import { expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aMasterToken, anAddress, aUser } from '../support/makers.ts'
import { kinds } from './kinds.ts'

it.each(kinds)('makes one trip for each request for $kind addresses', async (kind) => {
  const token = await aMasterToken()
  const user = await aUser()
  const { id } = await anAddress(user, { kind: kind.kind })
  const tripsOf = async (method: string, path: string, json?: unknown) => {
    // The response to a master token says how many trips it took.
    const headers = { 'x-server-timing': '1' }
    const response = await call(method, path, { token, json, headers })
    expect(response.status).toBe(200)
    return /trips: (\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1]
  }
  const trips = [
    await tripsOf('GET', `/api/public/user/${user.id}/${kind.listKey}`),
    await tripsOf('POST', kind.createPath, { userId: user.id, city: 'Oslo' }),
    await tripsOf('POST', kind.path, { userId: user.id, city: 'Oslo' }),
    await tripsOf('PUT', `${kind.path}?id=${id}`, { city: 'Oslo' }),
    await tripsOf('PUT', `${kind.path}?id=${id}`, { [kind.defaultField]: true }),
    await tripsOf('DELETE', `${kind.path}?id=${id}`),
  ]
  expect(trips).toEqual(trips.map(() => '1'))
})
