/** The fields of orders and order items that come from deliveries. */
import { sql } from 'drizzle-orm'
import { deliveries, transactions } from '../db/schema/delivery.ts'

export const itemStatuses = ['awaiting_wallet', 'transferring', 'transferred', 'failed'] as const
type ItemStatus = (typeof itemStatuses)[number]

const { state, reason, transactionId, updatedAt } = deliveries

/** An item that is queued again after a transaction stays `transferring`. Null before the first. */
export const shownStatus = sql<ItemStatus | null>`CASE
    WHEN ${state} NOT IN ('queued', 'in_flight') THEN ${state}
    WHEN ${transactionId} IS NOT NULL THEN 'transferring' END`

/**
 * The columns to select, with `transactions` joined. `failReason` is for the order, the others are
 * for its item.
 */
export const shownOfDelivery = {
  status: shownStatus.as('status'),
  txId: sql<string | null>`${transactions.hash}`.as('txId'),
  failReason: sql<string | null>`iif(${state} = 'failed', ${reason}, NULL)`.as('failReason'),
  updatedAt,
}
