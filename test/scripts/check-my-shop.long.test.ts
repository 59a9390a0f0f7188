/** The shops of the guide survive everything, and `check-my-shop` finds the mistakes of others. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { READY } from '../support/dev.ts'
import { aFreePort, aProject, type Project, tokenIn } from '../support/project.ts'
import { aShop, checkShop, type Mistake, shopLanguages } from '../support/shops.ts'

let project: Project
let instance: { url: string; rpcUrl: string; token: string }
beforeAll(async () => {
  project = await aProject()
  const ports = { PORT: await aFreePort(), RPC_PORT: await aFreePort() }
  const dev = await project.start('dev', READY, ports)
  instance = {
    url: `http://localhost:${ports.PORT}`,
    rpcUrl: `http://localhost:${ports.RPC_PORT}`,
    token: tokenIn(dev.out),
  }
}, 180_000)
afterAll(() => project.remove())

it.each(shopLanguages)('the shop of the guide survives everything (%s)', async (language) => {
  const { out, errors, status } = await checkShop(instance, await aShop(project.folder, language))
  expect(out).toMatch(/^29 passed, 0 findings, 0 skipped in \d+ s$/m)
  expect(errors).toBe('')
  expect(status).toBe(0)
})

it('says that no node could tell what the wallets have', async () => {
  const shop = await aShop(project.folder, 'ts')
  const withoutNode = { ...instance, rpcUrl: 'http://127.0.0.1:1' }
  const { out, status } = await checkShop(withoutNode, shop, ['restored'])
  expect(out).toMatch(/^skipped {2}wallets {3}no node at http:\/\/127\.0\.0\.1:1: give --rpc$/m)
  expect(out).toMatch(/^1 passed, 0 findings, 1 skipped in/m)
  expect(status).toBe(0)
})

const whenRefused = "if (saleOf(number).state === 'open') refund(number)"
const verification = 'await verifyWebhook(body, headers, secret)'
const timeLimit = 'attemptTimeout: 10_000'
const application = 'if (changes > 0) update(data)'
const wantsRefund = "db.prepare('UPDATE sales SET wantsRefund = 1 WHERE number = ?').run(number)"

const withoutRetryAfter = `fetch: async (target, init) => {
  const response = await fetch(target, init)
  const headers = new Headers(response.headers)
  headers.delete('retry-after')
  return new Response(response.body, { status: response.status, headers })
}`

type Case = {
  shop: string
  mistakes: readonly Mistake[]
  scenario: string
  seen: string
  change: string
}

const cases: readonly Case[] = [
  {
    shop: 'checks no signature',
    mistakes: [[verification, '{ ...JSON.parse(body), id: String(headers["webhook-id"]) }']],
    scenario: 'forged',
    seen: 'A message without a signature was answered 200, and the sale refunded.',
    change: 'Verify `webhook-signature`',
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
    seen: 'A message of 10 minutes before now was answered 200.',
    change: 'Answer 400 if `webhook-timestamp` differs',
  },
  {
    shop: 'applies a message twice',
    mistakes: [
      [application, 'update(data)'],
      ['AND sequence < ?1', 'AND sequence <= ?1'],
      ['refundedCents = paidCents', 'refundedCents = refundedCents + paidCents'],
    ],
    scenario: 'duplicated',
    seen: 'was paid with 1000 cents, and 3000 are refunded.',
    change: 'Refund a sale once',
  },
  {
    shop: 'applies late messages',
    mistakes: [['AND sequence < ?1', 'AND sequence <> ?1']],
    scenario: 'reordered',
    seen: 'Your books have open',
    change: 'Ignore a message whose `sequence`',
  },
  {
    shop: 'ignores Retry-After',
    mistakes: [[timeLimit, withoutRetryAfter]],
    scenario: 'rate_limited',
    seen: 'ms after 429 with Retry-After.',
    change: 'Wait as long as `Retry-After` says',
  },
  {
    shop: 'repeats with another number',
    mistakes: [
      [timeLimit, 'retry: { attempts: 1 }'],
      ['providerId: number, body', 'providerId: number + Date.now(), body'],
    ],
    scenario: 'cut_after',
    seen: 'has the orders',
    change: 'Send each sale under its own order number',
  },
  {
    shop: 'never repeats',
    mistakes: [
      [timeLimit, 'retry: { attempts: 1 }'],
      ['await pause(error)', 'break'],
    ],
    scenario: 'cut_before',
    seen: 'The call was not sent again. Your books have open',
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
    seen: 'Your books have lost',
    change: 'Give the money back',
  },
  {
    shop: 'refunds before it is cancelled',
    mistakes: [[wantsRefund, 'refund(number)']],
    scenario: 'cancelled',
    seen: 'is refunded while its order',
    change: 'Cancel first, and refund when the status is `failed`',
  },
  {
    shop: 'refunds what was delivered',
    mistakes: [[wantsRefund, 'refund(number)']],
    scenario: 'cancelled_late',
    seen: 'is transferred.',
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
    seen: 'the marketplace has no order.',
    change: 'Give the money back when the marketplace refuses the order',
  },
  {
    shop: 'forgets orders that the marketplace has lost',
    mistakes: [['    await place(sale)\n', '    if (sale.orderId === null) await place(sale)\n']],
    scenario: 'restored',
    seen: 'the marketplace has no order.',
    change: 'Place each sale that is not refunded again',
  },
  {
    shop: 'cancels the id in its books',
    mistakes: [
      ['const order_id = await place(sale)', 'const order_id = sale.orderId ?? await place(sale)'],
    ],
    scenario: 'cancelled_after_restore',
    seen: 'wanted the money back, and the order of sale',
    change: 'Send PUT with the number of the sale before you cancel',
  },
  {
    shop: 'forgets what a customer wants back',
    mistakes: [['if (sale.wantsRefund) void work(sale.number)', '']],
    scenario: 'cancellation_lost',
    seen: 'Your books have open, order',
    change: 'cancel again what a customer wants back',
  },
  {
    shop: 'compares no books',
    mistakes: [
      ['for await (const order of orders) update', 'for await (const order of []) update'],
    ],
    scenario: 'lost',
    seen: 'Your books have open, order',
    change: 'Compare your books with the marketplace',
  },
  {
    shop: 'has no time limit',
    mistakes: [[timeLimit, 'attemptTimeout: 3_600_000, timeout: 3_600_000']],
    scenario: 'hang',
    seen: 'A call without an answer was not given up.',
    change: 'Give each call a time limit',
  },
  {
    shop: 'stores a message after its answer',
    mistakes: [[application, 'setTimeout(500, null, { ref: false }).then(() => update(data))']],
    scenario: 'killed_after_message',
    seen: 'Your books have open, order',
    change: 'Store what a message says before you answer',
  },
  {
    shop: 'keeps its books in memory',
    mistakes: [['new DatabaseSync(', "new DatabaseSync(':memory:' || "]],
    scenario: 'killed_after_sale',
    seen: 'Your books have nothing for sale',
    change: 'Store a sale',
  },
  {
    shop: 'places no order after a restart',
    mistakes: [
      [
        "for (const { number } of db.prepare(`SELECT * FROM sales WHERE state = 'open'`)",
        "for (const { number } of db.prepare('SELECT * FROM sales WHERE FALSE')",
      ],
    ],
    scenario: 'killed_before_order',
    seen: 'Your books have open',
    change: 'the same call again',
  },
]

it('gives a shop the 30 seconds that the client takes to give up a call', async () => {
  const shop = await aShop(project.folder, 'ts', [[timeLimit, '']])
  const { out, status } = await checkShop(instance, shop, ['hang'])
  expect(out).toMatch(/^1 passed, 0 findings, 0 skipped in \d+ s$/m)
  expect(status).toBe(0)
})

async function expectFinding(broken: Case) {
  const shop = await aShop(project.folder, 'ts', broken.mistakes)
  const { out, status } = await checkShop(instance, shop, [broken.scenario])
  expect(out).toMatch(new RegExp(`^finding  ${broken.scenario} `, 'm'))
  expect(out).toContain(broken.seen)
  expect(out).toContain(broken.change)
  expect(status).toBe(1)
}

const isRestore = ({ scenario }: Case) => /restore/.test(scenario)

// A restore would take the orders of the others.
it.each(cases.filter(isRestore))('finds that a shop $shop', expectFinding)
const others = cases.filter((broken) => !isRestore(broken))
it.concurrent.each(others)('finds that a shop $shop', expectFinding)
