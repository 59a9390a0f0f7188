/** Calls that only a person can correct: the token is refused, or the number has another order. */
import { Finding, type Problem } from '../finding.ts'
import type { Run } from '../run.ts'
import type { Sale } from '../sale.ts'
import { type Scenario, Skipped } from '../scenario.ts'
import { errorBody } from './calls.ts'

/** Milliseconds, and how often a call may be sent in them. */
const WINDOW = 5_000
const MAX_CALLS = 3

const callsOf = ({ proxy }: Run, sale: Sale) => [
  ...proxy.calls(sale, 'place'),
  ...proxy.calls(sale, 'cancel'),
]

/** Waits until the shop has got an answer to a call for a sale, since a number of calls. */
const called = (run: Run, sale: Sale, before = 0) => {
  const sentence = 'a call about the order'
  return run.until({ sale, blame: 'not_placed', sentence }, () =>
    callsOf(run, sale)
      .slice(before)
      .some(({ answeredAt }) => answeredAt !== undefined),
  )
}

/** Throws a `Finding` if the shop ends a sale that it must keep open, or calls again and again. */
async function requireKept(run: Run, sale: Sale, problem: Problem) {
  const before = callsOf(run, sale).length
  await run.pause(WINDOW)
  run.checkCalls(sale)
  const book = await run.book(sale)
  const refunds = book?.refunds.length ?? 0
  if (refunds > 0 || book?.state === 'refunded' || book?.state === 'delivered')
    throw new Finding(problem, `Sale ${sale.number} must stay open.`, [
      { what: 'state in your books', expected: 'open', found: book?.state ?? 'open' },
      { what: 'refunds in your books', expected: '0', found: `${refunds}` },
    ])
  const calls = callsOf(run, sale).length - before
  if (calls > MAX_CALLS)
    throw new Finding('refusal_repeated', `Sale ${sale.number}: refused calls came again.`, [
      { what: `calls in ${WINDOW / 1000} s`, expected: `${MAX_CALLS} at most`, found: `${calls}` },
    ])
}

const refusals = [
  [401, 'unauthenticated'],
  [403, 'forbidden'],
] as const

/** The token is refused until a person has corrected it: for a new sale, and for a cancellation. */
async function deny(run: Run) {
  const cases = await Promise.all(
    refusals.map(async ([status, code]) => {
      const { sale: cancelled } = await run.sellWaiting()
      const body = errorBody(code, run.marketplace.url)
      return { cancelled, sale: run.sale(), effect: { http: status, reach: 'none', body } as const }
    }),
  )
  const sales = cases.flatMap(({ sale, cancelled }) => [sale, cancelled])
  const before = new Map(sales.map((sale) => [sale, callsOf(run, sale).length]))
  const corrections = cases.flatMap(({ sale, cancelled, effect }) =>
    [sale, cancelled].flatMap((each) => [
      run.proxy.break(each, effect, { kind: 'place', times: Number.POSITIVE_INFINITY }),
      run.proxy.break(each, effect, { kind: 'cancel', times: Number.POSITIVE_INFINITY }),
    ]),
  )
  for (const { sale } of cases) await run.shop.sell(sale)
  for (const { cancelled } of cases) await run.shop.cancel(cancelled)
  await Promise.all(
    sales.map(async (sale) => {
      await called(run, sale, before.get(sale))
      await requireKept(run, sale, 'token_refused')
    }),
  )
  for (const correct of corrections) correct()
  await run.shop.reconcile()
  for (const { sale, cancelled } of cases) {
    await run.settle('delivered', sale, 'token_refused')
    await run.settle('refunded', cancelled, 'token_refused')
  }
}

/** The number of the sale has another order, which is not the shop's to take over or to cancel. */
async function differ(run: Run) {
  const sale = run.sale({ buyer: 'email' })
  run.feed.hold(sale)
  const other = await run.marketplace.placeOther(sale)
  await run.shop.sell(sale)
  await called(run, sale)
  if (run.proxy.orders(sale).length > 0)
    throw new Skipped('Your shop calls with a token of another name than the tool.')
  await requireKept(run, sale, 'order_differs')
  await run.shop.cancel(sale)
  await requireKept(run, sale, 'order_differs')
  const order = await run.marketplace.order(sale.number)
  const book = await run.book(sale)
  if (order?.cancelRequestedAt || book?.orderId === other)
    throw new Finding('order_differs', `The number of sale ${sale.number} has another purchase.`, [
      {
        what: `order ${other}`,
        expected: 'not cancelled',
        found: order?.cancelRequestedAt ? 'cancelled' : 'not cancelled',
      },
      { what: 'orderId in your books', expected: 'none', found: `${book?.orderId ?? 'none'}` },
    ])
}

export const denials: readonly Scenario[] = [
  {
    name: 'denied',
    says: '401 and 403: the token is refused, and corrected later',
    // The comparison calls for other sales, too.
    isAlone: true,
    run: deny,
  },
  { name: 'order_differs', says: 'the number has another purchase', run: differ },
]
