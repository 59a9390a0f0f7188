/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from '../db/client.ts'
import { type NamedRow, namedColumns } from '../db/columns.ts'
import type { ReasonCode } from '../db/schema/delivery.ts'
import { describeReason } from '../delivery/reasons.ts'
import { itemStatusSql, readCustom, shopColumns } from '../delivery/shown.ts'

const ifFailed = <T>(column: SQL<T>) =>
  sql<T | null>`iif(${itemStatusSql} = 'failed', ${column}, NULL)`

/** Of the order `o`, its item `i` and its delivery `d`. `custom` is JSON. */
export const summaryColumns = {
  id: sql<number>`o.id`,
  orderItemId: sql<number>`i.id`,
  ...shopColumns,
  nftId: sql<number>`i.nftId`,
  listingId: sql<number>`i.listingId`,
  quantity: sql<number>`i.quantity`,
  priceCents: sql<number>`i.priceCents`,
  priceCurrency: sql<string>`i.priceCurrency`,
  totalPriceCents: sql<number>`o.totalPriceCents`,
  totalPriceEth: sql<string>`o.totalPriceEth`,
  buyerId: sql<number>`o.buyerId`,
  sellerId: sql<number>`i.sellerId`,
  status: itemStatusSql,
  reasonCode: ifFailed(sql<ReasonCode | null>`d.reasonCode`),
  reasonDetail: ifFailed(sql<string | null>`d.reasonDetail`),
  txId: sql<string | null>`(SELECT hash FROM transactions WHERE id = d.transactionId)`,
  createdAt: sql<string>`o.createdAt`,
  updatedAt: sql<string>`d.updatedAt`,
}

export type SummaryRow = NamedRow<typeof summaryColumns>
export type OrderSummary = ReturnType<typeof toSummary>

/** Returns the summary of a row that was selected. */
export const toSummary = ({ reasonDetail, ...row }: SummaryRow) => ({
  ...row,
  custom: readCustom(row),
  failReason: describeReason({ ...row, reasonDetail }),
})

/** Selects the summary of an order. */
export const selectSummary = (db: Database, id: number) =>
  raw<SummaryRow>(
    db,
    sql`SELECT ${namedColumns(summaryColumns)} FROM orders o JOIN orderItems i ON i.orderId = o.id
      JOIN deliveries d ON d.id = i.id WHERE o.id = ${id}`,
  )
