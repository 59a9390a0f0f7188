/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import { type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
import { type Database, raw } from '../db/client.ts'
import { namedColumns } from '../db/columns.ts'
import { reasonCodes } from '../db/schema/delivery.ts'
import { itemStatusSql, shopColumns } from '../delivery/shown.ts'
import { deliveryFields, docs, id, orNull, shopFields } from '../http/fields.ts'
import { OrderFields, OrderItemFields } from './schema.ts'

const { id: orderId, buyerId, totalPriceCents, totalPriceEth, failReason } = OrderFields.shape
const { nftId, listingId, quantity, priceCents, priceCurrency } = OrderItemFields.shape
const { status, txId, createdAt, updatedAt } = OrderItemFields.shape

export const OrderSummary = z
  .object({
    id: orderId,
    orderItemId: id(docs('Id of its item.')),
    ...shopFields,
    ...{ nftId, listingId, quantity, priceCents, priceCurrency, totalPriceCents, totalPriceEth },
    buyerId,
    sellerId: id(docs('User id of the seller.')),
    status,
    reasonCode: orNull(
      z.enum(reasonCodes).describe(docs('Why the item is `failed`, for programs. Otherwise null.')),
    ),
    failReason,
    txId,
    ...deliveryFields,
    ...{ createdAt, updatedAt },
  })
  .meta({ id: 'OrderSummary', description: docs('An order with its item and delivery, in short.') })
export type OrderSummary = z.infer<typeof OrderSummary>

const ifFailed = (column: SQL) => sql`iif(${itemStatusSql} = 'failed', ${column}, NULL)`

/** Of the order `o`, its item `i` and its delivery `d`. `custom` is JSON. */
export const summaryColumns: Record<keyof OrderSummary, SQL> = {
  id: sql`o.id`,
  orderItemId: sql`i.id`,
  ...shopColumns,
  nftId: sql`i.nftId`,
  listingId: sql`i.listingId`,
  quantity: sql`i.quantity`,
  priceCents: sql`i.priceCents`,
  priceCurrency: sql`i.priceCurrency`,
  totalPriceCents: sql`o.totalPriceCents`,
  totalPriceEth: sql`o.totalPriceEth`,
  buyerId: sql`o.buyerId`,
  sellerId: sql`i.sellerId`,
  status: itemStatusSql,
  reasonCode: ifFailed(sql`d.reasonCode`),
  failReason: ifFailed(sql`d.reason`),
  txId: sql`(SELECT hash FROM transactions WHERE id = d.transactionId)`,
  createdAt: sql`o.createdAt`,
  updatedAt: sql`d.updatedAt`,
}

export type SummaryRow = Omit<OrderSummary, 'custom'> & { custom: string | null }

/** Returns the summary of a row that was selected. */
export const toSummary = (row: SummaryRow): OrderSummary => ({
  ...row,
  custom: row.custom && JSON.parse(row.custom),
})

/** Selects the summary of an order. */
export const selectSummary = (db: Database, id: number) =>
  raw<SummaryRow>(
    db,
    sql`SELECT ${namedColumns(summaryColumns)} FROM orders o JOIN orderItems i ON i.orderId = o.id
      JOIN deliveries d ON d.id = i.id WHERE o.id = ${id}`,
  )
