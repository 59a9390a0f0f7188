/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import { eq, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import { named, type RowOf } from '../db/columns.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import {
  deliveryColumns,
  failReason,
  itemStatus,
  shopColumns,
  toShopFields,
} from '../delivery/shown.ts'

const columns = {
  id: orders.id,
  buyerId: orders.buyerId,
  totalPriceCents: orders.totalPriceCents,
  totalPriceEth: orders.totalPriceEth,
  createdAt: orders.createdAt,
  orderItemId: orderItems.id,
  nftId: orderItems.nftId,
  listingId: orderItems.listingId,
  quantity: orderItems.quantity,
  priceCents: orderItems.priceCents,
  priceCurrency: orderItems.priceCurrency,
  sellerId: orderItems.sellerId,
  ...shopColumns,
  ...deliveryColumns,
}

type SummaryRow = { order: RowOf<typeof columns> }
export type OrderSummary = ReturnType<typeof toSummary>

/** Selects the summaries of orders. `ids` is a statement that selects their ids. */
export const selectSummaries = (db: Database, ids: SQL) =>
  db
    .select({ order: named('order', columns) })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .where(sql`${orders.id} IN (${ids})`)

/** Returns the summary of a row that was selected. */
export function toSummary({ order }: SummaryRow) {
  const { id, orderItemId, nftId, listingId, quantity, priceCents, priceCurrency } = order
  const { totalPriceCents, totalPriceEth, buyerId, sellerId, txId, createdAt } = order
  const status = itemStatus(order.state, txId)
  return {
    id,
    orderItemId,
    ...toShopFields(id, order),
    nftId,
    listingId,
    quantity,
    priceCents,
    priceCurrency,
    totalPriceCents,
    totalPriceEth,
    buyerId,
    sellerId,
    status,
    reasonCode: status === 'failed' ? order.reasonCode : null,
    failReason: failReason(order),
    txId,
    createdAt,
    updatedAt: order.changedAt,
  }
}
