/** What happens to the instance: its chain is reorganised, and its database restored. */

import { Finding } from '../finding.ts'
import type { Run } from '../run.ts'
import type { Sale } from '../sale.ts'
import type { Scenario } from '../scenario.ts'
import { errorBody } from './calls.ts'

/** The chain removes deliveries and a cancellation. All are done again, and told again. */
async function reorganise(run: Run) {
  const [early, delivered] = [run.sale(), run.sale()]
  for (const sale of [early, delivered]) await run.sellUntil('delivered', sale, 'wrong_books')
  const { sale: cancelled } = await run.sellWaiting()
  await run.shop.cancel(cancelled)
  await run.settle('refunded', cancelled, 'not_refunded')
  const ends = [
    { sale: delivered, end: 'delivered', type: 'order.delivered' },
    { sale: cancelled, end: 'refunded', type: 'order.cancelled' },
  ] as const
  const secondOf = (sale: Sale, type: string) =>
    run.feed.events(sale).filter((event) => event.type === type)[1]
  // Each of the three has made a block.
  await run.marketplace.control('reorganise', { blocks: 3 })
  for (const { sale, end, type } of ends) {
    const wait = { sale, blame: 'wrong_books', sentence: `a second ${type}` } as const
    await run.accepted(sale, await run.until(wait, () => secondOf(sale, type)))
    await run.afterwards()
    await run.settle(end, sale, 'wrong_books')
  }
}

async function restore(run: Run) {
  const early = run.sale()
  await run.sellUntil('delivered', early, 'wrong_books')
  await run.marketplace.control('backup')
  const late = run.sale()
  const reserved = run.sale({ reservationId: await run.marketplace.reserve(run.goods) })
  for (const sale of [late, reserved]) await run.sellUntil('delivered', sale, 'wrong_books')
  await setBack(run)
  await run.shop.reconcile()
  await run.settle('delivered', early, 'forgotten_by_marketplace')
  await run.settle('delivered', late, 'forgotten_by_marketplace')
  await run.settle('delivered', reserved, 'reservation_lost')
}

/** An order is delivered and lost, and another customer gets the last piece. */
async function refuseAfterRestore(run: Run) {
  await run.marketplace.control('backup')
  const sale = run.sale()
  run.feed.hold(sale)
  await run.shop.sell(sale)
  const isDelivered = () => run.event(sale, 'order.delivered', 'not_placed')
  await isDelivered()
  await setBack(run)
  const body = errorBody('sold_out', run.marketplace.url)
  const times = Number.POSITIVE_INFINITY
  const correct = run.proxy.break(sale, { http: 409, reach: 'none', body }, { times })
  await run.shop.reconcile()
  const sentence = 'a call that places the order again'
  await run.until({ sale, blame: 'forgotten_by_marketplace', sentence }, () =>
    run.proxy.calls(sale, 'place').some(({ status }) => status === 409),
  )
  await run.afterwards()
  const refunds = (await run.book(sale))?.refunds.length ?? 0
  if (refunds > 0)
    throw new Finding('lost_and_refused', `Sale ${sale.number} was delivered before the restore.`, [
      { what: 'refunds in your books', expected: '0', found: `${refunds}` },
    ])
  correct()
  await run.shop.reconcile()
  await isDelivered()
  await run.shop.reconcile()
  await run.settle('delivered', sale, 'forgotten_by_marketplace')
}

/** Sets the database back to its backup, and takes the messages and orders from there. */
async function setBack(run: Run) {
  await run.marketplace.control('restore')
  run.proxy.forgetOrders()
  run.feed.reread()
}

/** Sells what waits until it is cancelled, and waits until the shop knows it. */
async function sellWaiting(run: Run) {
  const { sale, waiting } = await run.sellWaiting()
  await run.accepted(sale, waiting)
  return sale
}

async function cancelAfterRestore(run: Run) {
  await run.marketplace.control('backup')
  const lost = await sellWaiting(run)
  await setBack(run)
  // Its order gets the id that the lost one had.
  const other = await sellWaiting(run)
  await run.shop.cancel(lost)
  const failure = await run.settle('refunded', lost, 'not_refunded').then(
    () => undefined,
    (error: unknown) => error,
  )
  const order = await run.marketplace.order(other.number)
  if (order?.state !== 'open')
    throw new Finding(
      'other_cancelled',
      `The customer of sale ${lost.number} wanted the money back, and the order of another was cancelled.`,
      [{ what: `order of sale ${other.number}`, expected: 'open', found: order?.state ?? 'none' }],
    )
  if (failure) throw failure
}

export const instance: readonly Scenario[] = [
  {
    ...{ name: 'reorganised', says: 'the chain removes a delivery, and it is done again' },
    ...{ needs: 'dev', isAlone: true, run: reorganise },
  },
  {
    ...{ name: 'restored', says: 'the marketplace loses orders, as it restores its database' },
    ...{ needs: 'dev', isAlone: true, run: restore },
  },
  {
    ...{
      name: 'refused_after_restore',
      says: 'an order that is lost is refused, and was delivered',
    },
    ...{ needs: 'dev', isAlone: true, run: refuseAfterRestore },
  },
  {
    name: 'cancelled_after_restore',
    says: 'a customer wants the money back for an order that is lost',
    ...{ needs: 'dev', isAlone: true, run: cancelAfterRestore },
  },
]
