import type { DeliveryState, itemStatuses } from '../db/schema/delivery.ts'

export type ItemStatus = (typeof itemStatuses)[number]

/**
 * The status of an order item by the state of its delivery. Null means that it depends on whether a
 * transaction was sent: an item that is queued again after one stays `transferring`, unless that one
 * has expired.
 */
export const statusByState: Record<DeliveryState, ItemStatus | null> = {
  awaiting_wallet: 'awaiting_wallet',
  queued: null,
  in_flight: null,
  transferred: 'transferred',
  failed: 'failed',
  cancelled: 'failed',
  written_off: 'failed',
}

/** Returns the status of an order item. `txId` is null before the first transaction. */
export const itemStatus = (state: DeliveryState, txId: string | null): ItemStatus | null =>
  statusByState[state] ?? (txId === null ? null : 'transferring')
