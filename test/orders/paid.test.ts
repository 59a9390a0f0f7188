/** What the customer has really paid. */
import { expect, it } from 'vitest'
import type { OrderSummary } from '../../src/orders/order.ts'
import { call } from '../support/api.ts'
import { expectFields, fields } from '../support/fields.ts'
import { anAdministrator, aSession, aShopToken, aToken } from '../support/makers.ts'
import { aShop, ordersOf, placed, placeError } from './shop.ts'

const paid = {
  grossCents: 900,
  taxCents: 144,
  discountCents: 100,
  currency: 'EUR',
  invoiceNumber: '2026-0815',
}

const put = (token: string, json: object, number = 'A-1') =>
  call('PUT', `/api/externalOrders/by-number/${number}`, { token, json })

async function summaryOf(token: string, { id }: { id: number }) {
  const response = await call('GET', '/api/externalOrders?fields=summary', { token })
  const { orders } = await response.json<{ orders: OrderSummary[] }>()
  return orders.find((order) => order.id === id)
}

it('is shown in summaries to shop, buyer and seller, and not in the order', async () => {
  const { seller, buyer, input } = await aShop()
  const token = await aShopToken()
  const [order, unpaid, short] = await placed(token, [
    { ...input, paid },
    { ...input, paid: null },
    { ...input, paid: { grossCents: 0, currency: 'JPY' } },
  ])
  if (!order || !unpaid || !short) throw new Error('no orders were placed')
  expectFields(order, fields.placedOrder)
  for (const viewer of [token, await aToken(buyer), await aToken(seller)]) {
    expect((await summaryOf(viewer, order))?.paid).toEqual(paid)
    expect((await summaryOf(viewer, unpaid))?.paid).toBeNull()
  }
  expect((await summaryOf(token, short))?.paid).toEqual({
    grossCents: 0,
    taxCents: null,
    discountCents: null,
    currency: 'JPY',
    invoiceNumber: null,
  })
  const read = await call('GET', `/api/externalOrders/${order.id}`, { token })
  const { orders } = await read.json<{ orders: object[] }>()
  expectFields(orders[0], fields.order)
  // The price of the order is that of the listing.
  expect(orders[0]).toMatchObject({ totalPriceCents: 1000, totalPriceCurrency: 'EUR' })
})

it('is shown on the page of the order, and to operators', async () => {
  const { buyer, seller, input } = await aShop()
  const [order] = await placed(await aShopToken(), [{ ...input, paid }])
  const page = async (user: { id: number }, path: string) => {
    const cookie = `token=${await aSession(user)}`
    const response = await call('GET', `${path}${order?.id}`, { headers: { cookie } })
    return response.text()
  }
  for (const user of [buyer, seller]) {
    const html = await page(user, '/orders/')
    for (const fact of ['Paid', '€9.00', 'Tax in it', '€1.44', 'Discount', '€1.00', '2026-0815'])
      expect(html).toContain(fact)
  }
  expect(await page(await anAdministrator(), '/operations/orders/')).toContain(
    '€9.00, with €1.44 of tax, after a discount of €1.00, invoice 2026-0815',
  )
})

it('is part of what a repeated call is compared with', async () => {
  const { input } = await aShop()
  const token = await aShopToken()
  expect((await put(token, { ...input, paid })).status).toBe(201)
  const { invoiceNumber, ...others } = paid
  const reordered = { invoiceNumber, ...others }
  expect((await put(token, { ...input, paid: reordered })).status).toBe(200)
  for (const other of [undefined, null, { ...paid, grossCents: 901 }, others]) {
    const response = await put(token, { ...input, paid: other })
    expect(response.status).toBe(409)
    expect(await response.json()).toMatchObject({
      code: 'order_differs',
      issues: [{ path: 'paid', code: 'order_differs', stored: paid }],
    })
  }
  const headers = { 'idempotency-key': 'paid-1' }
  const body = [{ ...input, paid }]
  const [first] = await placed(token, body, headers)
  expect(await placed(token, body, headers)).toMatchObject([{ id: first?.id }])
  const changed = [{ ...input, paid: { ...paid, discountCents: 99 } }]
  expect(await placeError(token, changed, headers)).toMatchObject({
    status: 422,
    code: 'idempotency_key_reused',
  })
})

it.each([
  [
    'discount',
    { discount: 100 },
    'there are grossCents, taxCents, discountCents, currency, invoiceNumber',
  ],
  ['gross_cents', { gross_cents: 900 }, 'did you mean grossCents?'],
])('is refused with the unknown field %s', async (name, fields, message) => {
  const { token, buyer, input } = await aShop()
  const order = { ...input, paid: { ...paid, ...fields } }
  const issue = (prefix: string) => ({
    path: `${prefix}paid.${name}`,
    code: 'unknown_field',
    message: `unknown; ${message}`,
  })
  expect(await placeError(token, [order])).toMatchObject({
    status: 400,
    issues: [issue('orders[0].')],
  })
  const response = await put(token, order)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ issues: [issue('')] })
  expect(await ordersOf(buyer)).toEqual([])
})

it.each<[string, object, string]>([
  ['no amount', { currency: 'EUR' }, 'paid.grossCents: is required'],
  ['no currency', { grossCents: 1 }, 'paid.currency: is required'],
  ['a fraction', { ...paid, grossCents: 9.5 }, 'paid.grossCents: must be an integer'],
  ['a negative discount', { ...paid, discountCents: -1 }, 'paid.discountCents: must be at least 0'],
  [
    'more tax than money',
    { ...paid, taxCents: 901 },
    'paid.taxCents: must not be more than grossCents',
  ],
  [
    'no currency of ISO 4217',
    { ...paid, currency: 'EUX' },
    'paid.currency: must be a currency of ISO 4217, as in "EUR"',
  ],
  [
    'the code for no currency',
    { ...paid, currency: 'XXX' },
    'paid.currency: must be a currency of ISO 4217, as in "EUR"',
  ],
  [
    'a currency that has ended',
    { ...paid, currency: 'BGN' },
    'paid.currency: must be a currency of ISO 4217, as in "EUR"',
  ],
  [
    'small letters',
    { ...paid, currency: 'eur' },
    'paid.currency: must be three capital letters of ISO 4217, as in "EUR"',
  ],
  [
    'a blank number',
    { ...paid, invoiceNumber: ' ' },
    'paid.invoiceNumber: must not have U+0020 at position 1',
  ],
  [
    'a misspelled field',
    { ...paid, gross_cents: 1 },
    'paid.gross_cents: unknown; did you mean grossCents?',
  ],
])('is refused with %s', async (_, given, error) => {
  const { token, input } = await aShop()
  expect(await placeError(token, [{ ...input, paid: given }])).toMatchObject({
    status: 400,
    error: `orders[0].${error}`,
  })
})
