import { describe, expect, it } from 'vitest'
import { call } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser } from '../support/makers.ts'
import { kinds, list } from './book.ts'

describe.each(kinds)('listing $kind addresses', (kind) => {
  it('answers exactly the documented keys, by id, for me, the own id and a master', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const first = await anAddress(user, { kind: kind.kind, city: 'Oslo' })
    const second = await anAddress(user, { kind: kind.kind, isDefault: true })
    const own = await list(kind, token)
    expect(own.map(({ id }) => id)).toEqual([first.id, second.id])
    for (const address of own) expect(Object.keys(address).sort()).toEqual(kind.keys)
    expect(own[0]).toMatchObject({
      userId: user.id,
      city: 'Oslo',
      street: null,
      [kind.flag]: false,
      deletedAt: null,
      createdAt: first.createdAt,
    })
    expect(own[1]).toMatchObject({ [kind.flag]: true })
    expect(await list(kind, token, user.id)).toEqual(own)
    expect(await list(kind, await aMasterToken(), user.id)).toEqual(own)
  })

  it('shows none that is deleted, of the other kind or of another user', async () => {
    const user = await aUser()
    await anAddress(user, { kind: kind.kind, deletedAt: '2026-01-02T00:00:00.000Z' })
    await anAddress(user, { kind: kind.kind === 'billing' ? 'delivery' : 'billing' })
    await anAddress(await aUser(), { kind: kind.kind })
    expect(await list(kind, await aToken(user))).toEqual([])
  })

  it('is 404 for a master who asks of a user who is unknown or removed', async () => {
    const token = await aMasterToken()
    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    await anAddress(removed, { kind: kind.kind })
    for (const user of [removed.id, 987654321]) {
      const response = await call('GET', `/api/public/user/${user}/${kind.list}`, { token })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ code: 'not_found' })
    }
  })

  it('is 403 for a user who asks of another, there or not', async () => {
    const token = await aToken(await aUser())
    for (const user of [(await aUser()).id, 987654321]) {
      const response = await call('GET', `/api/public/user/${user}/${kind.list}`, { token })
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ code: 'forbidden' })
    }
  })

  it.each(['0', '-1', '01', '1.5', '1e3', 'Me', 'abc', '%20', '9007199254740993'])(
    'is 400 for the user id %s',
    async (user) => {
      const token = await aMasterToken()
      const response = await call('GET', `/api/public/user/${user}/${kind.list}`, { token })
      expect(response.status).toBe(400)
      expect(await response.json()).toEqual({
        error: 'user_id: must be me or a positive integer',
        code: 'invalid_input',
      })
    },
  )
})
