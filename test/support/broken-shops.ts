/** The shop of the guide with mistakes, and what `check-my-shop` finds. */
import { expect } from 'vitest'
import { aShop, checkShop, type LocalInstance, type Mistake } from './shops.ts'

type BrokenShop = {
  shop: string
  mistakes: readonly Mistake[]
  /** The scenario that finds the mistakes. */
  scenario: string
  /** What the tool prints of it. */
  seen: string | RegExp
  change: string
}

const whenRefused = "if (saleOf(number).state === 'open') refund(number)"
export const timeLimit = 'attemptTimeout: 10_000'
const noRepeats: Mistake = [timeLimit, 'retry: { attempts: 1 }']
const application = 'if (changes > 0) update(data)'
const refundsAtOnce: Mistake = [
  'if (wish.run(number).changes === 0)',
  'refund(number)\n  if (false)',
]

const withoutRetryAfter = `fetch: async (target, init) => {
  const response = await fetch(target, init)
  const headers = new Headers(response.headers)
  headers.delete('retry-after')
  return new Response(response.body, { status: response.status, headers })
}`

/** Takes an order with the number of a sale for its own, whoever has placed it. */
const takesAnyOrder: readonly Mistake[] = [
  ['SET sequence = ?1, txId', 'SET orderId = ?6, source = ?5, sequence = ?1, txId'],
  ['AND source = ?5 AND orderId = ?6 AND', 'AND (orderId IS NULL OR orderId = ?6) AND'],
]

/** Its payment provider accepts every refund, and its books let it ask again. */
const refundsTwice: readonly Mistake[] = [
  ['refunds (number TEXT PRIMARY KEY, ', 'refunds (number TEXT, '],
  [" AND state <> 'refunded'`,\n    )", '`,\n    )'],
]

/** Counts its attempts to place the order of a sale, and repeats under another number. */
const changesNumber: readonly Mistake[] = [
  ...takesAnyOrder,
  noRepeats,
  ['setTimeout(1000)', 'setTimeout(3000)'],
  [
    'const busy =',
    `db.exec('CREATE TABLE IF NOT EXISTS attempts (number TEXT)')
function another(number: string) {
  db.prepare('INSERT INTO attempts VALUES (?)').run(number)
  const attempts = db.prepare('SELECT * FROM attempts WHERE number = ?').all(number)
  return number + '-'.repeat(attempts.length - 1)
}
const busy =`,
  ],
  ['await put(number, ', 'await put(another(number), '],
]

const brokenShops: readonly BrokenShop[] = [
  {
    shop: 'takes another number for each attempt',
    mistakes: changesNumber,
    scenario: 'cut_after',
    seen: 'order number of a call: expected check-',
    change: 'Send each sale under its own order number',
  },
  {
    shop: 'takes the answer of a proxy for a refusal',
    mistakes: [["  error.code !== null &&\n  !['request", "  !['request"]],
    scenario: 'blocked',
    seen: 'what follows the call: expected the same call, found nothing after 409',
    change: 'an error without a `code`',
  },
  {
    shop: 'takes the order of another shop for its own',
    mistakes: takesAnyOrder,
    scenario: 'same_number',
    seen: 'order in your books: expected your own, found 9000000',
    change: 'Compare number, source and id',
  },
  {
    shop: 'refunds again when a cancellation is told again',
    mistakes: refundsTwice,
    scenario: 'reorganised',
    seen: 'refunds in your books: expected 1000 cents, found 1000 cents and 1000 cents',
    change: 'Refund a sale once',
  },
  {
    shop: 'refunds when its token is refused',
    mistakes: [['[400, 409]', '[400, 401, 409]']],
    scenario: 'denied',
    seen: 'refunds in your books: expected 0, found 1',
    change: 'After 401 and 403 keep the sale open',
  },
  {
    shop: 'leaves the reservation out',
    mistakes: [['await put(number, order, reservationId)', 'await put(number, order, undefined)']],
    scenario: 'reserved',
    seen: ': expected used, found still held',
    change: 'Send `reservationId` with the order',
  },
  {
    shop: 'checks no time',
    mistakes: [
      [
        'const event =',
        'Date.now = () => Number(headers["webhook-timestamp"]) * 1000\nconst event =',
      ],
    ],
    scenario: 'old',
    seen: 'answer: expected 400, found 200',
    change: 'Answer 400 if `webhook-timestamp` differs',
  },
  {
    shop: 'applies late messages',
    mistakes: [['AND sequence < ?1', 'AND sequence <> ?1']],
    scenario: 'reordered',
    seen: 'state in your books: expected delivered, found open',
    change: 'Ignore a message whose `sequence`',
  },
  {
    shop: 'ignores Retry-After',
    mistakes: [[timeLimit, withoutRetryAfter]],
    scenario: 'rate_limited',
    seen: 'pause after 429 with Retry-After: expected 3000 ms or more, found',
    change: 'Wait as long as `Retry-After` says',
  },
  {
    shop: 'never repeats',
    mistakes: [noRepeats, ['if (isForPerson(error)) break', 'break']],
    scenario: 'cut_before',
    seen: 'what follows the call: expected the same call, found nothing after its connection was cut',
    change: 'send the same call again',
  },
  {
    shop: 'takes a failure for the end',
    mistakes: [
      [
        "const state = status === 'transferred' ? 'delivered' : 'open'",
        "const state = { transferred: 'delivered', failed: 'lost' }[status ?? ''] ?? 'open'",
      ],
    ],
    scenario: 'failed',
    seen: 'state in your books: expected refunded, found lost',
    change: 'Give the money back',
  },
  {
    shop: 'refunds before it is cancelled',
    mistakes: [refundsAtOnce],
    scenario: 'cancelled',
    seen: 'order of a sale that is refunded: expected none, or cancelled, found',
    change: 'Cancel first, and refund when the status is `failed`',
  },
  {
    shop: 'refunds nothing that was refused',
    mistakes: [
      [
        whenRefused,
        'db.prepare("UPDATE sales SET state = \'refused\' WHERE number = ?").run(number)',
      ],
    ],
    scenario: 'price_changed',
    seen: 'state in your books: expected refunded, found refused',
    change: 'Give the money back when the marketplace refuses the order',
  },
  {
    shop: 'forgets orders that the marketplace has lost',
    mistakes: [['  await place(sale)\n', '  if (sale.orderId === null) await place(sale)\n']],
    scenario: 'restored',
    seen: 'order: expected delivered, found none',
    change: 'place each sale that is not refunded again',
  },
  {
    shop: 'refunds what the marketplace has lost and refuses',
    mistakes: [
      ['if (saleOf(number).orderId !== null) return placeAgain(number, order, error)', ''],
    ],
    scenario: 'refused_after_restore',
    seen: 'refunds in your books: expected 0, found 1',
    change: 'Do not refund a sale that had an order',
  },
  {
    shop: 'cancels the id in its books',
    mistakes: [
      ['const order_id = await place(sale)', 'const order_id = sale.orderId ?? await place(sale)'],
    ],
    scenario: 'cancelled_after_restore',
    seen: ': expected open, found cancelled',
    change: 'Send PUT with the number of the sale before you cancel',
  },
  {
    shop: 'compares no books',
    mistakes: [
      ['for await (const order of orders) update', 'for await (const order of []) update'],
    ],
    scenario: 'lost',
    seen: 'state in your books: expected delivered, found open',
    change: 'Compare your books with the marketplace',
  },
  {
    shop: 'has no time limit',
    mistakes: [[timeLimit, 'attemptTimeout: 3_600_000, timeout: 3_600_000']],
    scenario: 'hang',
    seen: 'the call: expected given up within 30 s, found still open',
    change: 'Give each call a time limit',
  },
  {
    shop: 'stores a message after its answer',
    mistakes: [[application, 'setTimeout(500, null, { ref: false }).then(() => update(data))']],
    scenario: 'killed_after_message',
    seen: 'state in your books: expected delivered, found open',
    change: 'Store what a message says before you answer',
  },
  {
    shop: 'keeps its books in memory',
    mistakes: [['new DatabaseSync(', "new DatabaseSync(':memory:' || "]],
    scenario: 'killed_after_sale',
    // On a slow machine it is killed before it has placed the order.
    seen: /state in your books: expected delivered, found none|nothing in your books, no order/,
    change: 'Store a sale',
  },
]

/** A restore takes the orders of other shops, and a reorganisation their blocks. */
const isAlone = ({ scenario }: BrokenShop) => /restore|reorganised/.test(scenario)

export const brokenAlone = brokenShops.filter(isAlone)
export const brokenTogether = brokenShops.filter((broken) => !isAlone(broken))

export async function expectFinding(instance: LocalInstance, broken: BrokenShop) {
  const shop = await aShop(instance.project.folder, 'ts', broken.mistakes)
  const { out, status } = await checkShop(instance, shop, [broken.scenario])
  expect(out).toMatch(new RegExp(`^finding  ${broken.scenario} `, 'm'))
  expect(out).toMatch(broken.seen)
  expect(out).toMatch(/^ {9}.*: expected .+, found .+$/m)
  expect(out).toContain(broken.change)
  expect(status).toBe(1)
}
