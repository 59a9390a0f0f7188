/** What the customer has really paid. */
import { expect, it } from 'vitest'
import type { SummarizedOrder } from '../../src/orders/reading/order.ts'
import { answerOf, call } from '../support/api.ts'
import { anAdministrator, aSession, aShopToken, aToken } from '../support/makers.ts'
import { aShop, ordersOf, placed, placeError, problemsOf } from './shop.ts'

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
  const list = call('GET', '/api/externalOrders?fields=summary', { token })
  const { orders } = await answerOf<{ orders: SummarizedOrder[] }>(list)
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
  // The price of the order is that of the listing.
  const price = { totalPriceCents: 1000, totalPriceCurrency: 'EUR' }
  const read = call('GET', `/api/externalOrders/${order.id}`, { token })
  expect(await answerOf(read)).toMatchObject({ orders: [price] })
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
    expect(await answerOf(put(token, { ...input, paid: other }))).toMatchObject({
      status: 409,
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

it('is refused with an unknown field, also by its number', async () => {
  const { token, buyer, input } = await aShop()
  const known = 'there are grossCents, taxCents, discountCents, currency, invoiceNumber'
  for (const [name, message] of [
    ['discount', known],
    ['gross_cents', 'did you mean grossCents?'],
  ] as const) {
    const order = { ...input, paid: { ...paid, [name]: 100 } }
    const problem = `paid.${name}: unknown; ${message}`
    expect(await problemsOf(token, [order])).toEqual([`orders[0].${problem}`])
    expect(await answerOf(put(token, order))).toMatchObject({ status: 400, error: problem })
  }
  expect(await ordersOf(buyer)).toEqual([])
})

it('is refused with more tax than was paid, and in what is no currency', async () => {
  const { token, input } = await aShop()
  const noCode = 'currency: must be a currency of ISO 4217, as in "EUR"'
  const cases: [given: object, problem: string][] = [
    [{ ...paid, taxCents: 901 }, 'taxCents: must not be more than grossCents'],
    [{ ...paid, currency: 'EUX' }, noCode],
    // For no currency, and one that has ended.
    [{ ...paid, currency: 'XXX' }, noCode],
    [{ ...paid, currency: 'BGN' }, noCode],
  ]
  const inputs = cases.map(([given]) => ({ ...input, paid: given }))
  expect(await problemsOf(token, inputs)).toEqual(
    cases.map(([, problem], i) => `orders[${i}].paid.${problem}`),
  )
})
