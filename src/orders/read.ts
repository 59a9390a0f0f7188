import { and, eq, exists, inArray, or, type Placeholder, type SQL, sql } from 'drizzle-orm'
import { type Database, each } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts, orderItems, orders, transfers, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { readAs } from '../identity/caller.ts'
import { shownOfTransfer } from '../transfers/shown.ts'
import { type Buyer, type BuyerRow, type Order, shown } from './answer.ts'
import { byId, present } from './rows.ts'

type Ids = Placeholders<{ ids: string }>

/** Those of the orders that the caller may see: as master, as the buyer, or as a seller. */
const visibleOrders = prepared(
  (db, at: Placeholders<{ ids: string; callerId: number; isMaster: number }>) => {
    const sold = db
      .select({ orderId: orderItems.orderId })
      .from(orderItems)
      .innerJoin(listings, eq(listings.id, orderItems.listingId))
      .where(and(eq(orderItems.orderId, orders.id), eq(listings.sellerId, at.callerId)))
    return db
      .select(shown.order)
      .from(orders)
      .where(
        and(
          inArray(orders.id, each(at.ids)),
          or(sql`${at.isMaster} = 1`, eq(orders.buyerId, at.callerId), exists(sold)),
        ),
      )
  },
)

// What belongs to the orders is read beside them, one table a statement: an NFT that many orders
// have comes once, and D1 has no row of as many columns (100), nor a function of as many
// arguments (32), as a join of these tables would take.

const ofOrders = (column: SQL, ids: Placeholder) =>
  sql`(SELECT ${column} FROM ${orders} WHERE ${orders.id} IN ${each(ids)})`
const ofItems = (column: SQL, ids: Placeholder) =>
  sql`(SELECT ${column} FROM ${orderItems} WHERE ${orderItems.orderId} IN ${each(ids)})`

const buyersOf = prepared((db, at: Ids) =>
  db
    .select(shown.buyer)
    .from(users)
    .where(inArray(users.id, ofOrders(sql`${orders.buyerId}`, at.ids))),
)
const itemsOf = prepared((db, at: Ids) =>
  db
    .select({ ...shown.orderItem, ...shownOfTransfer })
    .from(orderItems)
    .innerJoin(transfers, eq(transfers.id, orderItems.id))
    .where(inArray(orderItems.orderId, each(at.ids)))
    .orderBy(orderItems.id),
)
const nftsOf = prepared((db, at: Ids) =>
  db
    .select(shown.nft)
    .from(nfts)
    .where(inArray(nfts.id, ofItems(sql`${orderItems.nftId}`, at.ids))),
)
const listingsOf = prepared((db, at: Ids) =>
  db
    .select(shown.listing)
    .from(listings)
    .where(inArray(listings.id, ofItems(sql`${orderItems.listingId}`, at.ids))),
)

/**
 * The orders with these ids (digits), in their order. Throws `order_not_found`, naming the first
 * that is not there or not for this caller, and `unauthenticated`.
 */
export async function readOrders(
  db: Database,
  caller: Caller,
  orderIds: readonly string[],
): Promise<Order[]> {
  const ids = JSON.stringify(orderIds.map(Number))
  const [orderRows, buyerRows, itemRows, nftRows, listingRows] = await readAs(db, caller, [
    visibleOrders(db, { ids, callerId: caller.userId, isMaster: Number(caller.role === 'master') }),
    buyersOf(db, { ids }),
    itemsOf(db, { ids }),
    nftsOf(db, { ids }),
    listingsOf(db, { ids }),
  ])
  const [ordersById, buyers] = [byId(orderRows), byId(buyerRows)]
  const [nftsById, listingsById] = [byId(nftRows), byId(listingRows)]
  const items = Map.groupBy(itemRows, ({ orderId }) => orderId)
  return orderIds.map((digits) => {
    const order = ordersById.get(Number(digits))
    if (!order) throw new ApiError('order_not_found', `order ${digits} does not exist`)
    const its = items.get(order.id) ?? []
    return {
      ...order,
      failReason: its.find(({ failReason }) => failReason)?.failReason ?? null,
      updatedAt: latest([order, ...its]),
      buyer: buyerFor(caller, present(buyers, order.buyerId)),
      orderItems: its.map(({ failReason: _, ...item }) => ({
        ...item,
        nft: present(nftsById, item.nftId),
        listing: present(listingsById, item.listingId),
      })),
    }
  })
}

const latest = (rows: readonly { updatedAt: string }[]): string =>
  rows
    .map(({ updatedAt }) => updatedAt)
    .sort()
    .at(-1) ?? ''

/** What is private to a buyer, only the buyer and the master see. Decisions: "Who may do what". */
function buyerFor(caller: Caller, row: BuyerRow): Buyer {
  const buyer = { ...row, walletNonce: null }
  if (caller.role === 'master' || caller.userId === buyer.id) return buyer
  return {
    ...buyer,
    ipAddress: '',
    chatServiceId: null,
    paymentConnectId: null,
    payprovExternalId: null,
    onrampId: null,
  }
}
