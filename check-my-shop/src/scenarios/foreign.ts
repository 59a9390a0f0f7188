/** Another shop uses the same order numbers: the source tells whose an order is. */
import { Finding } from '../finding.ts'
import {
  type ForeignOrder,
  foreignMessage,
  foreignOrder,
  type Name,
  type Outcome,
} from '../foreign.ts'
import type { Run } from '../run.ts'
import type { Sale } from '../sale.ts'
import type { Scenario } from '../scenario.ts'
import { errorBody } from './calls.ts'

/** Returns a function that makes orders of another shop, which look like a real order. */
async function forger(run: Run) {
  const { sale } = await run.sellWaiting()
  const [summary] = await run.marketplace.summaries(sale.number)
  const order = summary && (await run.marketplace.read(summary.id))
  if (!order) throw new Error('there is no order to imitate')
  return (sale: Sale, outcome: Outcome, name: Name): ForeignOrder => {
    const foreign = foreignOrder(sale, { outcome, name }, { summary, order })
    run.proxy.addForeign(foreign)
    return foreign
  }
}

/** Throws a `Finding` if the shop has taken an order of another shop for that of a sale. */
async function requireUntouched(
  run: Run,
  sale: Sale,
  { outcome, summary, isCancelled }: ForeignOrder,
) {
  const book = await run.book(sale)
  const refunds = book?.refunds.length ?? 0
  const isEnded = book?.state === 'delivered' || book?.state === 'refunded'
  if (!isEnded && refunds === 0 && book?.orderId !== summary.id && !isCancelled) return
  const seen = `Another shop has order ${summary.id} with the number ${sale.number}: ${outcome}.`
  throw new Finding('foreign_order', seen, [
    { what: 'state in your books', expected: 'open', found: isEnded ? book.state : 'open' },
    {
      what: 'order in your books',
      expected: 'your own',
      found: book?.orderId === summary.id ? `${summary.id}` : 'your own',
    },
    { what: 'refunds in your books', expected: '0', found: `${refunds}` },
    { what: 'cancellations of that order', expected: 'none', found: isCancelled ? 'one' : 'none' },
  ])
}

async function sendForeign(run: Run, sale: Sale, foreign: ForeignOrder) {
  await run.feed.sendAccepted(foreignMessage(foreign))
  await run.afterwards()
  await requireUntouched(run, sale, foreign)
}

/** The message arrives while the marketplace is away, before the shop has an order. */
async function beforeOrder(run: Run, foreignOf: (sale: Sale) => ForeignOrder) {
  const sale = run.sale()
  const foreign = foreignOf(sale)
  const body = errorBody('try_later', run.marketplace.url)
  const effect = { http: 503, reach: 'none', retryAfter: 2, body } as const
  run.proxy.break(sale, effect, { times: 2 })
  await run.shop.sell(sale)
  const sentence = 'a call that places the order'
  await run.until({ sale, blame: 'not_placed', sentence }, () =>
    run.proxy.calls(sale, 'place').some(({ isBroken }) => isBroken),
  )
  await sendForeign(run, sale, foreign)
  await run.settle('delivered', sale, 'foreign_order')
}

/** The message arrives when the shop has an order of its own, which is cancelled later. */
async function afterOrder(run: Run, foreignOf: (sale: Sale) => ForeignOrder) {
  const { sale, waiting } = await run.sellWaiting()
  await run.accepted(sale, waiting)
  const foreign = foreignOf(sale)
  await sendForeign(run, sale, foreign)
  await run.shop.cancel(sale)
  await run.settle('refunded', sale, 'foreign_order')
}

async function sameNumber(run: Run) {
  const foreignOf = await forger(run)
  await Promise.all([
    beforeOrder(run, (sale) => foreignOf(sale, 'order.delivered', 'another name')),
    beforeOrder(run, (sale) => foreignOf(sale, 'order.failed', 'the same name')),
    beforeOrder(run, (sale) => foreignOf(sale, 'order.cancelled', 'another name')),
    afterOrder(run, (sale) => foreignOf(sale, 'order.delivered', 'the same name')),
    afterOrder(run, (sale) => foreignOf(sale, 'order.failed', 'another name')),
    afterOrder(run, (sale) => foreignOf(sale, 'order.cancelled', 'the same name')),
  ])
}

/** The lists that the shop reads to compare its books have the other orders, too. */
async function sameNumberCompared(run: Run) {
  const foreignOf = await forger(run)
  const delivered = run.sale()
  run.feed.hold(delivered)
  await run.shop.sell(delivered)
  await run.event(delivered, 'order.delivered', 'not_placed')
  foreignOf(delivered, 'order.cancelled', 'the same name')
  const waiting = (await run.sellWaiting()).sale
  const foreign = foreignOf(waiting, 'order.delivered', 'another name')
  await run.shop.reconcile()
  await requireUntouched(run, waiting, foreign)
  await run.settle('delivered', delivered, 'foreign_order')
  await run.shop.cancel(waiting)
  await run.settle('refunded', waiting, 'foreign_order')
}

export const foreign: readonly Scenario[] = [
  {
    name: 'same_number',
    says: 'messages about orders of another shop with the same number',
    run: sameNumber,
  },
  {
    name: 'same_number_compared',
    says: 'another shop has orders with the same number, and the books are compared',
    // The comparison calls for other sales, too.
    isAlone: true,
    run: sameNumberCompared,
  },
]
