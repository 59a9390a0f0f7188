/** What happens to the instance: its chain is reorganised, and its database restored. */

import { Finding } from '../finding.ts'
import type { Run } from '../run.ts'
import { buyerOf } from '../sale.ts'
import type { Scenario } from '../scenario.ts'

async function reorganise(run: Run) {
  const sale = run.sale()
  await run.sellUntil('delivered', sale, 'wrong_books')
  const events = run.feed.events(sale).length
  await run.marketplace.control('reorganise', { blocks: 3 })
  await run.until(sale, 'wrong_books', () => run.feed.events(sale).length > events)
  await run.settle('delivered', sale, 'wrong_books')
}

async function restore(run: Run) {
  const [early, late] = [run.sale(), run.sale()]
  await run.sellUntil('delivered', early, 'wrong_books')
  await run.marketplace.control('backup')
  await run.sellUntil('delivered', late, 'wrong_books')
  await setBack(run)
  await run.shop.reconcile()
  for (const sale of [late, early]) {
    await run.settle('delivered', sale, 'forgotten_by_marketplace')
    const balance = await run.marketplace.balance(sale.listing, buyerOf(sale))
    if (balance !== undefined && balance !== 1)
      throw new Finding('not_delivered_once', `The buyer of ${sale.number} has ${balance} pieces.`)
  }
}

/** Sets the database back to its backup, and takes the messages and orders from there. */
async function setBack(run: Run) {
  await run.marketplace.control('restore')
  run.proxy.forgetOrders()
  run.feed.reread()
}

/** Sells what waits until it is cancelled. */
async function sellWaiting(run: Run) {
  const sale = run.sale({ buyer: 'email' })
  await run.shop.sell(sale)
  const event = await run.event(sale, 'order.awaiting_wallet', 'not_placed')
  await run.until(sale, 'message_refused', () => run.feed.hasAccepted(event))
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
  if ((await run.marketplace.order(other.number))?.state !== 'open')
    throw new Finding(
      'other_cancelled',
      `The customer of sale ${lost.number} wanted the money back, and the order of sale ${other.number} was cancelled.`,
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
    name: 'cancelled_after_restore',
    says: 'a customer wants the money back for an order that is lost',
    ...{ needs: 'dev', isAlone: true, run: cancelAfterRestore },
  },
]
