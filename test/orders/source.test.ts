/** The header `x-order-source`: the name of the token that placed an order. */
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import type { SummarizedOrder } from '../../src/orders/reading/order.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { call } from '../support/api.ts'
import { aMasterToken, aReadOnlyToken, aSession, aToken, aUser, setRow } from '../support/makers.ts'
import { aShop, placed } from './shop.ts'

const put = (token: string, number: string, json: unknown) =>
  call('PUT', `/api/externalOrders/by-number/${number}`, { token, json })
const read = (token: string, ids: unknown) => call('GET', `/api/externalOrders/${ids}`, { token })

const headersOf = ({ status, headers }: Response) => ({
  status,
  source: headers.get('x-order-source'),
  sequence: headers.get('x-order-sequence'),
})

it('is on PUT when it places an order, and when it finds one', async () => {
  const { input } = await aShop()
  const token = await aMasterToken('ERP: north')
  const number = crypto.randomUUID()
  const expected = { source: 'ERP%3A%20north', sequence: '1' }
  expect(headersOf(await put(token, number, input))).toEqual({ status: 201, ...expected })
  const again = await put(token, number, input)
  expect(headersOf(again)).toEqual({ status: 200, ...expected })
  const [order] = (await again.json<{ orders: Order[] }>()).orders
  await setRow(deliveries, order?.orderItems[0]?.id, { version: 4 })
  const changed = { status: 200, source: 'ERP%3A%20north', sequence: '5' }
  expect(headersOf(await put(token, number, input))).toEqual(changed)
})

it('is on a read of one order, for everybody who may see the order', async () => {
  const { input, seller, buyer } = await aShop()
  const token = await aToken(seller, 'user', 'api', 'Bücher & mehr 🎁')
  const [order] = await placed(token, [input])
  const source = 'B%C3%BCcher%20%26%20mehr%20%F0%9F%8E%81'
  const callers = {
    placer: token,
    seller: await aSession(seller),
    buyer: await aToken(buyer),
    'buyer who may only read': await aReadOnlyToken(buyer),
    'another shop': await aMasterToken(),
  }
  for (const [name, caller] of Object.entries(callers)) {
    const response = await read(caller, order?.id)
    expect(headersOf(response), name).toEqual({ status: 200, source, sequence: '1' })
    // What summaries show to the same caller.
    const list = await call('GET', '/api/externalOrders?fields=summary&limit=1', { token: caller })
    const { orders } = await list.json<{ orders: SummarizedOrder[] }>()
    expect(orders, name).toMatchObject([{ id: order?.id, source: 'Bücher & mehr 🎁', sequence: 1 }])
    // The body stays as it is.
    const [shown] = (await response.json<{ orders: Order[] }>()).orders
    for (const field of ['source', 'namespace', 'sequence']) expect(shown).not.toHaveProperty(field)
  }
})

it('is not on the answer to who may not see the order, nor on another error', async () => {
  const { input } = await aShop()
  const token = await aMasterToken()
  const number = crypto.randomUUID()
  const [order] = await placed(token, [{ ...input, providerId: number }])
  const none = { source: null, sequence: null }
  const stranger = await aToken(await aUser())
  // As if there were no such order.
  expect(headersOf(await read(stranger, order?.id))).toEqual({ status: 400, ...none })
  const other = { ...input, quantity: 2 }
  expect(headersOf(await put(token, number, other))).toEqual({ status: 409, ...none })
  expect(headersOf(await put(token, number, {}))).toEqual({ status: 400, ...none })
})

it.each([
  ['a session', 'session', 'session'],
  ['a name with colons', 'user:x:y', 'user%3Ax%3Ay'],
  ['the longest name', '𝒮'.repeat(100), '%F0%9D%92%AE'.repeat(100)],
])('is the whole name of %s', async (_, name, source) => {
  const { input, seller } = await aShop()
  const token = await (name === 'session' ? aSession(seller) : aToken(seller, 'user', 'api', name))
  expect(headersOf(await put(token, crypto.randomUUID(), input)).source).toBe(source)
})
