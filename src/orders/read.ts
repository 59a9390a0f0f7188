/** Reads orders with everything that they show. */
import { eq, inArray, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { type Database, jsonValues } from '../db/client.ts'
import { named } from '../db/columns.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { deliveryColumns } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue } from '../http/errors.ts'
import { tokenNameOf } from '../identity/namespace.ts'
import { buyerColumns, type Viewer, visibleBuyer } from './buyer.ts'
import { listingColumns, type Nft, nftColumns } from './nft.ts'
import { buildOrder, byId, itemColumns, orderColumns, requireRow } from './order.ts'
import type { Order } from './schema.ts'

type ViewerValues = { userId: number; isMaster: number }

/** The values that say whose view of orders is read. */
export const viewerValues = ({ role, userId }: Viewer): ViewerValues => ({
  userId,
  isMaster: Number(role === 'master'),
})

/** Whether the viewer may see an order: with a master token, as the buyer, or as a seller. */
export const isVisible = ({ userId, isMaster }: Placeholders<ViewerValues>): SQL =>
  sql`(${isMaster} = 1 OR ${orders.buyerId} = ${userId} OR EXISTS (
    SELECT 1 FROM orderItems WHERE orderId = ${orders.id} AND sellerId = ${userId}))`

const shown = {
  order: named('order', { ...orderColumns, namespace: orders.namespace }),
  item: named('item', itemColumns),
  delivery: named('delivery', deliveryColumns),
  listing: named('listing', listingColumns),
  buyer: named('buyer', buyerColumns),
}

/** Selects orders with what they show, without their NFTs. `ids` is a statement that selects their ids. */
export const selectOrders = (db: Database, ids: SQL) =>
  db
    .select(shown)
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .innerJoin(listings, eq(listings.id, orderItems.listingId))
    .innerJoin(users, eq(users.id, orders.buyerId))
    .where(sql`${orders.id} IN (${ids})`)

/** Selects the NFTs of orders: with them, `selectOrders` would have more than the 100 columns of D1. */
export const selectNfts = (db: Database, ids: SQL) =>
  db
    .select(nftColumns)
    .from(nfts)
    .where(sql`${nfts.id} IN (SELECT nftId FROM orderItems WHERE orderId IN (${ids}))`)

export type OrderRows = ReturnType<typeof selectOrders>['_']['result']

/** Builds the orders that `selectOrders` and `selectNfts` have read, by id, with their items. */
export function buildOrders(viewer: Viewer, rows: OrderRows, nfts: readonly Nft[]) {
  const sold = { nfts: byId(nfts), listings: byId(rows.map(({ listing }) => listing)) }
  const rowsByOrder = Map.groupBy(rows, ({ order }) => order.id)
  return new Map(
    rows.map(({ order: { namespace: _, ...order }, buyer }): [number, Order] => {
      const own = rowsByOrder.get(order.id) ?? []
      const items = own.map(({ item, delivery }) => ({ ...item, delivery }))
      const built = buildOrder(viewer, { order, items, sold })
      return [order.id, { ...built, buyer: visibleBuyer(viewer, buyer) }]
    }),
  )
}

export type ReadCtx = Pick<Ctx, 'db' | 'caller'>

type ByIds = Placeholders<ViewerValues & { ids: string }>

const visibleIds = (db: Database, values: ByIds) =>
  db
    .select({ id: orders.id })
    .from(orders)
    .where(sql`${inArray(orders.id, jsonValues(values.ids))} AND ${isVisible(values)}`)
    .getSQL()

const ordersByIds = prepared((db, values: ByIds) => selectOrders(db, visibleIds(db, values)))
const nftsByOrderIds = prepared((db, values: ByIds) => selectNfts(db, visibleIds(db, values)))

/** Selects those orders with these ids that the viewer may see, with all that they show. */
export function selectByIds(db: Database, viewer: Viewer, ids: readonly number[]) {
  const values = { ids: JSON.stringify(ids), ...viewerValues(viewer) }
  return { orders: ordersByIds(db, values), nfts: nftsByOrderIds(db, values) }
}

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
