/** Customers who want their money back, and deliveries that fail. */
import { type Scenario, Skipped } from '../scenario.ts'

/** The listing of the demo whose deliveries fail at once. */
const FAILING = 'outcome-invalid-token-id'

export const refunds: readonly Scenario[] = [
  {
    name: 'cancelled',
    says: 'a customer wants the money back before the delivery',
    run: async (run) => {
      const { sale } = await run.sellWaiting()
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
      await run.pause(1000)
      await run.settle('delivered', sale, 'refunded_early')
    },
  },
  {
    name: 'cancellation_lost',
    says: 'a cancellation is lost by a restore, and the books compared',
    // The comparison calls for other sales, too.
    isAlone: true,
    run: async (run) => {
      const { sale } = await run.sellWaiting()
      const cancelRequestedAt = new Date().toISOString()
      const orders = await run.marketplace.summaries(sale.number)
      const body = { orders: orders.map((order) => ({ ...order, cancelRequestedAt })) }
      run.proxy.break(sale, { http: 200, reach: 'none', body }, { kind: 'cancel' })
      await run.shop.cancel(sale)
      const sentence = 'a call that cancels the order'
      await run.until({ sale, blame: 'not_refunded', sentence }, () =>
        run.proxy.calls(sale, 'cancel').some(({ isBroken }) => isBroken),
      )
      await run.shop.reconcile()
      await run.settle('refunded', sale, 'not_cancelled_again')
    },
  },
  {
    name: 'failed',
    says: 'a delivery fails, and the customer wants the money back',
    run: async (run) => {
      const goods = await run.marketplace.findGoods(FAILING)
      if (!goods) throw new Skipped(`the instance has no listing ${FAILING}`)
      const sale = run.sale({}, goods)
      await run.shop.sell(sale)
      const event = await run.event(sale, 'order.failed', 'not_placed')
      await run.accepted(sale, event)
      await run.shop.cancel(sale)
      await run.settle('refunded', sale, 'not_refunded')
    },
  },
]
