/**
 * `npm run costs`: prints what a million calls cost in dollars, what a million orders cost in their
 * life, what they leave in the database, and how long calls take: from the rows that `test/costs.test.ts` asserts, and the
 * bytes that `test/storage.test.ts` asserts. CPU time is left out: at 2 ms a call it adds 0.04 dollars.
 */

import { endpointCosts } from '../../test/support/permissions.ts'
import { defineCommand, start } from '../shell/command.ts'
import { bytesLeft, growth } from './costs/growth.ts'
import { latencies, placeNames } from './costs/latency.ts'
import { batchCosts, type Cost, transferLogLines } from './costs/rows.ts'

const docs = (path: string) => `<https://developers.cloudflare.com/${path}/>`

/** Dollars beyond what the paid plan includes, in November 2026. */
const PRICES = {
  request: ['a million requests', 0.3, docs('workers/platform/pricing')],
  rowRead: ['a million rows read', 0.001, docs('d1/platform/pricing')],
  rowWritten: ['a million rows written', 1, docs('d1/platform/pricing')],
  storage: ['a GB for a month', 0.75, docs('d1/platform/pricing')],
  queueOperation: ['a million queue operations', 0.4, docs('queues/platform/pricing')],
  logLine: ['a million log lines', 0.6, docs('workers/observability/logs/workers-logs')],
  picture: ['a thousand pictures', 0.5, docs('images/pricing')],
  mail: ['a thousand mails', 0.35, docs('email-service/platform/pricing')],
} satisfies Record<string, [what: string, dollars: number, source: string]>

const price = (of: keyof typeof PRICES): number => PRICES[of][1]

/** A message is written, read and deleted. */
const MESSAGE = 3 * price('queueOperation')

const rows = ({ rowsRead, rowsWritten }: Cost, count = 1) =>
  (rowsRead * price('rowRead') + rowsWritten * price('rowWritten')) / count

function call(endpoint: string): number {
  const cost = endpointCosts[endpoint]
  if (!cost) throw new Error(`no costs of ${endpoint}`)
  return price('request') + rows(cost)
}

/** Dollars for what a million things leave. Months are twelfths of a year. */
const stored = (bytes: number, days: number) =>
  (bytes / 1000) * price('storage') * (days / (365 / 12))

const calls = {
  'list addresses': call('GET /api/public/user/:user_id/deliveryAddresses'),
  'create an address': call('POST /api/public/deliveryAddress'),
  'read an order': call('GET /api/externalOrders/:order_ids'),
  'place an order': price('request') + rows(batchCosts['place an order']) + MESSAGE,
  'place an order as one of 100':
    (price('request') + rows(batchCosts['place 100 orders']) + MESSAGE) / 100,
  statistics: call('GET /api/public/stats'),
}

const { order, transaction, event, key, buyer } = growth
const numbered = rows(batchCosts['place a numbered order'])
const idempotency = rows(batchCosts['place a numbered order with an Idempotency-Key']) - numbered

/** The events themselves are written by placing and delivering. */
const sent = (cost: Cost, count: number) =>
  (2 * (rows(cost) + MESSAGE)) / count - 2 * price('rowWritten')

/**
 * An order with its number, placed by a call of its own with an Idempotency-Key, of a known buyer,
 * with two events for one endpoint. On a busy day 100 items, and 100 events, go together.
 */
const lifeOf = (load: 'busy' | 'quiet'): Record<string, number> => {
  const isBusy = load === 'busy'
  const transfers = isBusy ? 'transfer 100 items' : 'transfer an item by itself'
  const count = isBusy ? 100 : 1
  const share = isBusy ? transaction.bytes / 50 : transaction.bytes
  return {
    request: price('request'),
    'log lines': price('logLine') * (1 + transferLogLines[transfers] / count),
    idempotency,
    'placing, and a message to wake the chain': numbered + MESSAGE,
    'delivery, and three messages while blocks come':
      rows(batchCosts[transfers], count) + (3 * MESSAGE) / count,
    'two events for one endpoint': sent(
      batchCosts[isBusy ? 'log and send 100 events' : 'log and send an event'],
      count,
    ),
    'pruning the idempotency key and the events': rows(
      batchCosts['remove 100 idempotency keys and 200 events'],
      100,
    ),
    'storage for a year':
      stored(order.bytes + share, 365) +
      stored(2 * event.bytes, event.days) +
      stored(key.bytes, key.days),
  }
}

const logged = (dollars: number) => dollars + price('logLine')

/** Gas of an item, and an example: 0.01 gwei, and 3,000 dollars for an ether. */
const chainFee = 60_000 * 0.01e-9 * 3000 * 1e6

const beside = {
  'reading the order, with its log line': logged(calls['read an order']),
  'a new buyer with a billing address, for a year':
    rows(batchCosts['place an order of a new buyer with an address']) -
    rows(batchCosts['place an order']) +
    stored(buyer.bytes, 365),
  'a picture of a user': price('picture') * 1000,
  'a mail': price('mail') * 1000,
  'chain fees: 60,000 gas an item, at 0.01 gwei and 3,000 dollars for an ether': chainFee,
}

const money = (dollars: number) => dollars.toFixed(2)
const sum = (table: Record<string, number>) => Object.values(table).reduce((a, b) => a + b, 0)

/** A table of Markdown. Numbers are aligned to the right. */
function table(heads: string[], lines: string[][]): string {
  const align = heads.map((_, i) => (/^[\d,.]+$/.test(lines[0]?.[i] ?? '') ? '--:' : '---'))
  return [heads, align, ...lines].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

const dollarTable = (head: string, dollars: Record<string, number>) =>
  table(
    [head, 'dollars'],
    Object.entries(dollars).map(([name, each]) => [name, money(each)]),
  )

const megabytes = (bytes: number) => Math.round(bytes / 1e6).toLocaleString('en')

function lifeTable(): string {
  const [busy, quiet] = [lifeOf('busy'), lifeOf('quiet')]
  return table(
    ['the life of an order, a million times', '100 together', 'each by itself'],
    [
      ...Object.entries(busy).map(([name, dollars]) => [
        name,
        money(dollars),
        money(quiet[name] ?? 0),
      ]),
      ['**all of it**', money(sum(busy)), money(sum(quiet))],
    ],
  )
}

function growthTable(): string {
  const growing = Object.values(growth)
  const total = (load: 'year' | 'day') =>
    megabytes(growing.reduce((bytes, each) => bytes + bytesLeft(each, load), 0))
  return table(
    ['what grows', 'bytes', 'MB after a year of (a)', 'MB after a day of (b)', 'what ends it'],
    [
      ...growing.map((each) => [
        ...[each.what, String(each.bytes)],
        ...[megabytes(bytesLeft(each, 'year')), megabytes(bytesLeft(each, 'day')), each.end],
      ]),
      ['**all of it**', '', total('year'), total('day'), ''],
    ],
  )
}

const tables = () => [
  dollarTable('one million times', calls),
  lifeTable(),
  dollarTable('beside it, a million times', beside),
  table(
    ['price of', 'dollars', 'source'],
    Object.values(PRICES).map(([what, dollars, source]) => [what, String(dollars), source]),
  ),
  growthTable(),
  table(['milliseconds from', ...placeNames], latencies),
]

export const command = defineCommand(
  {
    name: 'npm run costs',
    purpose:
      'Prints what calls and orders cost in dollars, without CPU time, and what they leave in the database.',
    example: 'npm run costs',
  },
  () => console.log(tables().join('\n\n')),
)

if (import.meta.main) await start(command)
