import { and, eq, exists, inArray, or, sql } from 'drizzle-orm'
import { type Database, each } from '../db/client.ts'
import { packed } from '../db/packed.ts'
import type { Placeholders } from '../db/prepared.ts'
import { listings, nfts, orderItems, orders, transfers, users } from '../db/schema.ts'
import type { Caller } from '../http/context.ts'
import { ApiError } from '../http/errors.ts'
import { preparedAs, readAs } from '../identity/caller.ts'
import { type Shown, shownOfTransfer } from '../transfers/shown.ts'
import { type Buyer, type BuyerRow, type Order, shown } from './answer.ts'

const order = packed('order', shown.order)
const buyer = packed('buyer', shown.buyer)
const item = packed('item', shown.orderItem)
const nft = packed('nft', shown.nft)
const listing = packed('listing', shown.listing)

type Asked = { ids: string; callerId: number; isMaster: number }

/**
 * The items, one a row with all that it belongs to, of those orders that the caller may see: as
 * master, as the buyer, or as a seller. One row of nulls when there are none.
 */
const visibleItems = preparedAs(
  (db, live, at: Placeholders<Asked>) => {
    const sold = db
      .select({ orderId: orderItems.orderId })
      .from(orderItems)
      .innerJoin(listings, eq(listings.id, orderItems.listingId))
      .where(and(eq(orderItems.orderId, orders.id), eq(listings.sellerId, at.callerId)))
    const isVisible = or(sql`${at.isMaster} = 1`, eq(orders.buyerId, at.callerId), exists(sold))
    return db
      .select({
        ...order.selection,
        ...buyer.selection,
        ...item.selection,
        ...nft.selection,
        ...listing.selection,
        ...shownOfTransfer,
      })
      .from(live)
      .leftJoin(orders, and(inArray(orders.id, each(at.ids)), isVisible))
      .leftJoin(users, eq(users.id, orders.buyerId))
      .leftJoin(orderItems, eq(orderItems.orderId, orders.id))
      .leftJoin(transfers, eq(transfers.id, orderItems.id))
      .leftJoin(nfts, eq(nfts.id, orderItems.nftId))
      .leftJoin(listings, eq(listings.id, orderItems.listingId))
      .orderBy(orderItems.id)
  },
  (row) => {
    const found = order.orNull(row)
    if (!found) return null
    const { status, txId, failReason, updatedAt } = row as Shown
    return {
      order: found,
      buyer: buyer.of(row),
      failReason,
      item: {
        ...item.of(row),
        status,
        txId,
        updatedAt,
        nft: nft.of(row),
        listing: listing.of(row),
      },
    }
  },
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
  const asked = { ids, callerId: caller.userId, isMaster: Number(caller.role === 'master') }
  const [rows] = await readAs(db, [visibleItems(db, caller, asked)])
  const itemsOf = Map.groupBy(
    rows.flatMap((row) => row ?? []),
    ({ order }) => order.id,
  )
  return orderIds.map((digits) => {
    const items = itemsOf.get(Number(digits))
    const [first] = items ?? []
    if (!items || !first) throw new ApiError('order_not_found', `order ${digits} does not exist`)
    return {
      ...first.order,
      failReason: items.find(({ failReason }) => failReason)?.failReason ?? null,
      updatedAt: latest([first.order, ...items.map(({ item }) => item)]),
      buyer: buyerFor(caller, first.buyer),
      orderItems: items.map(({ item }) => item),
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
