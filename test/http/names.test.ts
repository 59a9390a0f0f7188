/** Names of query parameters and fields that are mistakes. */
import { describe, expect, it } from 'vitest'
import { listEndpoints } from '../../scripts/build/openapi/list.ts'
import app from '../../src/app.ts'
import { aShop, ordersOf, place, placeError } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken } from '../support/makers.ts'

const strictEndpoints = listEndpoints(app)
  .filter(({ path }) => /^\/api\/(externalOrders|reservations|admin|events)/.test(path))
  .map(({ method, path }) => [method, path.replaceAll(/:\w+/g, '1')] as const)

it.each(strictEndpoints)(
  '%s %s refuses a query parameter that it does not have',
  async (method, path) => {
    const token = await aMasterToken()
    const code = 'unknown_field'
    const message = expect.stringMatching(/^unknown parameter; there (are|is none)/)
    for (const name of ['dry_run', '__proto__', 'constructor']) {
      const answer = await answerOf(call(method, `${path}?${name}=true`, { token }))
      const issues = [{ path: name, code, message }]
      expect(answer).toMatchObject({ status: 400, code, issues })
    }
  },
)

it('names the query parameters that an endpoint has', async () => {
  const response = await call('GET', '/api/externalOrders?limit=5&createdAfter=2026-01-01', {
    token: await aMasterToken(),
  })
  expect(await response.json()).toMatchObject({
    orders: null,
    error: expect.stringMatching(
      /^createdAfter: unknown parameter; there are limit, cursor, fields, providerId, /,
    ),
  })
})

it('ignores other parameters of public lists', async () => {
  for (const list of ['listings', 'nfts', 'creators', 'stats']) {
    const path = `/api/public/${list}?foo=1&utm_source=mail&__proto__=1`
    expect((await call('GET', path)).status).toBe(200)
  }
})

describe('a field of an order', () => {
  it.each([
    [{ provider_id: 'A-1' }, 'provider_id', 'providerId'],
    [{ Quantity: 2 }, 'Quantity', 'quantity'],
    [{ 'buyer-user-id': 3 }, 'buyer-user-id', 'buyerUserId'],
    [{ buyerBillingData: { City: 'Ulm' } }, 'buyerBillingData.City', 'city'],
  ])('%j is refused, and the right name is told', async (fields, path, name) => {
    const { token, buyer, input } = await aShop()
    expect(await placeError(token, [input, { ...input, ...fields }])).toMatchObject({
      status: 400,
      orders: null,
      code: 'unknown_field',
      issues: [
        {
          path: `orders[1].${path}`,
          code: 'unknown_field',
          message: `unknown; did you mean ${name}?`,
        },
      ],
    })
    expect(await ordersOf(buyer)).toEqual([])
  })

  it('is told before what is missing without it', async () => {
    const { token, input } = await aShop()
    const { quantity: Quantity, ...rest } = input
    const { code } = await placeError(token, [{ ...rest, Quantity }])
    expect(code).toBe('unknown_field')
  })

  it('is ignored if it is not nearly one of ours', async () => {
    const { token, input } = await aShop()
    const others = { note: 'a gift', constructor: 2, toString: 3 }
    expect((await place(token, [{ ...input, ...others }])).status).toBe(200)
    expect((await place(token, [{ ...input, providerId: null }])).status).toBe(200)
  })
})
