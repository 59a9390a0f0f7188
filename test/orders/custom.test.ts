/** The shop's own texts of an order. */
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { orders } from '../../src/db/schema/orders.ts'
import { call } from '../support/api.ts'
import { expectFields, fields } from '../support/fields.ts'
import { db } from '../support/makers.ts'
import { aShop, placed, placeError } from './shop.ts'

const customOf = async (id = 0) =>
  (await db.select({ custom: orders.custom }).from(orders).where(eq(orders.id, id)))[0]?.custom

const keys = (count: number) =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`key ${i}`, '']))

it('stores them as they were given, and shows them in events only', async () => {
  const { token, input } = await aShop()
  const custom = {
    cart: 'c-17 "new"',
    'é 🎁': 'line\nbreak \u0000',
    '2': 'b',
    '1': '',
    null: 'null',
  }
  const result = await placed(token, [{ ...input, custom }, input, { ...input, custom: {} }])
  expect(await Promise.all(result.map(({ id }) => customOf(id)))).toEqual([custom, null, {}])
  const [order] = result
  expectFields(order, fields.placedOrder)
  const read = await call('GET', `/api/externalOrders/${order?.id}`, { token })
  const { orders } = await read.json<{ orders: unknown[] }>()
  expectFields(orders[0], fields.order)
  const response = await call('GET', '/api/events?limit=100', { token })
  const { events } = await response.json<{ events: { data: Record<string, unknown> }[] }>()
  const shown = result.map(({ id }) => events.find(({ data }) => data.orderId === id)?.data.custom)
  expect(shown).toEqual([custom, null, {}])
})

it('takes 20 keys of 64 characters, and 4,096 bytes of JSON', async () => {
  const { token, input } = await aShop()
  const longest = { ['k'.repeat(64)]: 'x', ...keys(19) }
  // {"a":"…"} is 8 bytes more than the text, and é is 2.
  const largest = { a: 'é'.repeat(2044) }
  const result = await placed(
    token,
    [longest, largest].map((custom) => ({ ...input, custom })),
  )
  expect(await Promise.all(result.map(({ id }) => customOf(id)))).toEqual([longest, largest])
})

it.each<[string, unknown, string]>([
  ['21 keys', keys(21), 'custom: must have at most 20 keys'],
  ['4,097 bytes', { a: `${'é'.repeat(2044)}x` }, 'custom: must have at most 4096 bytes of JSON'],
  ...['', 'k'.repeat(65)].map((key): [string, unknown, string] => [
    `the key ${JSON.stringify(key)}`,
    { [key]: 'x' },
    'custom: must have keys of 1 to 64 characters',
  ]),
  ['a number', { a: 1 }, 'custom.a: must be text'],
  ['an object', { a: {} }, 'custom.a: must be text'],
  ['a list', ['a'], 'custom: must be an object'],
  ['text', 'a', 'custom: must be an object'],
  // What other languages cannot read.
  ['NUL in a key', { 'a\u0000': 'x' }, 'custom: must not have U+0000 at position 2 of a key'],
  [
    'half a pair in a key',
    { 'é\ud83d': 'x' },
    'custom: must not have U+D83D at position 2 of a key',
  ],
  [
    'half a pair in a value',
    { note: '🎁\udc01' },
    'custom.note: must not have U+DC01 at position 2',
  ],
])('returns 400 for %s', async (_, custom, error) => {
  const { token, input } = await aShop()
  expect(await placeError(token, [{ ...input, custom }])).toMatchObject({
    status: 400,
    code: error.includes('U+') ? 'invalid_character' : 'invalid_input',
    error: `orders[0].${error}`,
  })
})
