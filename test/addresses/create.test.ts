import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { call } from '../support/api.ts'
import { expectFields } from '../support/fields.ts'
import { aMasterToken, anAddress, aToken, aUser, db } from '../support/makers.ts'
import { type Address, billing, create, delivery, kinds, list, remove, textsOf } from './kinds.ts'

const post = (path: string, token: string, json: unknown) => call('POST', path, { token, json })

describe.each(kinds)('creating a $kind address', (kind) => {
  it('returns the address with exactly the documented fields', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const before = new Date().toISOString()
    const address = await create(kind, token, { userId: user.id, ...textsOf(kind) })
    expectFields(address, kind.fields)
    expect(address).toMatchObject({
      ...textsOf(kind),
      userId: user.id,
      [kind.defaultField]: false,
      deletedAt: null,
    })
    expect(address.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(address.updatedAt).toBe(address.createdAt)
    expect(String(address.createdAt) >= before).toBe(true)
    expect(await list(kind, token)).toEqual([address])
  })

  it('uses the user of a user token if `userId` is missing', async () => {
    const user = await aUser()
    const address = await create(kind, await aToken(user), textsOf(kind))
    expect(address).toMatchObject({ userId: user.id })
  })

  it('returns 400 to a master token if `userId` is missing, unknown or of a removed user', async () => {
    const token = await aMasterToken()
    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    for (const userId of [undefined, 987654321, removed.id]) {
      const response = await post(kind.createPath, token, { ...textsOf(kind), userId })
      expect(response.status).toBe(400)
      const body = await response.json<{ error: string; code: string }>()
      expect(body.code).toBe(userId ? 'user_not_found' : 'invalid_input')
      expect(body.error).toMatch(/^userId: /)
    }
  })

  it('ignores ?id= and fields that a request may not set', async () => {
    const user = await aUser()
    const json = {
      ...textsOf(kind),
      id: 987654321,
      kind: 'other',
      createdAt: '1970-01-01T00:00:00.000Z',
      deletedAt: '1970-01-01T00:00:00.000Z',
    }
    for (const id of ['987654321', 'abc', '', '1&id=2']) {
      const response = await post(`${kind.createPath}?id=${id}`, await aToken(user), json)
      expect(response.status).toBe(200)
      const { [kind.createdKey]: address } = await response.json<Record<string, Address>>()
      expect(address).toMatchObject({ [kind.defaultField]: false, deletedAt: null })
      expect(address?.id).toBeLessThan(987654321)
      expect(address?.createdAt).not.toBe(json.createdAt)
    }
  })

  it('trims text and stores empty text as null', async () => {
    const token = await aToken(await aUser())
    const json = {
      ...textsOf(kind),
      street: '  1 High Street\n',
      city: ' \t ',
      taxId: '',
      country: null,
    }
    expect(await create(kind, token, json)).toMatchObject({
      street: '1 High Street',
      city: null,
      taxId: null,
      country: null,
    })
  })

  it('makes the new address the default one if the body says so', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const body = { ...textsOf(kind), [kind.defaultField]: true }
    const first = await create(kind, token, body)
    expect(first).toMatchObject({ [kind.defaultField]: true })
    expect(await create(kind, token, body)).toMatchObject({ [kind.defaultField]: true })
    const response = await call('GET', `/api/public/user/me/${kind.kind}Addresses`, { token })
    const { [`${kind.kind}Addresses`]: addresses } =
      await response.json<Record<string, Record<string, unknown>[]>>()
    const defaults = addresses?.map((address) => address[kind.defaultField])
    expect(defaults?.toSorted()).toEqual([false, true])
  })

  it('takes null as the user id as if it were absent', async () => {
    const user = await aUser()
    const body = { ...textsOf(kind), userId: null }
    expect(await create(kind, await aToken(user), body)).toMatchObject({ userId: user.id })
  })

  it('accepts at most 255 characters, counted as code points', async () => {
    const token = await aToken(await aUser())
    const street = '𝄞'.repeat(255)
    expect(await create(kind, token, { ...textsOf(kind), street })).toMatchObject({ street })
    const response = await post(kind.path, token, { street: `${street}a` })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^street: /) })
  })

  it.each([
    ['a number', 5],
    ['an array', ['Oslo']],
    ['an object', {}],
  ])('returns 400 if a text field is %s', async (_, city) => {
    const response = await post(kind.path, await aToken(await aUser()), { city })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_input',
      error: expect.stringMatching(/^city: /),
    })
  })

  it('stores what people paste as one visible line', async () => {
    const body = {
      ...textsOf(kind),
      street: '1\tHigh\u00a0Street\u2028Flat\u3000 2',
      city: 'New\nYork\u0085City',
      country: '\u202aNL\u202c\u009f',
      companyName: 'Ada\u2028&\u00adCo',
    }
    expect(await create(kind, await aToken(await aUser()), body)).toMatchObject({
      street: '1 High Street, Flat  2',
      city: 'New York City',
      country: 'NL',
      companyName: 'Ada &Co',
    })
  })

  it.each([
    ['Main\u0000Street', 'U+0000 at position 5'],
    [' \u{1d11e}\u001b[31m', 'U+001B at position 3'],
    ['caf\u00e9 \ud83d', 'U+D83D at position 6'],
  ])('names the character of %j that is refused, and where it is', async (city, character) => {
    const response = await post(kind.path, await aToken(await aUser()), { city })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_character',
      error: `city: must not have ${character}`,
      issues: [{ path: 'city', code: 'invalid_character' }],
    })
  })

  it.each([[[]], [null], ['text'], [5]])('returns 400 if the body is %j', async (json) => {
    const response = await post(kind.path, await aToken(await aUser()), json)
    expect(response.status).toBe(400)
  })

  it.each([0, -1, 1.5, '5', null, 2 ** 53])('returns 400 if the userId is %j', async (userId) => {
    const response = await post(kind.path, await aMasterToken(), { ...textsOf(kind), userId })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^userId: /) })
  })

  it('returns 409 above 100 addresses, also to parallel requests', async () => {
    const user = await aUser()
    const token = await aToken(user)
    await insertAddresses(user.id, 100 - 2)
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => post(kind.createPath, token, textsOf(kind))),
    )
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409])
    const addresses = await list(kind, token)
    expect(addresses).toHaveLength(100)

    const rejected = await post(kind.createPath, token, textsOf(kind))
    expect(await rejected.json()).toMatchObject({ code: 'too_many_addresses' })
    await remove(kind, token, addresses[0]?.id)
    await create(kind, token, textsOf(kind))
  })

  it('does not count addresses that orders created', async () => {
    const user = await aUser()
    const token = await aToken(user)
    await insertAddresses(user.id, 100 - 1)
    for (const origin of ['order', 'seller_order'] as const)
      await anAddress(user, { kind: kind.kind, origin })
    await create(kind, token, textsOf(kind))
    expect((await post(kind.createPath, token, textsOf(kind))).status).toBe(409)
  })
})

/** Inserts `count` live and `count` deleted addresses of each kind. */
async function insertAddresses(userId: number, count: number) {
  const at = '2026-01-01T00:00:00.000Z'
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO addresses (kind, userId, createdAt, updatedAt, deletedAt)
    SELECT kind.value, ?2, ?3, ?3, deletedAt.value
    FROM n, json_each('["delivery", "billing"]') AS kind, json_each(json_array(NULL, ?3)) AS deletedAt`,
  )
    .bind(count, userId, at)
    .run()
}

describe('POST /api/public/deliveryAddress', () => {
  const createdKind = async (query: string, json: unknown) => {
    const token = await aToken(await aUser())
    const response = await post(`/api/public/deliveryAddress${query}`, token, json)
    const [key] = Object.keys(await response.json<object>())
    if (key === delivery.createdKey) return 'delivery'
    return key === billing.createdKey ? 'billing' : key
  }

  it.each([
    ['fields of both kinds only', { street: 'a', city: 'b' }, 'billing'],
    ['one field of both kinds', { taxId: null }, 'billing'],
    ['a name', { name: 'a', street: 'b' }, 'delivery'],
    ['an e-mail address', { email: 'a@example.com', street: 'b' }, 'delivery'],
    ['a mobile phone', { mobilePhone: '1', street: 'b' }, 'delivery'],
    ['a name of null', { name: null, street: 'b' }, 'delivery'],
    ['no fields', {}, 'delivery'],
    ['unknown fields only', { colour: 'red' }, 'delivery'],
  ])('a body with %s, as %j, creates the kind %s', async (_, json, kind) => {
    expect(await createdKind('', json)).toBe(kind)
  })

  it('creates the kind that ?type= names, whatever the body has', async () => {
    expect(await createdKind('?type=billing', { name: 'a', street: 'b' })).toBe('billing')
    expect(await createdKind('?type=delivery&id=4', { street: 'b' })).toBe('delivery')
  })

  it('returns 400 for an unknown or repeated ?type=', async () => {
    for (const query of ['?type=', '?type=Billing', '?type=other', '?type=billing&type=delivery'])
      expect(await createdKind(query, { street: 'b' })).toBe('error')
  })

  it('does not store fields that a billing address does not have', async () => {
    const token = await aToken(await aUser())
    const path = '/api/public/deliveryAddress?type=billing'
    const response = await post(path, token, { name: 'a', email: 'a@example.com', street: 'b' })
    const body = await response.json<{ newBillingAddress: Address }>()
    const [row] = await db
      .select()
      .from(addresses)
      .where(eq(addresses.id, body.newBillingAddress.id))
    expect(row).toMatchObject({ kind: 'billing', name: null, email: null, street: 'b' })
  })
})

describe('POST /api/public/billingAddress', () => {
  it('creates a billing address from any body', async () => {
    const token = await aToken(await aUser())
    for (const [query, json] of [
      ['', {}],
      ['?id=3', { name: 'ignored', street: 'a' }],
      ['?type=billing', { street: 'a' }],
    ] as const) {
      const response = await post(`/api/public/billingAddress${query}`, token, json)
      const { newBillingAddress } = await response.json<{ newBillingAddress: Address }>()
      expectFields(newBillingAddress, billing.fields)
    }
  })

  it('returns 400 for ?type=delivery', async () => {
    const path = '/api/public/billingAddress?type=delivery'
    const response = await post(path, await aToken(await aUser()), { street: 'a' })
    expect(response.status).toBe(400)
  })
})

describe('the email of a delivery address', () => {
  const withEmail = async (email: unknown) =>
    post('/api/public/deliveryAddress', await aToken(await aUser()), { email })

  it.each([
    ['a@example.com', 'a@example.com'],
    ["o'neil+x@mail.example.co.uk", "o'neil+x@mail.example.co.uk"],
    ['Ada&Bo!/=?@localhost', 'Ada&Bo!/=?@localhost'],
    [' Ada@Bücher.example\u200e', 'Ada@xn--bcher-kva.example'],
    ['ada@xn--bcher-kva.example', 'ada@xn--bcher-kva.example'],
    ['', null],
  ])('accepts %j and stores %j', async (email, stored) => {
    const { newDeliveryAddress } = await (await withEmail(email)).json<{
      newDeliveryAddress: Address
    }>()
    expect(newDeliveryAddress).toMatchObject({ email: stored })
  })

  it.each(['a', 'a@', '@example.com', 'a@b@example.com', 'a b@example.com', 'jörg@example.com'])(
    'returns 400 for %s',
    async (email) => {
      const response = await withEmail(email)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'email: must be an e-mail address' })
    },
  )
})
