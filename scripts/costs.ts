/**
 * What a million of each call costs, before chain fees: `npm run costs` prints the README's table.
 * Rows are those that `test/costs.test.ts` asserts; time is what `npm run bench` measured.
 */
import { readFileSync } from 'node:fs'
import { type Cost, rowsOf, works } from './costs/rows.ts'

/** Dollars beyond what the paid plan includes, as Cloudflare publishes them (November 2026). */
const PRICES = {
  request: 0.3 / 1e6,
  cpuMillisecond: 0.02 / 1e6,
  rowRead: 0.001 / 1e6,
  rowWritten: 1 / 1e6,
  queueOperation: 0.4 / 1e6,
}

/** A message is written, read and deleted. */
const OPERATIONS_A_MESSAGE = 3

type Measured = { requestsPerSecond: Record<string, number>; transfersPerSecond: number }
const measured: Measured = JSON.parse(readFileSync('scripts/costs/measured.json', 'utf8'))

/** With D1 in the same thread, as the bench has it, a request takes no more CPU time than this. */
const milliseconds = (perSecond: number | undefined) => 1000 / (perSecond ?? Number.NaN)

const rows = ({ rowsRead, rowsWritten }: Cost) =>
  rowsRead * PRICES.rowRead + rowsWritten * PRICES.rowWritten
const request = (cost: Cost, name: string) =>
  PRICES.request +
  rows(cost) +
  milliseconds(measured.requestsPerSecond[name]) * PRICES.cpuMillisecond

function costAt(door: string): Cost {
  const cost = rowsOf[door]
  if (!cost) throw new Error(`no row for ${door}`)
  return cost
}

const message = OPERATIONS_A_MESSAGE * PRICES.queueOperation
const placed = request(costAt('POST /api/externalOrders'), 'place 1 order') + message
/** The second look comes by a message that up to a hundred transfers share. */
const transferred =
  (rows(works['transfer 100 items']) + message) / 100 +
  milliseconds(measured.transfersPerSecond) * PRICES.cpuMillisecond

const table: [string, number][] = [
  [
    'list addresses',
    request(costAt('GET /api/public/user/:user_id/deliveryAddresses'), 'list addresses'),
  ],
  ['create an address', request(costAt('POST /api/public/deliveryAddress'), 'create an address')],
  ['read an order', request(costAt('GET /api/externalOrders/:order_ids'), 'read an order')],
  ['place an order', placed],
  [
    'place an order as one of 100',
    request(works['place 100 orders'], 'place 100 orders') / 100 + message / 100,
  ],
  ['statistics', request(costAt('GET /api/public/stats'), 'stats')],
  ['transfer an item', transferred],
  ['**an order, placed and transferred**', placed + transferred],
]

console.log('| a million times | dollars |\n|---|---|')
for (const [name, cost] of table) console.log(`| ${name} | ${(cost * 1e6).toFixed(2)} |`)
