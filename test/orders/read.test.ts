import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { orders } from '../../src/db/schema/orders.ts'
import type { Order } from '../../src/orders/schema.ts'
import { call } from '../support/api.ts'
import { expectFields, fields } from '../support/fields.ts'
import { anAddress, aToken, aUser, db } from '../support/makers.ts'
import { aShop, placed, times } from './shop.ts'

const read = async (token: string, ids: string) => {
  const response = await call('GET', `/api/externalOrders/${ids}`, { token })
  const body = await response.json<{
    orders: Order[]
    error: string | null
    code?: string
    issues?: { path: string; message: string }[]
  }>()
  return { status: response.status, ...body }
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Columns of users that no answer has. */
const notInAnswer = {
  avatarKey: undefined,
  externalId: undefined,
  identityHash: undefined,
  walletChainId: undefined,
  walletProvedByFactory: undefined,
}

it('returns an order with buyer, items, NFTs and listings, with the documented fields', async () => {
  const { token, buyer, listing, input } = await aShop()
  const [placedOrder] = await placed(token, [input])
  const { status, ...body } = await read(token, String(placedOrder?.id))
  expect(status).toBe(200)
  expect(body).toEqual({
    orders: [{ ...placedOrder, buyer: { ...buyer, walletNonce: null, ...notInAnswer } }],
    error: null,
  })
  const [order] = body.orders
  const [item] = order?.orderItems ?? []
  expectFields(order, fields.order)
  expectFields(order?.buyer, fields.buyer)
  expectFields(item, fields.orderItem)
  expectFields(item?.nft, fields.nft)
  expectFields(item?.listing, fields.listing)
  const { externalId, obstacle, checkAt, ...shown } = listing
  expect(item?.listing).toEqual(shown)
})

it('returns each order once, in the order of the path', async () => {
  const { token, input } = await aShop()
  const [a, b, c] = (await placed(token, [input, input, input])).map(({ id }) => id)
  const { orders } = await read(token, [c, a, b, a, c].join(','))
  expect(orders.map(({ id }) => id)).toEqual([c, a, b])
  const escaped = await read(token, `${b}%2C${a}`)
  expect(escaped.orders.map(({ id }) => id)).toEqual([b, a])
})

it('returns at most 100 orders', async () => {
  const { token, input } = await aShop({ nft: { amount: 101 } })
  const inputs = times(100, () => input)
  const ids = (await placed(token, inputs)).map(({ id }) => id)
  expect((await read(token, ids.join(','))).orders.map(({ id }) => id)).toEqual(ids)
  expect(await read(token, [...ids, 1].join(','))).toMatchObject({
    status: 400,
    orders: null,
    error: 'order_ids: at most 100 orders can be read at once',
  })
})

it.each([
  ['abc', 'abc', 0],
  ['1,x7,y', 'x7', 1],
  ['-1', '-1', 0],
  ['1.5', '1.5', 0],
  ['1e3', '1e3', 0],
  ['0x10', '0x10', 0],
  ['007', '007', 0],
  ['0', '0', 0],
  ['1,', '', 1],
  ['1,,2', '', 1],
  ['1,1,x', 'x', 2],
  ['٣', '٣', 0],
])('returns 400 for the path %s and names the value "%s"', async (ids, value, place) => {
  const { token } = await aShop()
  expect(await read(token, ids)).toMatchObject({
    status: 400,
    orders: null,
    error: `order_ids[${place}]: "${value}" is not a number, please check the URL`,
    code: 'invalid_input',
  })
})

it('names every value that is not an id, and every id without an order', async () => {
  const { token, input } = await aShop()
  const issues = async (ids: string) =>
    (await read(token, ids)).issues?.map(({ path, message }) => `${path}: ${message}`)
  expect(await issues('a,1,b')).toEqual([
    'order_ids[0]: "a" is not a number, please check the URL',
    'order_ids[2]: "b" is not a number, please check the URL',
  ])
  const [order] = await placed(token, [input])
  expect(await issues(`${order?.id},${order?.id},999999999,999999998`)).toEqual([
    'order_ids[2]: order 999999999 does not exist',
    'order_ids[3]: order 999999998 does not exist',
  ])
})

it('ignores blanks around ids', async () => {
  const { token, input } = await aShop()
  const [a, b] = (await placed(token, [input, input])).map(({ id }) => id)
  expect((await read(token, `%20${b}%20,${a}`)).orders.map(({ id }) => id)).toEqual([b, a])
})

it('returns an order to master tokens, its buyer and its seller only', async () => {
  const { token, seller, buyer, input } = await aShop()
  const [order] = await placed(token, [input])
  const ids = String(order?.id)
  for (const user of [seller, buyer])
    expect((await read(await aToken(user), ids)).orders.map(({ id }) => id)).toEqual([order?.id])
  const otherToken = await aToken(await aUser())
  expect(await read(otherToken, ids)).toMatchObject({
    status: 400,
    orders: null,
    error: `order ${ids} does not exist`,
    code: 'order_not_found',
  })
  expect((await call('GET', `/api/externalOrders/${ids}`)).status).toBe(401)
})

it('returns no order if one of them belongs to other users', async () => {
  const [shop, otherShop] = [await aShop(), await aShop()]
  const [order] = await placed(shop.token, [shop.input])
  const [otherOrder] = await placed(otherShop.token, [otherShop.input])
  const token = await aToken(shop.seller)
  expect(await read(token, `${order?.id},${otherOrder?.id}`)).toMatchObject({
    status: 400,
    orders: null,
    error: `order ${otherOrder?.id} does not exist`,
  })
})

it('shows a seller only the public fields of the buyer', async () => {
  const { token, seller, input } = await aShop()
  const time = '2026-01-02T00:00:00.000Z'
  const email = `${crypto.randomUUID()}@example.com`
  const buyer = await aUser({
    name: 'Ada Lovelace',
    username: 'ada',
    viewMode: 'dark',
    email,
    companyUser: true,
    roleId: 7,
    locale: 'de',
    newsletterAgreement: true,
    ipAddress: '192.0.2.7',
    chatServiceId: 'chat',
    paymentConnectId: 'connect',
    payprovExternalId: 'external',
    onrampId: 'onramp',
    approvedAt: time,
    lastAccessAt: time,
    onboardedAt: time,
  })
  await anAddress(buyer)
  const [order] = await placed(token, [{ ...input, buyerUserId: buyer.id }])
  const buyerFor = async (jwt: string) => (await read(jwt, String(order?.id))).orders[0]?.buyer
  const complete = { ...buyer, walletNonce: null, ...notInAnswer }
  expect(await buyerFor(token)).toEqual(complete)
  expect(await buyerFor(await aToken(buyer))).toEqual(complete)
  expect(await buyerFor(await aToken(seller))).toEqual({
    id: buyer.id,
    name: 'Ada Lovelace',
    username: 'ada',
    ethereumPublicAddr: buyer.ethereumPublicAddr,
    viewMode: 'dark',
    createdAt: buyer.createdAt,
    updatedAt: buyer.updatedAt,
    approved: false,
    companyUser: false,
    email: '',
    provider: '',
    chatServiceId: null,
    roleId: null,
    walletNonce: null,
    paymentConnectId: null,
    payprovExternalId: null,
    onrampId: null,
    newsletterAgreement: false,
    locale: '',
    approvedAt: null,
    lastAccessAt: null,
    onboardedAt: null,
    removedAt: null,
    ipAddress: '',
  })
})

it('shows `payprovWebhookToken` to master tokens only', async () => {
  const { token, seller, buyer, input } = await aShop()
  const sellerToken = await aToken(seller)
  const key = { 'idempotency-key': 'webhook' }
  const [byMaster] = await placed(token, [input], key)
  const [bySeller] = await placed(sellerToken, [input], key)
  const stored = async (id = 0) =>
    (await db.select().from(orders).where(eq(orders.id, id)))[0]?.payprovWebhookToken
  expect(byMaster?.payprovWebhookToken).toBe(await stored(byMaster?.id))
  expect(await stored(bySeller?.id)).not.toBe(NIL_UUID)
  expect(bySeller?.payprovWebhookToken).toBe(NIL_UUID)
  // Repeated calls.
  for (const [jwt, first] of [
    [token, byMaster],
    [sellerToken, bySeller],
  ] as const) {
    const [again] = await placed(jwt, [input], key)
    expect(again?.id).toBe(first?.id)
    expect(again?.payprovWebhookToken).toBe(first?.payprovWebhookToken)
  }

  const ids = `${byMaster?.id},${bySeller?.id}`
  const readBy = async (jwt: string) =>
    (await read(jwt, ids)).orders.map(({ payprovWebhookToken }) => payprovWebhookToken)
  expect(await readBy(token)).toEqual([await stored(byMaster?.id), await stored(bySeller?.id)])
  for (const user of [seller, buyer])
    expect(await readBy(await aToken(user))).toEqual([NIL_UUID, NIL_UUID])
})
