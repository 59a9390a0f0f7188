import { and, eq, isNull } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { call } from '../support/api.ts'
import { expectFields } from '../support/fields.ts'
import { aMasterToken, anAddress, aToken, aUser, db } from '../support/makers.ts'
import { addressIn, create, kinds, list, remove, textsOf, update } from './kinds.ts'

const rowOf = async (id: number) => {
  const [row] = await db.select().from(addresses).where(eq(addresses.id, id))
  return row
}

describe.each(kinds)('updating a $kind address', (kind) => {
  const anAddressWithToken = async (values = {}) => {
    const user = await aUser()
    const address = await anAddress(user, { kind: kind.kind, ...values })
    return { user, address, token: await aToken(user) }
  }

  it('returns the changed address with exactly the documented fields', async () => {
    const { user, address, token } = await anAddressWithToken()
    const changed = await addressIn(kind, await update(kind, token, address.id, textsOf(kind)))
    expectFields(changed, kind.fields)
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
    const { address, token } = await anAddressWithToken(texts)
    const json = { city: null, country: '  ', taxId: 'NO 6' }
    expect(await addressIn(kind, await update(kind, token, address.id, json))).toMatchObject({
      street: '1 High Street',
      city: null,
      country: null,
      taxId: 'NO 6',
    })
  })

  it('ignores id, owner, kind and timestamps in the body', async () => {
    const { user, address, token } = await anAddressWithToken()
    const json = {
      id: 987654321,
      userId: (await aUser()).id,
      kind: 'other',
      createdAt: '1970-01-01T00:00:00.000Z',
      updatedAt: '1970-01-01T00:00:00.000Z',
      deletedAt: '1970-01-01T00:00:00.000Z',
      unknown: {},
    }
    const changed = await addressIn(kind, await update(kind, token, address.id, json))
    expect(changed).toMatchObject({
      id: address.id,
      userId: user.id,
      createdAt: address.createdAt,
      deletedAt: null,
    })
    expect(changed.updatedAt > json.updatedAt).toBe(true)
    expect(await rowOf(address.id)).toMatchObject({ kind: kind.kind })
  })

  it('makes an address the default instead of the previous one of the same user and kind', async () => {
    const { user, address, token } = await anAddressWithToken({ isDefault: true, city: 'Oslo' })
    const ofOtherKind = await anAddress(user, { kind: kind.otherKind, isDefault: true })
    const ofOtherUser = await anAddress(await aUser(), { kind: kind.kind, isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    const json = { [kind.defaultField]: true }
    expect(await addressIn(kind, await update(kind, token, next.id, json))).toMatchObject(json)
    expect(await list(kind, token)).toMatchObject([
      { id: address.id, [kind.defaultField]: false, city: 'Oslo' },
      { id: next.id, [kind.defaultField]: true },
    ])
    expect(await rowOf(ofOtherKind.id)).toMatchObject({ isDefault: true })
    expect(await rowOf(ofOtherUser.id)).toMatchObject({ isDefault: true })
  })

  it('sets and clears the default repeatedly', async () => {
    const { address, token } = await anAddressWithToken({ isDefault: true })
    for (const isDefault of [true, false, true]) {
      const json = { [kind.defaultField]: isDefault }
      expect(await addressIn(kind, await update(kind, token, address.id, json))).toMatchObject(json)
    }
  })

  it('ignores the name of the default field of the other kind', async () => {
    const { address, token } = await anAddressWithToken()
    const json = { [kind.defaultField === 'default' ? 'isDefault' : 'default']: true }
    const changed = await addressIn(kind, await update(kind, token, address.id, json))
    expect(changed).toMatchObject({ [kind.defaultField]: false })
  })

  it.each(['true', 1, null])('returns 400 if the default is %j', async (value) => {
    const { address, token } = await anAddressWithToken()
    const response = await update(kind, token, address.id, { [kind.defaultField]: value })
    expect(response.status).toBe(400)
  })

  it('keeps the default if the new default address does not exist', async () => {
    const { user, address, token } = await anAddressWithToken({ isDefault: true })
    const deleted = await anAddress(user, {
      kind: kind.kind,
      deletedAt: '2026-01-02T00:00:00.000Z',
    })
    const ofOtherUser = await anAddress(await aUser(), { kind: kind.kind })
    for (const id of [deleted.id, ofOtherUser.id, 987654321]) {
      const response = await update(kind, token, id, { [kind.defaultField]: true })
      expect(response.status).toBe(404)
    }
    expect(await rowOf(address.id)).toMatchObject({ isDefault: true })
  })

  it('leaves exactly one default after parallel updates', async () => {
    const { user, token } = await anAddressWithToken({ isDefault: true })
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

  it('applies each of several parallel updates as a whole', async () => {
    const { address, token } = await anAddressWithToken()
    const bodies = Array.from({ length: 10 }, (_, i) => ({
      street: `street ${i}`,
      city: `city ${i}`,
      ...(i === 3 && { taxId: 'only in the fourth' }),
    }))
    const responses = await Promise.all(bodies.map((json) => update(kind, token, address.id, json)))
    for (const [i, response] of responses.entries())
      expect(await addressIn(kind, response)).toMatchObject(bodies[i] ?? {})
    const row = await rowOf(address.id)
    expect(row?.city).toBe(row?.street?.replace('street', 'city'))
    expect(row?.taxId).toBe('only in the fourth')
  })
})

describe.each(kinds)('deleting a $kind address', (kind) => {
  it('returns the address with the time of its deletion', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const address = await create(kind, token, textsOf(kind))
    const deleted = await addressIn(kind, await remove(kind, token, address.id))
    expectFields(deleted, kind.fields)
    expect(deleted).toEqual({
      ...address,
      updatedAt: deleted.deletedAt,
      deletedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await list(kind, token)).toEqual([])
  })

  it('allows another address to become the default', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const first = await anAddress(user, { kind: kind.kind, isDefault: true })
    await remove(kind, token, first.id)
    const second = await anAddress(user, { kind: kind.kind })
    const json = { [kind.defaultField]: true }
    expect(await addressIn(kind, await update(kind, token, second.id, json))).toMatchObject(json)
  })

  it('succeeds once if several requests run in parallel', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await anAddress(user, { kind: kind.kind })
    const responses = await Promise.all([1, 2, 3, 4].map(() => remove(kind, token, id)))
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })

  it('lets a parallel update run before the deletion or return 404', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await anAddress(user, { kind: kind.kind, city: 'before' })
    const cities = ['a', 'b', 'c', 'd', 'e', 'f']
    const [deleted, ...updates] = await Promise.all([
      remove(kind, token, id),
      ...cities.map((city) => update(kind, token, id, { city })),
    ])
    const { city, deletedAt } = await addressIn(kind, deleted)
    const updatedCities = cities.filter((_, i) => updates[i]?.status === 200)
    expect(updates.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(['before', ...updatedCities]).toContain(city)
    expect(await rowOf(id)).toMatchObject({ city, deletedAt })
  })
})

describe.each(kinds)('updating or deleting a $kind address', (kind) => {
  const updateAndRemove = async (token: string, id: unknown) => [
    await update(kind, token, id, { city: 'changed' }),
    await remove(kind, token, id),
  ]

  it('returns the same 404 if the address is deleted, unknown, of another user or of the other kind', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const inaccessible = [
      await anAddress(user, { kind: kind.kind, deletedAt: '2026-01-02T00:00:00.000Z' }),
      await anAddress(await aUser(), { kind: kind.kind }),
      await anAddress(user, { kind: kind.otherKind }),
    ]
    for (const id of [...inaccessible.map(({ id }) => id), 987654321])
      for (const response of await updateAndRemove(token, id)) {
        expect(response.status).toBe(404)
        expect(await response.json()).toMatchObject({
          error: 'there is no such address',
          code: 'not_found',
        })
      }
    for (const row of inaccessible) expect(await rowOf(row.id)).toEqual(row)
  })

  it('works with a master token for every user who is not removed', async () => {
    const master = await aMasterToken()
    const address = await anAddress(await aUser(), { kind: kind.kind })
    for (const response of await updateAndRemove(master, address.id))
      expect(response.status).toBe(200)
    expect(await rowOf(address.id)).toMatchObject({ city: 'changed' })

    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    const ofRemovedUser = await anAddress(removed, { kind: kind.kind })
    for (const response of await updateAndRemove(master, ofRemovedUser.id))
      expect(response.status).toBe(404)
    const json = { [kind.defaultField]: true }
    expect((await update(kind, master, ofRemovedUser.id, json)).status).toBe(404)
    expect(await rowOf(ofRemovedUser.id)).toEqual(ofRemovedUser)
  })

  it('sets the default of another user with a master token', async () => {
    const master = await aMasterToken()
    const user = await aUser()
    await anAddress(user, { kind: kind.kind, isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    await update(kind, master, next.id, { [kind.defaultField]: true })
    const defaults = await db
      .select({ id: addresses.id })
      .from(addresses)
      .where(and(eq(addresses.userId, user.id), addresses.isDefault, isNull(addresses.deletedAt)))
    expect(defaults).toEqual([{ id: next.id }])
  })

  it.each(['', '0', '-1', '1.5', 'abc', '1&id=2', '1e3', '9'.repeat(20)])(
    'returns 400 for ?id=%s and without id',
    async (id) => {
      const token = await aToken(await aUser())
      const without = [
        await call('PUT', kind.path, { token, json: {} }),
        await call('DELETE', kind.path, { token }),
      ]
      for (const response of [...(await updateAndRemove(token, id)), ...without]) {
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^id: /) })
      }
    },
  )
})
