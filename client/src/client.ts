import { type WaitOptions, waitForDelivery } from './delivery.ts'
import { type Methods, routes } from './schema.ts'
import { type ClientOptions, createTransport } from './transport.ts'
import type {
  Answer,
  AnswerTo,
  CallOptions,
  Input,
  ListOrders,
  Method,
  OperationId,
  Order,
} from './types.ts'

type Paged = { nextCursor: string | null }

/** The operations that return their results in pages. */
type PagedId = { [Id in OperationId]: Answer<Id> extends Paged ? Id : never }[OperationId]

type OperationMethods = {
  [Id in keyof Methods]: Id extends 'listOrders' ? ListOrders : Method<Id>
}

export type MarketplaceClient = OperationMethods & {
  /**
   * Reads an order until all its items are transferred, and returns it. Keeps waiting while the
   * buyer has no wallet. Throws `DeliveryFailedError` if an item cannot be delivered, and
   * `DeliveryTimeoutError`.
   */
  waitForDelivery: (orderId: number, options?: WaitOptions) => Promise<Order>
  /** Iterates over all pages of an operation that has a `cursor`, such as `listTransfers`. */
  pages: <Id extends PagedId, const I extends Input<Id>>(
    id: Id,
    input?: I,
    options?: CallOptions<Id>,
  ) => AsyncGenerator<AnswerTo<Id, I>, void>
}

/** Returns a client with a method for each operation of the API, named by its `operationId`. */
export function createClient(options: ClientOptions): MarketplaceClient {
  const send = createTransport(options)
  const methods: Record<string, unknown> = Object.fromEntries(
    Object.entries(routes).map(([id, route]) => [id, send.bind(null, route)]),
  )

  async function* pages<Id extends PagedId, I>(id: Id, input?: I, call?: CallOptions<Id>) {
    for (let next = {}; ; ) {
      const page = await send<AnswerTo<Id, I> & Paged>(
        routes[id],
        Object.assign({}, input, next),
        call,
      )
      yield page
      if (page.nextCursor === null) return
      next = { cursor: page.nextCursor }
    }
  }
  return {
    ...(methods as OperationMethods),
    pages,
    waitForDelivery: (orderId, wait) => waitForDelivery(send, orderId, wait),
  }
}
