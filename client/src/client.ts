import { type WaitOptions, waitForDelivery } from './delivery.ts'
import { createPages, type Items, type Pages } from './pages.ts'
import { type Methods, routes } from './schema.ts'
import { type ClientOptions, createTransport } from './transport.ts'
import type { ListOrders, Method, OperationId, Order } from './types.ts'

type OperationMethods = {
  [Id in keyof Methods]: Id extends 'listOrders' ? ListOrders : Method<Id>
}

export type MarketplaceClient = OperationMethods & {
  /**
   * Reads an order until all its items are transferred, and returns it. Keeps waiting while the
   * buyer has no wallet. Throws `DeliveryFailedError` if an item cannot be delivered,
   * `OrderReplacedError` if the id becomes that of another order, and `DeliveryTimeoutError`.
   */
  waitForDelivery: (orderId: number, options?: WaitOptions) => Promise<Order>
  /** Iterates over everything that an operation lists, such as `listTransfers` or `listEvents`. */
  items: Items
  /** Iterates over the pages of an operation, for their `nextCursor` or `nextAfter`. */
  pages: Pages
}

/** Returns a client with a method for each operation of the API, named by its `operationId`. */
export function createClient(options: ClientOptions): MarketplaceClient {
  const send = createTransport(options)
  const methods: Record<string, unknown> = Object.fromEntries(
    Object.keys(routes).map((id) => [id, send.bind(null, id as OperationId)]),
  )
  return {
    ...(methods as OperationMethods),
    ...createPages(send),
    waitForDelivery: (orderId, wait) => waitForDelivery(send, orderId, wait),
  }
}
