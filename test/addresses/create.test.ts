import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { MOST_ADDRESSES } from '../../src/addresses/create.ts'
import { addresses } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aMasterToken, anAdministrator, aToken, aUser, db } from '../support/makers.ts'
import { type Address, billing, create, delivery, kinds, list, remove, textsOf } from './book.ts'

const post = (path: string, token: string, json: unknown) => call('POST', path, { token, json })

describe.each(kinds)('creating a $kind address', (kind) => {
  it('answers the whole record with exactly the documented keys', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const before = new Date().toISOString()
    const address = await create(kind, token, { userId: user.id, ...textsOf(kind) })
    expect(Object.keys(address).sort()).toEqual(kind.keys)
    expect(address).toMatchObject({
      ...textsOf(kind),
      userId: user.id,
      [kind.flag]: false,
      deletedAt: null,
    })
    expect(address.createdAt).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    expect(address.updatedAt).toBe(address.createdAt)
    expect(String(address.createdAt) >= before).toBe(true)
    expect(await list(kind, token)).toEqual([address])
  })

  it('belongs to the caller of a user token when the body names no owner', async () => {
    const user = await aUser()
    const address = await create(kind, await aToken(user), textsOf(kind))
    expect(address).toMatchObject({ userId: user.id })
  })

  it('belongs to whom a master names', async () => {
    const user = await aUser()
    const json = { userId: user.id, ...textsOf(kind) }
    expect(await create(kind, await aMasterToken(), json)).toMatchObject({ userId: user.id })
  })

  it('is 400 for a master who names no owner, an unknown one or a removed one', async () => {
    const token = await aMasterToken()
    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    for (const userId of [undefined, 987654321, removed.id]) {
      const response = await post(kind.createPath, token, { ...textsOf(kind), userId })
      expect(response.status).toBe(400)
      const body = await response.json<{ error: string; code: string }>()
      expect(body).toMatchObject({ code: 'invalid_input' })
      expect(body.error).toMatch(/^userId: /)
    }
  })

  it('lets an administrator name their own id', async () => {
    const administrator = await anAdministrator()
    const token = await aToken(administrator, 'master')
    const json = { userId: administrator.id, ...textsOf(kind) }
    expect(await create(kind, token, json)).toMatchObject({ userId: administrator.id })
  })

  it('is 403 for a user token that names another owner, and nothing is written', async () => {
    const owner = await aUser()
    const json = { userId: owner.id, ...textsOf(kind) }
    const response = await post(kind.createPath, await aToken(await aUser()), json)
    expect(response.status).toBe(403)
    expect(await list(kind, await aToken(owner))).toEqual([])
  })

  it('ignores ?id= whatever it holds, and what a body may not set', async () => {
    const user = await aUser()
    const json = {
      ...textsOf(kind),
      id: 987654321,
      kind: 'other',
      createdAt: '1970-01-01T00:00:00.000Z',
      deletedAt: '1970-01-01T00:00:00.000Z',
      default: true,
      isDefault: true,
    }
    for (const id of ['987654321', 'abc', '', '1&id=2']) {
      const response = await post(`${kind.createPath}?id=${id}`, await aToken(user), json)
      expect(response.status).toBe(200)
      const { [kind.created]: address } = await response.json<Record<string, Address>>()
      expect(address).toMatchObject({ [kind.flag]: false, deletedAt: null })
      expect(address?.id).toBeLessThan(987654321)
      expect(address?.createdAt).not.toBe(json.createdAt)
    }
  })

  it('trims texts and stores empty ones as null', async () => {
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

  it('takes 255 characters as a reader counts them, and not one more', async () => {
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
    ['a tab inside', 'New\tYork'],
    ['a line break inside', 'New\nYork'],
    ['NUL', 'a\0b'],
    ['C1 control', 'a\u0085b'],
  ])('is 400 for a text that is %s', async (_, city) => {
    const response = await post(kind.path, await aToken(await aUser()), { city })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({
      code: 'invalid_input',
      error: expect.stringMatching(/^city: /),
    })
  })

  it.each([[[]], [null], ['text'], [5]])('is 400 for the body %j', async (json) => {
    const response = await post(kind.path, await aToken(await aUser()), json)
    expect(response.status).toBe(400)
  })

  it.each([0, -1, 1.5, '5', null, 2 ** 53])('is 400 for the userId %j', async (userId) => {
    const response = await post(kind.path, await aMasterToken(), { ...textsOf(kind), userId })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: expect.stringMatching(/^userId: /) })
  })

  it(`is 409 for one more than ${MOST_ADDRESSES}, however many come at once`, async () => {
    const user = await aUser()
    const token = await aToken(user)
    await fill(user.id, MOST_ADDRESSES - 2)
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => post(kind.createPath, token, textsOf(kind))),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 409, 409, 409])
    const addresses = await list(kind, token)
    expect(addresses).toHaveLength(MOST_ADDRESSES)

    const refused = await post(kind.createPath, token, textsOf(kind))
    expect(await refused.json()).toMatchObject({ code: 'too_many_addresses' })
    await remove(kind, token, addresses[0]?.id)
    await create(kind, token, textsOf(kind))
  })
})

/** Gives the user as many live addresses of both kinds, and as many deleted ones. */
async function fill(userId: number, addresses: number) {
  const at = '2026-01-01T00:00:00.000Z'
  await env.DB.prepare(
    `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1)
    INSERT INTO addresses (kind, userId, createdAt, updatedAt, deletedAt)
    SELECT kind.value, ?2, ?3, ?3, deletedAt.value
    FROM n, json_each('["delivery", "billing"]') AS kind, json_each(json_array(NULL, ?3)) AS deletedAt`,
  )
    .bind(addresses, userId, at)
    .run()
}

describe('a body on the path of both kinds', () => {
  const kindMadeBy = async (query: string, json: unknown) => {
    const token = await aToken(await aUser())
    const response = await post(`/api/public/deliveryAddress${query}`, token, json)
    const [key] = Object.keys(await response.json<object>())
    return key === delivery.created ? 'delivery' : key === billing.created ? 'billing' : key
  }

  it.each([
    ['only what both kinds have', { street: 'a', city: 'b' }, 'billing'],
    ['a single field that both kinds have', { taxId: null }, 'billing'],
    ['a name', { name: 'a', street: 'b' }, 'delivery'],
    ['an e-mail address', { email: 'a@example.com', street: 'b' }, 'delivery'],
    ['a mobile phone', { mobilePhone: '1', street: 'b' }, 'delivery'],
    ['a name that is null', { name: null, street: 'b' }, 'delivery'],
    ['nothing', {}, 'delivery'],
    ['only unknown keys', { colour: 'red' }, 'delivery'],
  ])('with %s makes the fitting kind', async (_, json, kind) => {
    expect(await kindMadeBy('', json)).toBe(kind)
  })

  it('makes the kind that ?type= says, against the guess', async () => {
    expect(await kindMadeBy('?type=billing', { name: 'a', street: 'b' })).toBe('billing')
    expect(await kindMadeBy('?type=delivery&id=4', { street: 'b' })).toBe('delivery')
  })

  it('is 400 with another ?type=, or two of them', async () => {
    for (const query of ['?type=', '?type=Billing', '?type=other', '?type=billing&type=delivery'])
      expect(await kindMadeBy(query, { street: 'b' })).toBe('error')
  })

  it('stores of a billing address only what one has', async () => {
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

describe('the path of billing addresses alone', () => {
  it('makes a billing address of whatever it is given', async () => {
    const token = await aToken(await aUser())
    for (const [query, json] of [
      ['', {}],
      ['?id=3', { name: 'ignored', street: 'a' }],
      ['?type=billing', { street: 'a' }],
    ] as const) {
      const response = await post(`/api/public/billingAddress${query}`, token, json)
      const { newBillingAddress } = await response.json<{ newBillingAddress: Address }>()
      expect(Object.keys(newBillingAddress).sort()).toEqual(billing.keys)
    }
  })

  it('is 400 with a ?type= that contradicts it', async () => {
    const path = '/api/public/billingAddress?type=delivery'
    const response = await post(path, await aToken(await aUser()), { street: 'a' })
    expect(response.status).toBe(400)
  })
})

describe('the e-mail address of a delivery address', () => {
  const withEmail = async (email: unknown) =>
    post('/api/public/deliveryAddress', await aToken(await aUser()), { email })

  it.each(['a@example.com', 'jörg@bücher.example', "o'neil+x@mail.example.co.uk"])(
    'may be %s',
    async (email) => {
      const { newDeliveryAddress } = await (await withEmail(email)).json<{
        newDeliveryAddress: Address
      }>()
      expect(newDeliveryAddress).toMatchObject({ email })
    },
  )

  it.each(['a', 'a@b', '@example.com', 'a@b@example.com', 'a b@example.com'])(
    'may not be %s',
    async (email) => {
      const response = await withEmail(email)
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ error: 'email: must be an e-mail address' })
    },
  )
})
