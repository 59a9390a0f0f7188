import { and, eq, exists, inArray, or, type Placeholder, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { type Database, jsonValues } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { shownOfDelivery } from '../delivery/shown.ts'
import type { Ctx } from '../http/context.ts'
import { ApiError, type Issue } from '../http/errors.ts'
import type { Order } from './answer.ts'
import { buyerColumns, itemColumns, listingColumns, nftColumns, orderColumns } from './columns.ts'
import { type Viewer, visibleBuyer, visibleOrder } from './visible.ts'

type Ids = Placeholders<{ ids: string }>
type Visible = Placeholders<{ ids: string; userId: number; isMaster: number }>

/** The orders that the caller may see: with a master token, as the buyer, or as a seller. */
const visibleOrders = prepared((db, { ids, userId, isMaster }: Visible) => {
  const sold = db
    .select({ id: orderItems.id })
    .from(orderItems)
    .where(and(eq(orderItems.orderId, orders.id), eq(orderItems.sellerId, userId)))
  return db
    .select(orderColumns)
    .from(orders)
    .where(
      and(
        inArray(orders.id, jsonValues(ids)),
        or(sql`${isMaster} = 1`, eq(orders.buyerId, userId), exists(sold)),
      ),
    )
})

// The other statements read all orders of the request. What belongs to an order that the caller
// may not see is never used. One table each: D1 merges selected columns of the same name.

const buyersOf = prepared((db, { ids }: Ids) =>
  db
    .select(buyerColumns)
    .from(users)
    .where(
      inArray(
        users.id,
        db
          .select({ id: orders.buyerId })
          .from(orders)
          .where(inArray(orders.id, jsonValues(ids))),
      ),
    ),
)

const itemsOf = prepared((db, { ids }: Ids) =>
  db
    .select({ ...itemColumns, ...shownOfDelivery })
    .from(orderItems)
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .where(inArray(orderItems.orderId, jsonValues(ids)))
    .orderBy(orderItems.id),
)

/** The NFTs or the listings of the orders. */
const idsOfItems = (db: Database, column: 'nftId' | 'listingId', ids: Placeholder) =>
  db
    .select({ id: orderItems[column] })
    .from(orderItems)
    .where(inArray(orderItems.orderId, jsonValues(ids)))

const nftsOf = prepared((db, { ids }: Ids) =>
  db
    .select(nftColumns)
    .from(nfts)
    .where(inArray(nfts.id, idsOfItems(db, 'nftId', ids))),
)

const listingsOf = prepared((db, { ids }: Ids) =>
  db
    .select(listingColumns)
    .from(listings)
    .where(inArray(listings.id, idsOfItems(db, 'listingId', ids))),
)

/** Throws `order_not_found` with an issue for each id that has no order to show. */
function requireAll(orderIds: readonly string[], visible: ReadonlyMap<number, unknown>): void {
  const issues = orderIds.flatMap((digits, i): Issue[] =>
    visible.has(Number(digits))
      ? []
      : [
          {
            path: `order_ids[${i}]`,
            code: 'order_not_found',
            message: `order ${digits} does not exist`,
          },
        ],
  )
  if (issues[0]) throw new ApiError('order_not_found', issues[0].message, {}, issues)
}

/**
 * Returns the orders with these ids (digits), in the given order, each once, as `viewer` may see
 * them. Throws `unauthenticated`, and `order_not_found` if one of them does not exist or the viewer
 * may not see it.
 */
export async function readOrders(
  { db, caller }: Pick<Ctx, 'db' | 'caller'>,
  orderIds: readonly string[],
  viewer: Viewer = caller,
): Promise<Order[]> {
  const ids = JSON.stringify(orderIds.map(Number))
  const isMaster = Number(viewer.role === 'master')
  const [orderRows, buyerRows, itemRows, nftRows, listingRows] = await readAs(db, caller, [
    visibleOrders(db, { ids, userId: viewer.userId, isMaster }),
    buyersOf(db, { ids }),
    itemsOf(db, { ids }),
    nftsOf(db, { ids }),
    listingsOf(db, { ids }),
  ])
  const visible = byId(orderRows)
  requireAll(orderIds, visible)
  const [buyers, nftsById, listingsById] = [byId(buyerRows), byId(nftRows), byId(listingRows)]
  const itemsByOrder = Map.groupBy(itemRows, ({ orderId }) => orderId)
  return [...new Set(orderIds)].map((digits) => {
    const order = requireRow(visible, Number(digits))
    const items = itemsByOrder.get(order.id) ?? []
    return {
      ...visibleOrder(viewer, order),
      failReason: items.find(({ failReason }) => failReason)?.failReason ?? null,
      updatedAt: latest([order, ...items]),
      buyer: visibleBuyer(viewer, requireRow(buyers, order.buyerId)),
      orderItems: items.map(({ failReason, ...item }) => ({
        ...item,
        nft: requireRow(nftsById, item.nftId),
        listing: requireRow(listingsById, item.listingId),
      })),
    }
  })
}

const byId = <Row extends { id: number }>(rows: readonly Row[]) =>
  new Map(rows.map((row) => [row.id, row]))

function requireRow<Row>(rows: ReadonlyMap<number, Row>, id: number): Row {
  const row = rows.get(id)
  if (!row) throw new Error(`row ${id} was not read`)
  return row
}

const latest = (rows: readonly { updatedAt: string }[]): string =>
  rows
    .map(({ updatedAt }) => updatedAt)
    .sort()
    .at(-1) ?? ''
