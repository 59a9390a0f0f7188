import { expect, it } from 'vitest'
import { orders } from '../../src/db/schema/orders.ts'
import { call } from '../support/api.ts'
import { findRow } from '../support/makers.ts'
import { aShop, placed, problemsOf } from './shop.ts'

const customOf = async (id = 0) => (await findRow(orders, id))?.custom

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
  await call('GET', `/api/externalOrders/${order?.id}`, { token })
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

it('returns 400 for more or larger texts, and for what is no text', async () => {
  const { token, input } = await aShop()
  const cases: [custom: unknown, problem: string][] = [
    [keys(21), 'custom: must have at most 20 keys'],
    [{ a: `${'é'.repeat(2044)}x` }, 'custom: must have at most 4096 bytes of JSON'],
    [{ '': 'x' }, 'custom: must have keys of 1 to 64 characters'],
    [{ ['k'.repeat(65)]: 'x' }, 'custom: must have keys of 1 to 64 characters'],
    [{ a: 1 }, 'custom.a: must be text'],
    // What other languages cannot read.
    [{ 'a\u0000': 'x' }, 'custom: must not have U+0000 at position 2 of a key'],
    [{ 'é\ud83d': 'x' }, 'custom: must not have U+D83D at position 2 of a key'],
    [{ note: '🎁\udc01' }, 'custom.note: must not have U+DC01 at position 2'],
  ]
  const inputs = cases.map(([custom]) => ({ ...input, custom }))
  expect(await problemsOf(token, inputs)).toEqual(
    cases.map(([, problem], i) => `orders[${i}].${problem}`),
  )
})
