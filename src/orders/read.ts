/** Reads orders with everything that they show. */

import { eq, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { preparedTables, type Select } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { deliveryColumns } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue } from '../http/errors.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import { type BuyerFields, buyerColumns, type Viewer, visibleBuyer } from './buyer.ts'
import { type Listing, listingColumns, type Nft, nftColumns } from './nft.ts'
import {
  buildOrder,
  byId,
  type ItemRow,
  itemColumns,
  type OrderRow,
  orderColumns,
  requireRow,
} from './order.ts'
import type { Order } from './schema.ts'

type ViewerValues = { userId: number; isMaster: number }

/** The values that say whose view of orders is read. */
export const viewerValues = ({ role, userId }: Viewer): ViewerValues => ({
  userId,
  isMaster: Number(role === 'master'),
})

/** Whether the viewer may see an order: with a master token, as the buyer, or as a seller. */
export const isVisible = ({ userId, isMaster }: ViewerValues): SQL =>
  sql`(${isMaster} = 1 OR buyerId = ${userId} OR EXISTS (
    SELECT 1 FROM orderItems WHERE orderId = orders.id AND sellerId = ${userId}))`

type Selection<Others> = {
  /** Selects the ids of the orders. */
  ids: SQL
  /** Common table expressions that it uses. */
  shared?: SQL
  /** Further SELECTs of the statement. */
  others?: Others
}

/**
 * Prepares the statement that reads orders: those of the selected ones that the viewer may see. The
 * other tables do not depend on the viewer; what is read of other orders is not used.
 */
export const prepareOrders = <
  Values extends ViewerValues,
  Others extends Record<string, Select<unknown>> = Record<never, never>,
>(
  select: (db: Database, values: Values) => Selection<Others>,
) =>
  preparedTables((db, values: Values) => {
    const { ids, shared, others } = select(db, values)
    const isSelected = sql`orderId IN (SELECT id FROM selected)`
    const table = sql`selected (id) AS MATERIALIZED (${ids})`
    return {
      shared: shared ? sql`${shared}, ${table}` : table,
      selects: {
        ...(others as Others),
        orders: db
          .select({ ...orderColumns, namespace: orders.namespace })
          .from(orders)
          .where(sql`orders.id IN (SELECT id FROM selected) AND ${isVisible(values)}`),
        buyers: db
          .select(buyerColumns)
          .from(users)
          .where(sql`id IN (SELECT buyerId FROM orders WHERE id IN (SELECT id FROM selected))`),
        items: db
          .select({ ...itemColumns, delivery: deliveryColumns })
          .from(orderItems)
          .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
          .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
          .where(isSelected),
        nfts: db
          .select(nftColumns)
          .from(nfts)
          .where(sql`id IN (SELECT nftId FROM orderItems WHERE ${isSelected})`),
        listings: db
          .select(listingColumns)
          .from(listings)
          .where(sql`id IN (SELECT listingId FROM orderItems WHERE ${isSelected})`),
      },
    }
  })

export type Tables = {
  orders: (OrderRow & { namespace: string })[]
  buyers: BuyerFields[]
  items: ItemRow[]
  nfts: Nft[]
  listings: Listing[]
}

/** Builds the orders that the statement of `prepareOrders` has read, by id, with their items. */
export function buildOrders(viewer: Viewer, { orders, buyers, items, nfts, listings }: Tables) {
  const buyersById = byId(buyers)
  const itemsByOrder = Map.groupBy(items, ({ orderId }) => orderId)
  const sold = { nfts: byId(nfts), listings: byId(listings) }
  return new Map(
    orders.map(({ namespace: _, ...order }) => {
      const own = { order, items: itemsByOrder.get(order.id) ?? [], sold }
      const buyer = visibleBuyer(viewer, requireRow(buyersById, order.buyerId))
      return [order.id, { ...buildOrder(viewer, own), buyer }]
    }),
  )
}

export type ReadCtx = Pick<Ctx, 'db' | 'caller'>

export const ordersByIds = prepareOrders((_, { ids }: ViewerValues & { ids: string }) => ({
  ids: sql`SELECT value FROM json_each(${ids})`,
}))

/** What headers tell of one order, as summaries and events do. */
export type OrderState = { sequence: number; source: string }

/**
 * Returns the orders with these ids (digits), in the given order, each once, and the state of the order
 * if it is one. Throws `unauthenticated`, and `order_not_found` if one of them does not exist or the
 * caller may not see it.
 */
export async function readOrders(
  { db, caller }: ReadCtx,
  orderIds: readonly string[],
): Promise<{ orders: Order[]; state: OrderState | null }> {
  const ids = JSON.stringify(orderIds.map(Number))
  const statement = ordersByIds(db, { ids, ...viewerValues(caller) })
  const [tables] = await readAs(db, caller, [statement])
  const found = buildOrders(caller, tables)
  requireAll(orderIds, found)
  const orders = [...new Set(orderIds)].map((digits) => requireRow(found, Number(digits)))
  const [[row], [item]] = [tables.orders, tables.items]
  if (!row || !item || orders.length > 1) return { orders, state: null }
  const state = { sequence: item.delivery.version + 1, source: tokenNameOf(row.namespace) }
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
