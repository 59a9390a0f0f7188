/** Billing addresses that orders create. */
import { expect, it } from 'vitest'
import { addresses } from '../../src/db/schema/users.ts'
import { answerOf, call } from '../support/api.ts'
import { anAddress, aToken, aUser, findRow } from '../support/makers.ts'
import { aShop, billingData, place, placed, placeError } from './shop.ts'

/** A shop whose buyer has no address yet. `input` has billing data. */
async function aShopWithNewBuyer() {
  const shop = await aShop()
  const buyer = await aUser()
  const withoutData = { ...shop.input, buyerUserId: buyer.id }
  return {
    ...shop,
    buyer,
    buyerToken: await aToken(buyer),
    sellerToken: await aToken(shop.seller),
    input: { ...withoutData, buyerBillingData: billingData },
    withoutData,
  }
}

async function listOf(token: string, user: number | 'me') {
  const list = call('GET', `/api/public/user/${user}/billingAddresses`, { token })
  const { billingAddresses } = await answerOf<{ billingAddresses: { id: number }[] }>(list)
  return billingAddresses.map(({ id }) => id)
}

const addressOf = (order: { billingAddressId: number } | undefined) =>
  findRow(addresses, order?.billingAddressId)

it('keeps billing data of a seller with the order, and off the lists of the buyer', async () => {
  const { token, buyer, buyerToken, sellerToken, input } = await aShopWithNewBuyer()
  const [order] = await placed(sellerToken, [input])
  expect(await addressOf(order)).toMatchObject({
    ...billingData,
    userId: buyer.id,
    origin: 'seller_order',
    deletedAt: null,
  })
  expect(await listOf(buyerToken, 'me')).toEqual([])
  expect(await listOf(token, buyer.id)).toEqual([])
  for (const jwt of [token, buyerToken, sellerToken]) {
    const response = await call('GET', `/api/externalOrders/${order?.id}`, { token: jwt })
    expect(await response.json()).toMatchObject({
      orders: [{ billingAddressId: order?.billingAddressId }],
    })
  }
})

it('returns 404 to everybody who changes or deletes billing data of a seller', async () => {
  const { token, buyerToken, sellerToken, input } = await aShopWithNewBuyer()
  const [order] = await placed(sellerToken, [input])
  const path = `/api/public/billingAddress?id=${order?.billingAddressId}`
  const before = await addressOf(order)
  for (const jwt of [token, buyerToken, sellerToken]) {
    for (const json of [{ city: 'Bonn' }, { isDefault: true }])
      expect((await call('PUT', path, { token: jwt, json })).status).toBe(404)
    expect((await call('DELETE', path, { token: jwt })).status).toBe(404)
  }
  expect(await addressOf(order)).toEqual(before)
})

it('never uses billing data of a seller for another order', async () => {
  const { token, buyer, sellerToken, input, withoutData } = await aShopWithNewBuyer()
  const error = {
    status: 400,
    error: expect.stringMatching(/^orders\[\d\]\.buyerBillingData: .*has no billing address$/),
  }
  expect(await placeError(sellerToken, [input, withoutData])).toMatchObject(error)
  await placed(sellerToken, [input])
  for (const jwt of [token, sellerToken])
    expect(await placeError(jwt, [withoutData])).toMatchObject(error)
  const address = await anAddress(buyer)
  const [order] = await placed(sellerToken, [withoutData])
  expect(order?.billingAddressId).toBe(address.id)
})

it('adds billing data of a master token to the list of the buyer', async () => {
  const { token, sellerToken, buyerToken, input, withoutData } = await aShopWithNewBuyer()
  const [first, second] = await placed(token, [input, withoutData])
  expect(second?.billingAddressId).toBe(first?.billingAddressId)
  expect(await addressOf(first)).toMatchObject({ ...billingData, origin: 'order' })
  expect(await listOf(buyerToken, 'me')).toEqual([first?.billingAddressId])
  const [later] = await placed(sellerToken, [withoutData])
  expect(later?.billingAddressId).toBe(first?.billingAddressId)
  const path = `/api/public/billingAddress?id=${first?.billingAddressId}`
  expect((await call('PUT', path, { token: buyerToken, json: { city: 'Bonn' } })).status).toBe(200)
  expect((await call('DELETE', path, { token: buyerToken })).status).toBe(200)
  expect((await place(sellerToken, [withoutData])).status).toBe(400)
})

it('needs no postal code for the code of a country that has none', async () => {
  const { token, input } = await aShop()
  const place = { street: '88 Queensway', city: 'Admiralty' }
  const [order] = await placed(token, [{ ...input, buyerBillingData: { ...place, country: 'hk' } }])
  expect(await addressOf(order)).toMatchObject({ country: 'hk', postal: null })
  const named = { ...input, buyerUserId: (await aUser()).id }
  for (const country of ['Hong Kong', 'NO'])
    expect(
      await placeError(token, [{ ...named, buyerBillingData: { ...place, country } }]),
    ).toMatchObject({ status: 400, code: 'no_billing_address' })
})
