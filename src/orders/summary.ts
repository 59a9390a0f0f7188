/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import type { deliveries } from '../db/schema/delivery.ts'
import type { orderItems, orders } from '../db/schema/orders.ts'
import { failReason, itemStatus, type ShopRow, toShopFields } from '../delivery/shown.ts'

type SummaryRow = ShopRow &
  Pick<typeof orders.$inferSelect, 'id' | 'buyerId' | 'totalPriceCents' | 'totalPriceEth'> &
  Pick<typeof orderItems.$inferSelect, 'nftId' | 'listingId' | 'quantity' | 'sellerId'> &
  Pick<typeof orderItems.$inferSelect, 'priceCents' | 'priceCurrency'> &
  Pick<typeof deliveries.$inferSelect, 'reasonCode' | 'reason' | 'updatedAt'> & {
    orderItemId: number
    txId: string | null
    createdAt: string
  }
export type OrderSummary = ReturnType<typeof toSummary>

/** Selects the summaries of orders. `ids` is a statement that selects their ids. */
const summarySql = (ids: SQL) => sql`
  SELECT o.id, i.id AS orderItemId, o.providerId, substr(o.source, instr(o.source, ':') + 1) AS source,
    o.custom, (SELECT publicUrl FROM instance) AS publicUrl, d.version, d.cancelRequestedAt,
    i.nftId, i.listingId, i.quantity, i.priceCents, i.priceCurrency, o.totalPriceCents,
    o.totalPriceEth, o.buyerId, i.sellerId, d.state, d.reasonCode, d.reason, t.hash AS txId,
    o.createdAt, d.updatedAt
  FROM orders o JOIN orderItems i ON i.orderId = o.id JOIN deliveries d ON d.id = i.id
    LEFT JOIN transactions t ON t.id = d.transactionId
  WHERE o.id IN (${ids})`

/** Selects summaries. `ids` is a statement that selects the ids of the orders. */
export const selectSummaries = (db: Database, ids: SQL) => db.all<SummaryRow>(summarySql(ids))

/** Selects the summary of an order. */
export const selectSummary = (db: Database, id: number) =>
  raw<SummaryRow>(db, summarySql(sql`${id}`))

/** Returns the summary of a row that was selected. */
export function toSummary({ publicUrl, state, version, reason, ...row }: SummaryRow) {
  const status = itemStatus(state, row.txId)
  return {
    ...row,
    ...toShopFields(row.id, { ...row, publicUrl, state, version }),
    status,
    reasonCode: status === 'failed' ? row.reasonCode : null,
    failReason: failReason({ state, reason }),
  }
}
