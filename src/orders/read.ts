/** Reads orders with everything that they show. */
import { readAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue } from '../http/errors.ts'
import { orderLimits } from '../http/limits.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import { type Viewer, visibleBuyer } from './buyer.ts'
import type { Nft } from './nft.ts'
import { buildOrder, byId, requireRow } from './order.ts'
import { type OrderRows, ordersById } from './page.ts'
import type { Order } from './schema.ts'
import { viewerValues } from './visible.ts'

/** Builds the orders of rows and their NFTs, by id, with their items. */
export function buildOrders(viewer: Viewer, rows: OrderRows, nfts: readonly Nft[]) {
  const sold = { nfts: byId(nfts), listings: byId(rows.map(({ listing }) => listing)) }
  const rowsByOrder = Map.groupBy(rows, ({ order }) => order.id)
  return new Map(
    rows.map(({ order: { namespace: _, paid: __, ...order }, buyer }): [number, Order] => {
      const own = rowsByOrder.get(order.id) ?? []
      const items = own.map(({ item, delivery }) => ({ ...item, delivery }))
      const built = buildOrder(viewer, { order, items, sold })
      return [order.id, { ...built, buyer: visibleBuyer(viewer, buyer) }]
    }),
  )
}

export type ReadCtx = Pick<Ctx, 'db' | 'caller'>

const withIds = (viewer: Viewer, ids: readonly number[]) => ({
  ...viewerValues(viewer),
  ids: JSON.stringify(ids),
  limit: orderLimits.candidates.max,
})

/** Selects those orders with these ids that the viewer may see, with all that they show. */
export function selectByIds(db: Database, viewer: Viewer, ids: readonly number[]) {
  const values = withIds(viewer, ids)
  return { orders: ordersById.orders(db, values), nfts: ordersById.nfts(db, values) }
}

/** Selects the summary of an order, if the viewer may see it. */
export const selectSummary = (db: Database, viewer: Viewer, id: number) =>
  ordersById.summaries(db, withIds(viewer, [id]))

/**
 * Returns the orders with these ids (digits), in the given order, each once, and of one order
 * what headers tell (`state`), as summaries and events do.
 */
export async function readOrders({ db, caller }: ReadCtx, orderIds: readonly string[]) {
  const statements = selectByIds(db, caller, orderIds.map(Number))
  const rows = await readAs(db, caller, statements)
  const found = buildOrders(caller, rows.orders, rows.nfts)
  requireAll(orderIds, found)
  const orders = [...new Set(orderIds)].map((digits) => requireRow(found, Number(digits)))
  const [row] = rows.orders
  if (!row || orders.length > 1) return { orders, state: null }
  const state = {
    sequence: row.delivery.version + 1,
    source: tokenNameOf(row.order.namespace),
  }
  return { orders, state }
}

/** Throws `order_not_found` with an issue for each id that has no order to show. */
function requireAll(orderIds: readonly string[], found: ReadonlyMap<number, unknown>): void {
  const issues = orderIds.flatMap((digits, i): Issue[] => {
    const message = `order ${digits} does not exist`
    return found.has(Number(digits))
      ? []
      : [{ path: `order_ids[${i}]`, code: 'order_not_found', message }]
  })
  if (issues[0]) throw new ApiError('order_not_found', issues[0].message, {}, issues)
}
