/**
 * `npm run costs`: prints what a million calls cost in dollars, without chain fees, from the rows
 * that `test/costs.test.ts` asserts. CPU time is left out: at 2 ms a call it adds 0.04 dollars.
 */
import { batchCosts, type Cost, endpointCosts } from './costs/rows.ts'
import { defineCommand, start } from './shell/command.ts'

/** Dollars per unit beyond what the paid plan includes (Cloudflare's prices, November 2026). */
const PRICES = {
  request: 0.3 / 1e6,
  rowRead: 0.001 / 1e6,
  rowWritten: 1 / 1e6,
  queueOperation: 0.4 / 1e6,
}

/** A message is written, read and deleted. */
const MESSAGE = 3 * PRICES.queueOperation

const rowDollars = ({ rowsRead, rowsWritten }: Cost) =>
  rowsRead * PRICES.rowRead + rowsWritten * PRICES.rowWritten

function requestDollars(endpoint: string): number {
  const cost = endpointCosts[endpoint]
  if (!cost) throw new Error(`no costs of ${endpoint}`)
  return PRICES.request + rowDollars(cost)
}

/** One call, and the message that wakes the chain. */
const placing = (cost: Cost) => PRICES.request + rowDollars(cost) + MESSAGE
const order = placing(batchCosts['place an order'])
/** About three delayed messages, while the transactions of 100 items wait for blocks. */
const transfer = (rowDollars(batchCosts['transfer 100 items']) + 3 * MESSAGE) / 100

const table = {
  'list addresses': requestDollars('GET /api/public/user/:user_id/deliveryAddresses'),
  'create an address': requestDollars('POST /api/public/deliveryAddress'),
  'read an order': requestDollars('GET /api/externalOrders/:order_ids'),
  'place an order': order,
  'place an order as one of 100': placing(batchCosts['place 100 orders']) / 100,
  statistics: requestDollars('GET /api/public/stats'),
  'transfer an item': transfer,
  '**an order, placed and transferred**': order + transfer,
}

export const command = defineCommand(
  {
    name: 'npm run costs',
    purpose: 'Prints what a million calls cost in dollars, without chain fees and CPU time.',
    example: 'npm run costs',
  },
  () => {
    console.log('| one million times | dollars |\n|---|---|')
    for (const [name, cost] of Object.entries(table))
      console.log(`| ${name} | ${(cost * 1e6).toFixed(2)} |`)
  },
)

if (import.meta.main) await start(command)
