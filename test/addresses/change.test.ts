import { and, eq, isNull } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { addresses } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser, db } from '../support/makers.ts'
import { create, kinds, list, remove, textsOf, update, updated } from './book.ts'

const stored = async (id: number) => {
  const [row] = await db.select().from(addresses).where(eq(addresses.id, id))
  return row
}

describe.each(kinds)('updating a $kind address', (kind) => {
  const anOwnAddress = async (values = {}) => {
    const user = await aUser()
    const address = await anAddress(user, { kind: kind.kind, ...values })
    return { user, address, token: await aToken(user) }
  }

  it('answers the record with exactly the documented keys and what was changed', async () => {
    const { user, address, token } = await anOwnAddress()
    const answer = await updated(kind, await update(kind, token, address.id, textsOf(kind)))
    expect(Object.keys(answer).sort()).toEqual(kind.keys)
    expect(answer).toMatchObject({
      ...textsOf(kind),
      id: address.id,
      userId: user.id,
      createdAt: address.createdAt,
      deletedAt: null,
    })
    expect(answer.updatedAt > address.updatedAt).toBe(true)
    expect(await list(kind, token)).toEqual([answer])
  })

  it('leaves what the body does not name, and clears what is null or empty', async () => {
    const texts = { street: '1 High Street', city: 'Oslo', country: 'NO', taxId: '5' }
    const { address, token } = await anOwnAddress(texts)
    const json = { city: null, country: '  ', taxId: 'NO 6' }
    expect(await updated(kind, await update(kind, token, address.id, json))).toMatchObject({
      street: '1 High Street',
      city: null,
      country: null,
      taxId: 'NO 6',
    })
  })

  it('never takes the owner, the deletion, the kind or the times from the body', async () => {
    const { user, address, token } = await anOwnAddress()
    const json = {
      id: 987654321,
      userId: (await aUser()).id,
      kind: 'other',
      createdAt: '1970-01-01T00:00:00.000Z',
      updatedAt: '1970-01-01T00:00:00.000Z',
      deletedAt: '1970-01-01T00:00:00.000Z',
      unknown: {},
    }
    const answer = await updated(kind, await update(kind, token, address.id, json))
    expect(answer).toMatchObject({
      id: address.id,
      userId: user.id,
      createdAt: address.createdAt,
      deletedAt: null,
    })
    expect(answer.updatedAt > json.updatedAt).toBe(true)
    expect(await stored(address.id)).toMatchObject({ kind: kind.kind })
  })

  it('takes from another address of the kind what it makes the default, and nothing else', async () => {
    const { user, address, token } = await anOwnAddress({ isDefault: true, city: 'Oslo' })
    const otherKind = kind.kind === 'billing' ? 'delivery' : 'billing'
    const kept = await anAddress(user, { kind: otherKind, isDefault: true })
    const foreign = await anAddress(await aUser(), { kind: kind.kind, isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    const json = { [kind.flag]: true }
    expect(await updated(kind, await update(kind, token, next.id, json))).toMatchObject(json)
    expect(await list(kind, token)).toMatchObject([
      { id: address.id, [kind.flag]: false, city: 'Oslo' },
      { id: next.id, [kind.flag]: true },
    ])
    expect(await stored(kept.id)).toMatchObject({ isDefault: true })
    expect(await stored(foreign.id)).toMatchObject({ isDefault: true })
  })

  it('makes the default address the default again, and none of them', async () => {
    const { address, token } = await anOwnAddress({ isDefault: true })
    for (const isDefault of [true, false, true]) {
      const json = { [kind.flag]: isDefault }
      expect(await updated(kind, await update(kind, token, address.id, json))).toMatchObject(json)
    }
  })

  it('does not know the name that the other kind has for the default', async () => {
    const { address, token } = await anOwnAddress()
    const json = { [kind.flag === 'default' ? 'isDefault' : 'default']: true }
    const answer = await updated(kind, await update(kind, token, address.id, json))
    expect(answer).toMatchObject({ [kind.flag]: false })
  })

  it.each(['true', 1, null])('is 400 when the default is %j', async (value) => {
    const { address, token } = await anOwnAddress()
    const response = await update(kind, token, address.id, { [kind.flag]: value })
    expect(response.status).toBe(400)
  })

  it('leaves the default where it is when the one to take it is not there', async () => {
    const { user, address, token } = await anOwnAddress({ isDefault: true })
    const gone = await anAddress(user, { kind: kind.kind, deletedAt: '2026-01-02T00:00:00.000Z' })
    const foreign = await anAddress(await aUser(), { kind: kind.kind })
    for (const id of [gone.id, foreign.id, 987654321]) {
      const response = await update(kind, token, id, { [kind.flag]: true })
      expect(response.status).toBe(404)
    }
    expect(await stored(address.id)).toMatchObject({ isDefault: true })
  })

  it('leaves exactly one default when many are made it at once', async () => {
    const { user, token } = await anOwnAddress({ isDefault: true })
    const made = await Promise.all(
      Array.from({ length: 10 }, () => anAddress(user, { kind: kind.kind })),
    )
    const answers = await Promise.all(
      made.map(({ id }) => update(kind, token, id, { [kind.flag]: true })),
    )
    expect(answers.map(({ status }) => status)).toEqual(made.map(() => 200))
    const defaults = (await list(kind, token)).filter((address) => address[kind.flag])
    expect(defaults).toHaveLength(1)
  })

  it('of two updates at once keeps each whole, and what only one of them names', async () => {
    const { address, token } = await anOwnAddress()
    const bodies = Array.from({ length: 10 }, (_, i) => ({
      street: `street ${i}`,
      city: `city ${i}`,
      ...(i === 3 && { taxId: 'of the fourth' }),
    }))
    const answers = await Promise.all(bodies.map((json) => update(kind, token, address.id, json)))
    for (const [i, answer] of answers.entries())
      expect(await updated(kind, answer)).toMatchObject(bodies[i] ?? {})
    const row = await stored(address.id)
    expect(row?.city).toBe(row?.street?.replace('street', 'city'))
    expect(row?.taxId).toBe('of the fourth')
  })
})

describe.each(kinds)('deleting a $kind address', (kind) => {
  it('answers the record as it was, with the time of its deletion', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const address = await create(kind, token, textsOf(kind))
    const answer = await updated(kind, await remove(kind, token, address.id))
    expect(Object.keys(answer).sort()).toEqual(kind.keys)
    expect(answer).toEqual({
      ...address,
      updatedAt: answer.deletedAt,
      deletedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    })
    expect(await list(kind, token)).toEqual([])
  })

  it('frees the place of the default', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const first = await anAddress(user, { kind: kind.kind, isDefault: true })
    await remove(kind, token, first.id)
    const second = await anAddress(user, { kind: kind.kind })
    const json = { [kind.flag]: true }
    expect(await updated(kind, await update(kind, token, second.id, json))).toMatchObject(json)
  })

  it('happens once, however many ask at once', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await anAddress(user, { kind: kind.kind })
    const answers = await Promise.all([1, 2, 3, 4].map(() => remove(kind, token, id)))
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404, 404, 404])
  })

  it('beside updates lets each of them happen before it or not at all', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const { id } = await anAddress(user, { kind: kind.kind, city: 'before' })
    const cities = ['a', 'b', 'c', 'd', 'e', 'f']
    const [deleted, ...updates] = await Promise.all([
      remove(kind, token, id),
      ...cities.map((city) => update(kind, token, id, { city })),
    ])
    const { city, deletedAt } = await updated(kind, deleted)
    const happened = cities.filter((_, i) => updates[i]?.status === 200)
    expect(updates.every(({ status }) => status === 200 || status === 404)).toBe(true)
    expect(['before', ...happened]).toContain(city)
    expect(await stored(id)).toMatchObject({ city, deletedAt })
  })
})

describe.each(kinds)('an update and a deletion of a $kind address', (kind) => {
  const both = async (token: string, id: unknown) => [
    await update(kind, token, id, { city: 'changed' }),
    await remove(kind, token, id),
  ]

  it('are 404 alike for an address that is deleted, foreign, unknown or of the other kind', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const otherKind = kind.kind === 'billing' ? 'delivery' : 'billing'
    const made = [
      await anAddress(user, { kind: kind.kind, deletedAt: '2026-01-02T00:00:00.000Z' }),
      await anAddress(await aUser(), { kind: kind.kind }),
      await anAddress(user, { kind: otherKind }),
    ]
    for (const id of [...made.map(({ id }) => id), 987654321])
      for (const response of await both(token, id)) {
        expect(response.status).toBe(404)
        expect(await response.json()).toEqual({
          error: 'there is no such address',
          code: 'not_found',
        })
      }
    for (const row of made) expect(await stored(row.id)).toEqual(row)
  })

  it('are for a master to do for any user who is there', async () => {
    const master = await aMasterToken()
    const address = await anAddress(await aUser(), { kind: kind.kind })
    for (const response of await both(master, address.id)) expect(response.status).toBe(200)
    expect(await stored(address.id)).toMatchObject({ city: 'changed' })

    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    const kept = await anAddress(removed, { kind: kind.kind })
    for (const response of await both(master, kept.id)) expect(response.status).toBe(404)
    const json = { [kind.flag]: true }
    expect((await update(kind, master, kept.id, json)).status).toBe(404)
    expect(await stored(kept.id)).toEqual(kept)
  })

  it('let a master give the default for any user', async () => {
    const master = await aMasterToken()
    const user = await aUser()
    await anAddress(user, { kind: kind.kind, isDefault: true })
    const next = await anAddress(user, { kind: kind.kind })
    await update(kind, master, next.id, { [kind.flag]: true })
    const defaults = await db
      .select({ id: addresses.id })
      .from(addresses)
      .where(and(eq(addresses.userId, user.id), addresses.isDefault, isNull(addresses.deletedAt)))
    expect(defaults).toEqual([{ id: next.id }])
  })

  it.each(['', '0', '-1', '1.5', 'abc', '1&id=2', '1e3', '9'.repeat(20)])(
    'are 400 for ?id=%s, and without it',
    async (id) => {
      const token = await aToken(await aUser())
      const without = [
        await call('PUT', kind.path, { token, json: {} }),
        await call('DELETE', kind.path, { token }),
      ]
      for (const response of [...(await both(token, id)), ...without]) {
        expect(response.status).toBe(400)
        expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^id: /) })
      }
    },
  )
})
