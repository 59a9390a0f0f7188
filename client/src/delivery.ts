import { withDeadline } from './deadline.ts'
import { DeliveryFailedError, DeliveryTimeoutError, OrderReplacedError } from './errors.ts'
import { wait } from './retry.ts'
import type { Send } from './transport.ts'
import type { Answer, Order } from './types.ts'

export type WaitOptions = {
  /** Milliseconds after which `DeliveryTimeoutError` is thrown. 5 minutes by default. */
  timeout?: number
  /** Milliseconds between two reads. 2 seconds by default. */
  interval?: number
  /** Ends the wait. */
  signal?: AbortSignal | undefined
}

/** Reads the order until all its items are transferred, or another order has its id. */
export function waitForDelivery(
  send: Send,
  orderId: number,
  { timeout = 300_000, interval = 2_000, signal }: WaitOptions = {},
): Promise<Order> {
  let order: Order | null = null
  let owner: Owner | undefined
  const error = () => new DeliveryTimeoutError(orderId, order, timeout)
  return withDeadline({ milliseconds: timeout, signal, error }, async (stop) => {
    for (;;) {
      const input = { order_ids: [orderId] }
      const read = await send<Answer<'getOrders'>>('getOrders', input, { signal: stop })
      order = read.orders[0] ?? null
      if (order) {
        const now = { source: read.source, providerId: order.providerId }
        if (owner && isReplaced(owner, now)) throw new OrderReplacedError(order)
        owner = { ...now, source: now.source ?? owner?.source ?? null }
      }
      const states = order?.orderItems.map(({ status }) => status) ?? []
      if (order && states.includes('failed')) throw new DeliveryFailedError(order)
      if (order && states.every((status) => status === 'transferred')) return order
      await wait(interval, stop)
    }
  })
}

/** What an order keeps. The source is null if a proxy has removed its header. */
type Owner = { source: string | null; providerId: string | null }

const isReplaced = (before: Owner, now: Owner): boolean =>
  before.providerId !== now.providerId ||
  (before.source !== null && now.source !== null && before.source !== now.source)
