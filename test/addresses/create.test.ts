import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser, findRow } from '../support/makers.ts'
import { type Address, billing, create, delivery, kinds, list, remove, textsOf } from './kinds.ts'

const post = (path: string, token: string, json: unknown) => call('POST', path, { token, json })

/** Posts as a new user. */
const postAsNew = async (path: string, json: unknown) =>
  answerOf(post(path, await aToken(await aUser()), json))

const problem = (field: string) => ({
  status: 400,
  error: expect.stringMatching(new RegExp(`^${field}: `)),
})

describe.each(kinds)('creating a $kind address', (kind) => {
  it('returns the address', async () => {
    const user = await aUser()
    const token = await aToken(user)
    const before = new Date().toISOString()
    const address = await create(kind, token, { userId: user.id, ...textsOf(kind) })
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

  it('uses the user of a user token if `userId` is missing or null', async () => {
    const user = await aUser()
    const token = await aToken(user)
    for (const body of [textsOf(kind), { ...textsOf(kind), userId: null }])
      expect(await create(kind, token, body)).toMatchObject({ userId: user.id })
  })

  it('returns 400 to a master token if `userId` is missing, wrong, unknown or of a removed user', async () => {
    const token = await aMasterToken()
    const removed = await aUser({ removedAt: '2026-01-02T00:00:00.000Z' })
    const send = (userId: unknown) =>
      answerOf(post(kind.createPath, token, { ...textsOf(kind), userId }))
    for (const userId of [undefined, 0, -1, 1.5, '5', null, 2 ** 53])
      expect(await send(userId)).toMatchObject({ ...problem('userId'), code: 'invalid_input' })
    for (const userId of [987654321, removed.id])
      expect(await send(userId)).toMatchObject({ ...problem('userId'), code: 'user_not_found' })
  })

  it('stores what people paste as one visible line, and text that is empty as null', async () => {
    const token = await aToken(await aUser())
    const json = {
      ...textsOf(kind),
      street: '  1\tHigh\u00a0Street\u2028Flat 2\n',
      city: ' \t ',
      taxId: '',
      country: '\u202aNL\u202c\u009f',
      postal: null,
      companyName: 'Ada\u2028&\u00adCo',
    }
    expect(await create(kind, token, json)).toMatchObject({
      street: '1 High Street, Flat 2',
      city: null,
      taxId: null,
      country: 'NL',
      postal: null,
      companyName: 'Ada &Co',
    })
  })

  it('makes the new address the default one if the body says so', async () => {
    const token = await aToken(await aUser())
    const body = { ...textsOf(kind), [kind.defaultField]: true }
    for (const _ of ['first', 'second'])
      expect(await create(kind, token, body)).toMatchObject({ [kind.defaultField]: true })
    const defaults = (await list(kind, token)).map((address) => address[kind.defaultField])
    expect(defaults).toEqual([false, true])
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
    const [key] = Object.keys(await postAsNew(`/api/public/deliveryAddress${query}`, json))
    if (key === delivery.createdKey) return 'delivery'
    return key === billing.createdKey ? 'billing' : key
  }

  it('creates the kind of address that has the fields of the body', async () => {
    for (const [json, kind] of [
      [{ street: 'a', city: 'b' }, 'billing'],
      [{ taxId: null }, 'billing'],
      [{ name: 'a', street: 'b' }, 'delivery'],
      [{ email: 'a@example.com', street: 'b' }, 'delivery'],
      [{ mobilePhone: '1', street: 'b' }, 'delivery'],
      [{ name: null, street: 'b' }, 'delivery'],
      [{}, 'delivery'],
      [{ colour: 'red' }, 'delivery'],
    ] as const)
      expect(await createdKind('', json), JSON.stringify(json)).toBe(kind)
  })

  it('creates the kind that ?type= names, whatever the body has', async () => {
    expect(await createdKind('?type=billing', { name: 'a', street: 'b' })).toBe('billing')
    expect(await createdKind('?type=delivery&id=4', { street: 'b' })).toBe('delivery')
  })

  it('does not store fields that a billing address does not have', async () => {
    const json = { name: 'a', email: 'a@example.com', street: 'b' }
    const answer = await postAsNew('/api/public/deliveryAddress?type=billing', json)
    const { id } = answer.newBillingAddress as Address
    const stored = { kind: 'billing', name: null, email: null, street: 'b' }
    expect(await findRow(addresses, id)).toMatchObject(stored)
  })
})

describe('POST /api/public/billingAddress', () => {
  it('creates a billing address from any body, and returns 400 for ?type=delivery', async () => {
    const path = '/api/public/billingAddress'
    for (const [query, json] of [
      ['', {}],
      ['?id=3', { name: 'ignored', street: 'a' }],
      ['?type=billing', { street: 'a' }],
    ] as const)
      expect((await postAsNew(path + query, json)).status).toBe(200)
    const refused = await postAsNew(`${path}?type=delivery`, { street: 'a' })
    expect(refused.status).toBe(400)
  })
})

it('stores the e-mail address of a delivery address as mail programs write it', async () => {
  const withEmail = (email: string) => postAsNew('/api/public/deliveryAddress', { email })
  for (const [email, stored] of [
    ["Ada&Bo!/=?o'x@localhost", "Ada&Bo!/=?o'x@localhost"],
    [' Ada@Bücher.example\u200e', 'Ada@xn--bcher-kva.example'],
    ['', null],
  ] as const)
    expect(await withEmail(email)).toMatchObject({ newDeliveryAddress: { email: stored } })
  expect(await withEmail('jörg@example.com')).toMatchObject({
    status: 400,
    error: 'email: must be an e-mail address',
  })
})
