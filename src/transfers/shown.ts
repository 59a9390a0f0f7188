/** The fields of orders and order items that come from transfers. */
import { sql } from 'drizzle-orm'
import { transfers } from '../db/schema.ts'

export const itemStatuses = ['awaiting_wallet', 'transferring', 'transferred', 'failed'] as const
type ItemStatus = (typeof itemStatuses)[number]

const { status, reason, txId, updatedAt } = transfers

/** The columns to select. `failReason` is for the order, the others are for its item. */
export const shownOfTransfer = {
  status: sql<ItemStatus | null>`CASE WHEN ${status} IN ('signed', 'sent', 'mined', 'review')
    THEN 'transferring' WHEN ${status} <> 'queued' THEN ${status} END`.as('status'),
  txId,
  failReason: sql<string | null>`iif(${status} = 'failed', ${reason}, NULL)`.as('failReason'),
  updatedAt,
}
