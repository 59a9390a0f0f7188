/** What an order shows of the transfers of its items. Decisions: "Orders", `status`. */
import { sql } from 'drizzle-orm'
import { transfers } from '../db/schema.ts'

export const itemStatuses = ['awaiting_wallet', 'transferring', 'transferred', 'failed'] as const
export type ItemStatus = (typeof itemStatuses)[number]

const { status, reason, txId, updatedAt } = transfers

/** Of the order item; `failReason` is for its order. */
export type Shown = {
  status: ItemStatus | null
  txId: string | null
  failReason: string | null
  updatedAt: string
}

/** What to select for it. */
export const shownOfTransfer = {
  status: sql<ItemStatus | null>`CASE WHEN ${status} IN ('signed', 'sent', 'mined', 'review')
    THEN 'transferring' WHEN ${status} <> 'queued' THEN ${status} END`.as('status'),
  txId,
  failReason: sql<string | null>`iif(${status} = 'failed', ${reason}, NULL)`.as('failReason'),
  updatedAt,
}
