import { expect, it } from 'vitest'
import { orders } from '../../src/db/schema/orders.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, anAddress, aToken, aUser, findRow } from '../support/makers.ts'
import { aShop, placed, sold, times } from './shop.ts'

type Answer = {
  orders: Order[]
  error: string | null
  code?: string
  issues?: { path: string; message: string }[]
}

const read = (token: string, ids: string) =>
  answerOf<Answer>(call('GET', `/api/externalOrders/${ids}`, { token }))

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Columns of users that no answer has. */
const notInAnswer = {
  avatarKey: undefined,
  externalId: undefined,
  hadWallet: undefined,
  identityHash: undefined,
  language: undefined,
  shopUrl: undefined,
  walletChainId: undefined,
  walletProvedByFactory: undefined,
}

/** What every buyer shows alike. */
const buyerConstants = {
  companyUser: false,
  chatServiceId: null,
  viewMode: 'default',
  walletNonce: null,
  paymentConnectId: null,
  payprovExternalId: null,
  onrampId: null,
  newsletterAgreement: false,
  onboardedAt: null,
}

it('returns each order once, in the order of the path, whatever blanks are around ids', async () => {
  const { token, input } = await aShop()
  const [a, b, c] = (await placed(token, [input, input, input])).map(({ id }) => id)
  for (const [ids, expected] of [
    [[c, a, b, a, c].join(','), [c, a, b]],
    [`${b}%2C${a}`, [b, a]],
    [`%20${b}%20,${a}`, [b, a]],
  ] as const)
    expect((await read(token, ids)).orders.map(({ id }) => id)).toEqual(expected)
})

it('returns 400 for more than 100 orders', async () => {
  const ids = times(101, (i) => i + 1).join(',')
  expect(await read(await aMasterToken(), ids)).toMatchObject({
    status: 400,
    orders: null,
    error: 'order_ids: at most 100 orders can be read at once',
  })
})

it('names every value that is not an id, and every id without an order', async () => {
  const { token, input } = await aShop()
  const issues = async (ids: string) =>
    (await read(token, ids)).issues?.map(({ path, message }) => `${path}: ${message}`)
  expect(await issues('a,1,007,1e3,٣,')).toEqual([
    'order_ids[0]: "a" is not a number, please check the URL',
    'order_ids[2]: "007" is not a number, please check the URL',
    'order_ids[3]: "1e3" is not a number, please check the URL',
    'order_ids[4]: "٣" is not a number, please check the URL',
    'order_ids[5]: "" is not a number, please check the URL',
  ])
  const [order] = await placed(token, [input])
  expect(await issues(`${order?.id},${order?.id},999999999,999999998`)).toEqual([
    'order_ids[2]: order 999999999 does not exist',
    'order_ids[3]: order 999999998 does not exist',
  ])
})

it('returns an order to master tokens, its buyer and its seller only', async () => {
  const { token, seller, buyer, input } = await aShop()
  const [own, other] = [await sold(token, input), await sold(token, (await aShop()).input)]
  const { id } = own.order
  for (const user of [seller, buyer])
    expect((await read(await aToken(user), `${id}`)).orders).toMatchObject([{ id }])
  const unknown = (id: number) => ({
    status: 400,
    orders: null,
    error: `order ${id} does not exist`,
    code: 'order_not_found',
  })
  expect(await read(await aToken(await aUser()), `${id}`)).toMatchObject(unknown(id))
  // No order at all, if one of them belongs to other users.
  const { id: otherId } = other.order
  const both = await read(await aToken(seller), `${id},${otherId}`)
  expect(both).toMatchObject(unknown(otherId))
})

it('shows a seller only the public fields of the buyer', async () => {
  const { token, seller, input } = await aShop()
  const time = '2026-01-02T00:00:00.000Z'
  const email = `${crypto.randomUUID()}@example.com`
  const buyer = await aUser({
    name: 'Ada Lovelace',
    username: 'ada',
    email,
    roleId: 7,
    locale: 'de',
    ipAddress: '192.0.2.7',
    approvedAt: time,
    lastAccessAt: time,
  })
  await anAddress(buyer)
  const [order] = await placed(token, [{ ...input, buyerUserId: buyer.id }])
  const buyerFor = async (jwt: string) => (await read(jwt, String(order?.id))).orders[0]?.buyer
  const complete = { ...buyer, ...buyerConstants, ...notInAnswer }
  expect(await buyerFor(token)).toEqual(complete)
  expect(await buyerFor(await aToken(buyer))).toEqual(complete)
  expect(await buyerFor(await aToken(seller))).toEqual({
    id: buyer.id,
    name: 'Ada Lovelace',
    username: 'ada',
    ethereumPublicAddr: buyer.ethereumPublicAddr,
    createdAt: buyer.createdAt,
    updatedAt: buyer.updatedAt,
    ...buyerConstants,
    approved: false,
    email: '',
    provider: '',
    roleId: null,
    locale: '',
    approvedAt: null,
    lastAccessAt: null,
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
  const stored = async (id = 0) => (await findRow(orders, id))?.payprovWebhookToken
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
