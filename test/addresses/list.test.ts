import { describe, expect, it } from 'vitest'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser } from '../support/makers.ts'
import { kinds, list } from './kinds.ts'

describe.each(kinds)('listing $kind addresses', (kind) => {
  const listOf = (token: string, user: number | string) =>
    answerOf(call('GET', `/api/public/user/${user}/${kind.listKey}`, { token }))
  it('returns the addresses, sorted by id, for `me` and for the user id', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const first = await anAddress(user, { kind: kind.kind, city: 'Oslo' })
    const second = await anAddress(user, { kind: kind.kind, isDefault: true })
    const addresses = await list(kind, token)
    expect(addresses.map(({ id }) => id)).toEqual([first.id, second.id])
    expect(addresses[0]).toMatchObject({
      userId: user.id,
      city: 'Oslo',
      street: null,
      [kind.defaultField]: false,
      deletedAt: null,
      createdAt: first.createdAt,
    })
    expect(addresses[1]).toMatchObject({ [kind.defaultField]: true })
    expect(await list(kind, token, user.id)).toEqual(addresses)
    expect(await list(kind, await aMasterToken(), user.id)).toEqual(addresses)
  })

  it('omits addresses that are deleted, of the other kind or of other users', async () => {
    const user = await aUser()
    await anAddress(user, { kind: kind.kind, deletedAt: '2026-01-02T00:00:00.000Z' })
    await anAddress(user, { kind: kind.otherKind })
    await anAddress(await aUser(), { kind: kind.kind })
    expect(await list(kind, await aToken(user))).toEqual([])
  })

  it('returns 404 to a master token if the user is unknown or removed', async () => {
    const token = await aMasterToken()
    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    await anAddress(removed, { kind: kind.kind })
    for (const userId of [removed.id, 987654321])
      expect(await listOf(token, userId)).toMatchObject({ status: 404, code: 'not_found' })
  })
})
