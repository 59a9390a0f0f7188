/** Summaries of orders: what a shop compares with its books, without the NFT and the people. */
import { type RowOf, shownColumns } from '../db/columns.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { itemStatus } from '../delivery/model.ts'
import { deliveryColumns, failReason, shopColumns, toShopFields } from '../delivery/shown.ts'
import { SummaryItem, SummaryOrder } from './schema.ts'

/** The columns of an order, its item, its delivery, and the newest transaction of that. */
export const summaryColumns = {
  ...shownColumns(orders, SummaryOrder),
  orderItemId: orderItems.id,
  ...shopColumns,
  ...shownColumns(orderItems, SummaryItem),
  reasonCode: deliveryColumns.reasonCode,
  reasonDetail: deliveryColumns.reasonDetail,
  txId: deliveryColumns.txId,
  updatedAt: deliveryColumns.changedAt,
}

export type OrderSummary = ReturnType<typeof toSummary>

/** Returns the summary of a row that was selected. */
export function toSummary(selected: RowOf<typeof summaryColumns>) {
  const { publicUrl, state, version, reasonDetail, ...row } = selected
  const status = itemStatus(state, row.txId)
  return {
    ...row,
    ...toShopFields(row.id, selected),
    status,
    reasonCode: status === 'failed' ? row.reasonCode : null,
    failReason: failReason(selected),
  }
}
