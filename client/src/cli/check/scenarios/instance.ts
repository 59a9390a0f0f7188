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
  await run.marketplace.control('restore')
  run.proxy.forgetOrders()
  run.feed.reread()
  await run.shop.reconcile()
  for (const sale of [late, early]) {
    await run.settle('delivered', sale, 'forgotten_by_marketplace')
    const balance = await run.marketplace.balance(sale.listing, buyerOf(sale))
    if (balance !== undefined && balance !== 1)
      throw new Finding('not_delivered_once', `The buyer of ${sale.number} has ${balance} pieces.`)
  }
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
]
