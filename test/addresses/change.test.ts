import { describe, expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { answerOf } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser, findRow } from '../support/makers.ts'
import { addressIn, anOwner, create, kinds, list, remove, textsOf, update } from './kinds.ts'

const DELETED = { deletedAt: '2026-01-02T00:00:00.000Z' }

describe.each(kinds)('updating a $kind address', (kind) => {
  it('returns the changed address', async () => {
    const { user, address, token } = await anOwner(kind)
    const changed = await addressIn(kind, await update(kind, token, address.id, textsOf(kind)))
    expect(changed).toMatchObject({
      ...textsOf(kind),
      id: address.id,
      userId: user.id,
      createdAt: address.createdAt,
      deletedAt: null,
    })
    expect(changed.updatedAt > address.updatedAt).toBe(true)
    expect(await list(kind, token)).toEqual([changed])
  })

  it('keeps absent fields and clears fields that are null or empty', async () => {
    const texts = { street: '1 High Street', city: 'Oslo', country: 'NO', taxId: '5' }
    const { address, token } = await anOwner(kind, texts)
    const json = { city: null, country: '  ', taxId: 'NO 6' }
    expect(await addressIn(kind, await update(kind, token, address.id, json))).toMatchObject({
      street: '1 High Street',
      city: null,
      country: null,
      taxId: 'NO 6',
    })
  })

  it('makes an address the default instead of the previous one of the same user and kind', async () => {
    const { user, address, token } = await anOwner(kind, { isDefault: true, city: 'Oslo' })
    const ofOtherKind = await anAddress(user, { kind: kind.otherKind, isDefault: true })
    const ofOtherUser = await anAddress(await aUser(), { kind: kind.kind, isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    const json = { [kind.defaultField]: true }
    expect(await addressIn(kind, await update(kind, token, next.id, json))).toMatchObject(json)
    expect(await list(kind, token)).toMatchObject([
      { id: address.id, [kind.defaultField]: false, city: 'Oslo' },
      { id: next.id, [kind.defaultField]: true },
    ])
    expect(await findRow(addresses, ofOtherKind.id)).toMatchObject({ isDefault: true })
    expect(await findRow(addresses, ofOtherUser.id)).toMatchObject({ isDefault: true })
  })

  it('clears the default, and returns 400 if it is neither true nor false', async () => {
    const { address, token } = await anOwner(kind, { isDefault: true })
    for (const value of ['true', 1, null]) {
      const response = await update(kind, token, address.id, { [kind.defaultField]: value })
      expect(response.status).toBe(400)
    }
    for (const isDefault of [true, false, true]) {
      const json = { [kind.defaultField]: isDefault }
      expect(await addressIn(kind, await update(kind, token, address.id, json))).toMatchObject(json)
    }
  })

  it('keeps the default if the new default address does not exist', async () => {
    const { user, address, token } = await anOwner(kind, { isDefault: true })
    const deleted = await anAddress(user, { kind: kind.kind, ...DELETED })
    const ofOtherUser = await anAddress(await aUser(), { kind: kind.kind })
    for (const id of [deleted.id, ofOtherUser.id, 987654321]) {
      const response = await update(kind, token, id, { [kind.defaultField]: true })
      expect(response.status).toBe(404)
    }
    expect(await findRow(addresses, address.id)).toMatchObject({ isDefault: true })
  })

  it('leaves exactly one default after parallel updates', async () => {
    const { user, token } = await anOwner(kind, { isDefault: true })
    const candidates = await Promise.all(
      Array.from({ length: 10 }, () => anAddress(user, { kind: kind.kind })),
    )
    const responses = await Promise.all(
      candidates.map(({ id }) => update(kind, token, id, { [kind.defaultField]: true })),
    )
    expect(responses.map(({ status }) => status)).toEqual(candidates.map(() => 200))
    const defaults = (await list(kind, token)).filter((address) => address[kind.defaultField])
    expect(defaults).toHaveLength(1)
  })
})

describe.each(kinds)('deleting a $kind address', (kind) => {
  it('returns the address with the time of its deletion', async () => {
    const token = await aToken(await aUser())
    const address = await create(kind, token, textsOf(kind))
    const deleted = await addressIn(kind, await remove(kind, token, address.id))
    const deletedAt = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(deleted).toEqual({ ...address, updatedAt: deleted.deletedAt, deletedAt })
    expect(await list(kind, token)).toEqual([])
  })

  it('succeeds once if several requests run in parallel', async () => {
    const { address, token } = await anOwner(kind)
    const responses = await Promise.all([1, 2, 3, 4].map(() => remove(kind, token, address.id)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })
})

describe.each(kinds)('updating or deleting a $kind address', (kind) => {
  const updateAndRemove = async (token: string, id: unknown) => [
    await update(kind, token, id, { city: 'changed' }),
    await remove(kind, token, id),
  ]

  it('returns the same 404 if the address is deleted, unknown, of another user or of the other kind', async () => {
    const { user, address, token } = await anOwner(kind, DELETED)
    const inaccessible = [
      address,
      await anAddress(await aUser(), { kind: kind.kind }),
      await anAddress(user, { kind: kind.otherKind }),
    ]
    const notFound = { status: 404, error: 'there is no such address', code: 'not_found' }
    for (const id of [...inaccessible.map(({ id }) => id), 987654321])
      for (const response of await updateAndRemove(token, id))
        expect(await answerOf(response)).toMatchObject(notFound)
    for (const row of inaccessible) expect(await findRow(addresses, row.id)).toEqual(row)
  })

  it('works with a master token for every user who is not removed', async () => {
    const master = await aMasterToken()
    const { user, address } = await anOwner(kind, { isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    await update(kind, master, next.id, { [kind.defaultField]: true })
    expect(await findRow(addresses, address.id)).toMatchObject({ isDefault: false })
    expect(await findRow(addresses, next.id)).toMatchObject({ isDefault: true })
    for (const response of await updateAndRemove(master, address.id))
      expect(response.status).toBe(200)
    expect(await findRow(addresses, address.id)).toMatchObject({ city: 'changed' })

    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    const ofRemovedUser = await anAddress(removed, { kind: kind.kind })
    for (const response of await updateAndRemove(master, ofRemovedUser.id))
      expect(response.status).toBe(404)
    const json = { [kind.defaultField]: true }
    expect((await update(kind, master, ofRemovedUser.id, json)).status).toBe(404)
    expect(await findRow(addresses, ofRemovedUser.id)).toEqual(ofRemovedUser)
  })
})
