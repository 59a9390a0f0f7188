import { expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aMasterToken, anAddress, aUser } from '../support/makers.ts'
import { kinds } from './book.ts'

it.each(kinds)('asks the database once at each endpoint of $kind addresses', async (kind) => {
  const token = await aMasterToken()
  const user = await aUser()
  const { id } = await anAddress(user, { kind: kind.kind })
  const tripsOf = async (method: string, path: string, json?: unknown) => {
    // A master token may ask what an answer cost.
    const headers = { 'x-server-timing': '1' }
    const response = await call(method, path, { token, json, headers })
    expect(response.status).toBe(200)
    return /trips: (\d+)/.exec(response.headers.get('server-timing') ?? '')?.[1]
  }
  const asked = [
    await tripsOf('GET', `/api/public/user/${user.id}/${kind.list}`),
    await tripsOf('POST', kind.createPath, { userId: user.id, city: 'Oslo' }),
    await tripsOf('POST', kind.path, { userId: user.id, city: 'Oslo' }),
    await tripsOf('PUT', `${kind.path}?id=${id}`, { city: 'Oslo' }),
    await tripsOf('PUT', `${kind.path}?id=${id}`, { [kind.flag]: true }),
    await tripsOf('DELETE', `${kind.path}?id=${id}`),
  ]
  expect(asked).toEqual(asked.map(() => '1'))
})
