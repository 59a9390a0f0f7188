/** Reads orders with everything that they show. */
import { and, eq, exists, inArray, or, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { type Database, jsonValues } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { deliveryColumns } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue } from '../http/errors.ts'
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

/**
 * Prepares the statements that read the orders with the ids that `selectIds` selects. The first
 * returns those that the viewer may see: with a master token, as the buyer, or as a seller. The
 * others do not depend on the viewer; what they read of other orders is not used. There is one for
 * each table, because D1 merges selected columns of the same name.
 */
export function prepareOrders<Values extends ViewerValues>(
  selectIds: (values: Placeholders<Values>) => SQL,
) {
  const itemsWithIds = (values: Placeholders<Values>) =>
    inArray(orderItems.orderId, selectIds(values))
  const select = {
    orders: prepared((db, values: Placeholders<Values>) => {
      const sold = db
        .select({ id: orderItems.id })
        .from(orderItems)
        .where(and(eq(orderItems.orderId, orders.id), eq(orderItems.sellerId, values.userId)))
      const isVisible = or(
        sql`${values.isMaster} = 1`,
        eq(orders.buyerId, values.userId),
        exists(sold),
      )
      return db
        .select(orderColumns)
        .from(orders)
        .where(and(inArray(orders.id, selectIds(values)), isVisible))
    }),
    buyers: prepared((db, values: Placeholders<Values>) => {
      const buyerIds = db
        .select({ id: orders.buyerId })
        .from(orders)
        .where(inArray(orders.id, selectIds(values)))
      return db.select(buyerColumns).from(users).where(inArray(users.id, buyerIds))
    }),
    items: prepared((db, values: Placeholders<Values>) =>
      db
        .select({ ...itemColumns, delivery: deliveryColumns })
        .from(orderItems)
        .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
        .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
        .where(itemsWithIds(values))
        .orderBy(orderItems.id),
    ),
    nfts: prepared((db, values: Placeholders<Values>) => {
      const sold = db.select({ id: orderItems.nftId }).from(orderItems).where(itemsWithIds(values))
      return db.select(nftColumns).from(nfts).where(inArray(nfts.id, sold))
    }),
    listings: prepared((db, values: Placeholders<Values>) => {
      const sold = db
        .select({ id: orderItems.listingId })
        .from(orderItems)
        .where(itemsWithIds(values))
      return db.select(listingColumns).from(listings).where(inArray(listings.id, sold))
    }),
  }
  return (db: Database, values: Values) =>
    [
      select.orders(db, values),
      select.buyers(db, values),
      select.items(db, values),
      select.nfts(db, values),
      select.listings(db, values),
    ] as const
}

type Results = readonly [OrderRow[], BuyerFields[], ItemRow[], Nft[], Listing[]]

/** Builds the orders that the statements of `prepareOrders` have read, by id, with their items. */
export function buildOrders(viewer: Viewer, [orderRows, buyers, items, nfts, listings]: Results) {
  const buyersById = byId(buyers)
  const itemsByOrder = Map.groupBy(items, ({ orderId }) => orderId)
  const sold = { nfts: byId(nfts), listings: byId(listings) }
  return new Map(
    orderRows.map((order) => {
      const own = { order, items: itemsByOrder.get(order.id) ?? [], sold }
      const buyer = visibleBuyer(viewer, requireRow(buyersById, order.buyerId))
      return [order.id, { ...buildOrder(viewer, own), buyer }]
    }),
  )
}

/** `viewer` is whose view it is, if not that of the caller. */
export type ReadCtx = Pick<Ctx, 'db' | 'caller'> & { viewer?: Viewer }

const ordersByIds = prepareOrders(({ ids }: Placeholders<ViewerValues & { ids: string }>) =>
  jsonValues(ids),
)

/**
 * Returns the orders with these ids (digits), in the given order, each once, as `viewer` may see
 * them, and the `sequence` of the order if it is one: see `deliveryFields`. Throws `unauthenticated`, and `order_not_found` if one of them does not exist or the viewer
 * may not see it.
 */
export async function readOrders(
  { db, caller, viewer = caller }: ReadCtx,
  orderIds: readonly string[],
): Promise<{ orders: Order[]; sequence: number | null }> {
  const ids = JSON.stringify(orderIds.map(Number))
  const results = await readAs(db, caller, ordersByIds(db, { ids, ...viewerValues(viewer) }))
  const found = buildOrders(viewer, results)
  requireAll(orderIds, found)
  const orders = [...new Set(orderIds)].map((digits) => requireRow(found, Number(digits)))
  const [item, ...others] = results[2]
  return { orders, sequence: item && others.length === 0 ? item.delivery.version + 1 : null }
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
