/** Customers who want their money back, and deliveries that fail. */
import { wait } from '../../../retry.ts'
import { type Scenario, Skipped } from '../scenario.ts'

/** The listing of the demo whose deliveries fail. */
const FAILING = 'outcome-recipient-rejects'

export const refunds: readonly Scenario[] = [
  {
    name: 'cancelled',
    says: 'a customer wants the money back before the delivery',
    run: async (run) => {
      const sale = run.sale({ buyer: 'email' })
      await run.shop.sell(sale)
      await run.event(sale, 'order.awaiting_wallet', 'not_placed')
      await run.shop.cancel(sale)
      await run.settle('refunded', sale, 'not_refunded')
    },
  },
  {
    name: 'cancelled_late',
    says: 'a customer wants the money back after the delivery',
    run: async (run) => {
      const sale = run.sale()
      await run.sellUntil('delivered', sale, 'wrong_books')
      await run.shop.cancel(sale)
      await wait(1000, run.signal)
      await run.settle('delivered', sale, 'refunded_early')
    },
  },
  {
    name: 'failed',
    says: 'a delivery fails, and the customer wants the money back',
    run: async (run) => {
      const goods = await run.marketplace.goods(FAILING)
      if (!goods) throw new Skipped(`the instance has no listing ${FAILING}`)
      const sale = run.sale({}, goods)
      await run.shop.sell(sale)
      await run.event(sale, 'order.failed', 'not_placed')
      await run.shop.cancel(sale)
      await run.settle('refunded', sale, 'not_refunded')
    },
  },
]
