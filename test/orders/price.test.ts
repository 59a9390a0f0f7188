import { expect, it } from 'vitest'
import { listings } from '../../src/db/schema/catalogue.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { setRow } from '../support/makers.ts'
import { aShop, placed, placeError, problemsOf, racing, stockOf } from './shop.ts'

/** A shop whose listing asks 5 EUR for a piece, and expects so. */
async function aPricedShop() {
  const shop = await aShop({ listing: { priceCents: 500 } })
  const expected = { expectedPriceCents: 500, expectedCurrency: 'EUR' }
  const setPrice = (values: Partial<typeof listings.$inferInsert>) =>
    setRow(listings, shop.listing.id, values)
  return { ...shop, input: { ...shop.input, ...expected }, plain: shop.input, setPrice }
}

it('places an order at the price of one piece that it expects', async () => {
  const { token, input, setPrice } = await aPricedShop()
  const [order] = await placed(token, [{ ...input, quantity: 3 }])
  expect(order?.totalPriceCents).toBe(1500)
  await setPrice({ priceCents: 0 })
  expect(await placed(token, [{ ...input, expectedPriceCents: 0 }])).toHaveLength(1)
})

it.each([{ priceCents: 9900 }, { priceCents: 499 }, { priceCurrency: 'USD' }])(
  'returns 409 and both prices if the listing asks something else: %j',
  async (price) => {
    const { token, nft, listing, plain, input, setPrice } = await aPricedShop()
    await setPrice(price)
    const { priceCents, priceCurrency } = { priceCents: 500, priceCurrency: 'EUR', ...price }
    expect(await placeError(token, [plain, input])).toMatchObject({
      status: 409,
      orders: null,
      code: 'price_changed',
      issues: [
        {
          path: 'orders[1].expectedPriceCents',
          code: 'price_changed',
          message: `listing ${listing.id} asks ${priceCents} ${priceCurrency} in minor units for a piece`,
          ...{ expectedPriceCents: 500, expectedCurrency: 'EUR', priceCents, priceCurrency },
        },
      ],
    })
    expect(await stockOf(nft)).toBe(10)
  },
)

it('notices a price that changes during the call', async () => {
  const { token, input, setPrice } = await aPricedShop()
  const ctx = await racing(token, () => setPrice({ priceCents: 9900 }))
  await expect(placeOrders(ctx, { orders: [input] })).rejects.toMatchObject({
    code: 'price_changed',
    issues: [{ priceCents: 9900 }],
  })
})

it('returns 400 unless price and currency are given together', async () => {
  const { token, plain } = await aPricedShop()
  expect(
    await problemsOf(token, [
      { ...plain, expectedPriceCents: 500 },
      { ...plain, expectedCurrency: 'EUR' },
    ]),
  ).toEqual([
    'orders[0].expectedCurrency: is required with a price',
    'orders[1].expectedPriceCents: is required with a currency',
  ])
})
