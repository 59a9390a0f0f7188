import { env } from 'cloudflare:workers'
import { getTableColumns } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { orderItems, orders, transfers, users } from '../../src/db/schema.ts'
import { answers, type Order } from '../../src/orders/answer.ts'
import { readOrders } from '../../src/orders/read.ts'
import { call } from '../support/api.ts'
import { aListing, anAddress, anNft, aToken, aUser, db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aShop, callerOf, placed, times } from './shop.ts'

const read = async (token: string, ids: string) => {
  const response = await call('GET', `/api/externalOrders/${ids}`, { token })
  const body = await response.json<{ orders: Order[]; error: string | null; code?: string }>()
  return { status: response.status, ...body }
}

it('answers an order with its buyer, items, NFTs and listings, and the contract’s keys', async () => {
  const { token, buyer, listing, element } = await aShop()
  const [order] = await placed(token, [element])
  const { status, ...body } = await read(token, String(order?.id))
  expect(status).toBe(200)
  expect(answers().read.parse(body)).toEqual(body)
  const [answer] = body.orders
  expect(body).toEqual({
    orders: [{ ...order, buyer: { ...buyer, walletNonce: null, avatarKey: undefined } }],
    error: null,
  })
  expect(Object.keys(answer?.buyer ?? {}).sort()).toEqual(
    [
      ...Object.keys(getTableColumns(users)).filter((key) => key !== 'avatarKey'),
      'walletNonce',
    ].sort(),
  )
  expect(answer?.orderItems[0]?.listing).toEqual(listing)
})

it('answers in the order asked, each order once', async () => {
  const { token, element } = await aShop()
  const [a, b, c] = (await placed(token, [element, element, element])).map(({ id }) => id)
  const { orders } = await read(token, [c, a, b, a, c].join(','))
  expect(orders.map(({ id }) => id)).toEqual([c, a, b])
  const escaped = await read(token, `${b}%2C${a}`)
  expect(escaped.orders.map(({ id }) => id)).toEqual([b, a])
})

it('reads 100 orders at once, and not 101', async () => {
  const { token, element } = await aShop({ nft: { amount: 101 } })
  const ids = (
    await placed(
      token,
      times(100, () => element),
    )
  ).map(({ id }) => id)
  expect((await read(token, ids.join(','))).orders.map(({ id }) => id)).toEqual(ids)
  expect(await read(token, [...ids, 1].join(','))).toMatchObject({
    status: 400,
    orders: null,
    error: 'order_ids: at most 100 orders can be read at once',
  })
})

it.each([
  ['abc', 'abc'],
  ['1,x7,y', 'x7'],
  ['-1', '-1'],
  ['1.5', '1.5'],
  ['1e3', '1e3'],
  ['0x10', '0x10'],
  ['007', '007'],
  ['0', '0'],
  ['1,', ''],
  ['1,,2', ''],
  ['%201', ' 1'],
  ['٣', '٣'],
])('finds in %s the first value that is not a number', async (ids, value) => {
  const { token } = await aShop()
  expect(await read(token, ids)).toEqual({
    status: 400,
    orders: null,
    error: `order_ids: "${value}" is not a number, please check the URL`,
    code: 'invalid_input',
  })
})

it('names the first id that has no order', async () => {
  const { token, element } = await aShop()
  const [order] = await placed(token, [element])
  for (const id of ['999999999', '9007199254740993', '9'.repeat(40), '1'.repeat(400)])
    expect(await read(token, `${order?.id},${id},999999998`)).toEqual({
      status: 400,
      orders: null,
      error: `order ${id} does not exist`,
      code: 'order_not_found',
    })
})

it('shows an order to the master, its buyer and its sellers, and to others as if it were not there', async () => {
  const { token, seller, buyer, element } = await aShop()
  const [order] = await placed(token, [element])
  const ids = String(order?.id)
  for (const user of [seller, buyer])
    expect((await read(await aToken(user), ids)).orders.map(({ id }) => id)).toEqual([order?.id])
  const other = await aToken(await aUser())
  expect(await read(other, ids)).toEqual({
    status: 400,
    orders: null,
    error: `order ${ids} does not exist`,
    code: 'order_not_found',
  })
  expect((await call('GET', `/api/externalOrders/${ids}`)).status).toBe(401)
})

it('shows none of the orders when one of them is another’s', async () => {
  const { token, element } = await aShop()
  const { token: another, seller, element: theirs } = await aShop()
  const [foreign] = await placed(token, [element])
  const [own] = await placed(another, [theirs])
  expect(await read(await aToken(seller), `${own?.id},${foreign?.id}`)).toMatchObject({
    status: 400,
    orders: null,
    error: `order ${foreign?.id} does not exist`,
  })
})

it('shows what is private to a buyer to the buyer and the master only', async () => {
  const { token, seller, element } = await aShop()
  const secrets = {
    ipAddress: '192.0.2.7',
    chatServiceId: 'chat',
    paymentConnectId: 'connect',
    payprovExternalId: 'external',
    onrampId: 'onramp',
  }
  const buyer = await aUser(secrets)
  await anAddress(buyer)
  const [order] = await placed(token, [{ ...element, buyerUserId: buyer.id }])
  const buyerAsSeenBy = async (who: string) => (await read(who, String(order?.id))).orders[0]?.buyer
  expect(await buyerAsSeenBy(token)).toMatchObject({ ...secrets, walletNonce: null })
  expect(await buyerAsSeenBy(await aToken(buyer))).toMatchObject(secrets)
  expect(await buyerAsSeenBy(await aToken(seller))).toMatchObject({
    id: buyer.id,
    email: buyer.email,
    ipAddress: '',
    chatServiceId: null,
    paymentConnectId: null,
    payprovExternalId: null,
    onrampId: null,
  })
})

it('reads an order of several items, and shows it to each of their sellers', async () => {
  const { token, buyer, address, nft, listing, element } = await aShop()
  const [order] = await placed(token, [element])
  const other = await aUser()
  const second = await anNft(other)
  const theirs = await aListing(second)
  const [first] = order?.orderItems ?? []
  const { nft: _nft, listing: _listing, id: _id, ...item } = first ?? ({} as never)
  const [added] = await db
    .insert(orderItems)
    .values({ ...item, nftId: second.id, listingId: theirs.id })
    .returning()
  const { createdAt, updatedAt } = item
  await db.insert(transfers).values({ id: added?.id ?? 0, status: 'queued', createdAt, updatedAt })
  const seen = await read(await aToken(other), String(order?.id))
  expect(seen.orders[0]?.orderItems.map((item) => [item.nft.id, item.listing.id])).toEqual([
    [nft.id, listing.id],
    [second.id, theirs.id],
  ])
  expect(seen.orders[0]).toMatchObject({ buyerId: buyer.id, billingAddressId: address.id })
})

it('makes one trip of the same statements for 1 order and for 100', async () => {
  const { token, element } = await aShop({ nft: { amount: 100 } })
  const caller = await callerOf(token)
  const ids = (
    await placed(
      token,
      times(100, () => element),
    )
  ).map(({ id }) => String(id))
  const tripsFor = async (some: string[]) => {
    const { database, trips } = measured(env.DB)
    await readOrders(connect(database), caller, some)
    return trips
  }
  const one = await tripsFor(ids.slice(0, 1))
  const hundred = await tripsFor(ids)
  expect(one).toHaveLength(1)
  expect(hundred.map(({ statements }) => statements)).toEqual(
    one.map(({ statements }) => statements),
  )
  // A hundred orders read no more than a hundred times the rows of one.
  expect(hundred[0]?.rowsRead).toBeLessThanOrEqual(100 * (one[0]?.rowsRead ?? 0))
  expect(await db.$count(orders)).toBeGreaterThanOrEqual(100)
})
