import { and, eq, exists, inArray, or, sql } from 'drizzle-orm'
import { type Database, each, named } from '../db/client.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { listings, nfts, orderItems, orders, transfers, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { readAs } from '../identity/caller.ts'
import { shownOfTransfer } from '../transfers/shown.ts'
import { type Buyer, type BuyerRow, type Order, shown } from './answer.ts'
import { byId, present } from './rows.ts'

/**
 * The items, one a row with all that it belongs to, of those orders that the caller may see: as
 * master, as the buyer, or as a seller. D1 has no row of more than 100 columns, nor a function of
 * more than 32 arguments, so the buyers are another statement.
 */
const visibleItems = prepared(
  (db, at: Placeholders<{ ids: string; callerId: number; isMaster: number }>) => {
    const sold = db
      .select({ orderId: orderItems.orderId })
      .from(orderItems)
      .innerJoin(listings, eq(listings.id, orderItems.listingId))
      .where(and(eq(orderItems.orderId, orders.id), eq(listings.sellerId, at.callerId)))
    return db
      .select({
        order: named('o', shown.order),
        item: { ...named('i', shown.orderItem), ...shownOfTransfer },
        nft: named('n', shown.nft),
        listing: named('l', shown.listing),
      })
      .from(orders)
      .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
      .innerJoin(transfers, eq(transfers.id, orderItems.id))
      .innerJoin(nfts, eq(nfts.id, orderItems.nftId))
      .innerJoin(listings, eq(listings.id, orderItems.listingId))
      .where(
        and(
          inArray(orders.id, each(at.ids)),
          or(sql`${at.isMaster} = 1`, eq(orders.buyerId, at.callerId), exists(sold)),
        ),
      )
      .orderBy(orderItems.id)
  },
)

const buyersOf = prepared((db, at: Placeholders<{ ids: string }>) => {
  const buyers = db
    .select({ id: orders.buyerId })
    .from(orders)
    .where(inArray(orders.id, each(at.ids)))
  return db.select(shown.buyer).from(users).where(inArray(users.id, buyers))
})

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
  const [itemRows, buyerRows] = await readAs(db, caller, [
    visibleItems(db, { ids, callerId: caller.userId, isMaster: Number(caller.role === 'master') }),
    buyersOf(db, { ids }),
  ])
  const buyers = byId(buyerRows)
  const itemsOf = Map.groupBy(itemRows, ({ order }) => order.id)
  return orderIds.map((digits) => {
    const items = itemsOf.get(Number(digits))
    const [first] = items ?? []
    if (!items || !first) throw new ApiError('order_not_found', `order ${digits} does not exist`)
    return {
      ...first.order,
      failReason: items.find(({ item }) => item.failReason)?.item.failReason ?? null,
      updatedAt: latest([first.order, ...items.map(({ item }) => item)]),
      buyer: buyerFor(caller, present(buyers, first.order.buyerId)),
      orderItems: items.map(({ item: { failReason: _, ...item }, nft, listing }) => ({
        ...item,
        nft,
        listing,
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
