/** What orders and order items show of deliveries. */

import { sql } from 'drizzle-orm'
import { nameOfSourceSql } from '../auth/sources.ts'
import type { RowOf } from '../db/columns.ts'
import { deliveries, deliveryStates, transactions } from '../db/schema/delivery.ts'
import { orders } from '../db/schema/orders.ts'
import { count, orNull, time } from '../http/fields.ts'
import { type OrderItemStatus, orderItemStatus, statusByState } from './model.ts'
import { describeReason } from './reasons.ts'

/**
 * Returns the states of the deliveries whose order items have a status, and whether a transaction was sent
 * (0 or 1); null if that makes no difference. `pending` stands for the status null.
 */
export function statesWith(status: OrderItemStatus | 'pending') {
  const isOpen = status === 'pending' || status === 'transferring'
  const shown = isOpen ? null : status
  const states = deliveryStates.filter((state) => statusByState[state] === shown)
  return { states, isSent: isOpen ? Number(status === 'transferring') : null }
}

/** Fields about the delivery of an order, as transfers and summaries have them. */
export const deliveryFields = {
  sequence: count(
    'At least the `sequence` of every event that led to this state, and lower than that of every ' +
      'later one.',
  ),
  cancelRequestedAt: orNull(
    time('Time at which the cancellation was requested first; null if it was not.'),
  ),
}

/** The columns of an order and its delivery that `toShopFields` needs. */
export const shopColumns = {
  providerId: orders.providerId,
  source: nameOfSourceSql(orders.source),
  custom: orders.custom,
  publicUrl: sql<string | null>`(SELECT publicUrl FROM instance)`,
  claimPath: sql<string>`${orders.claimPath}`,
  state: deliveries.state,
  version: deliveries.version,
  cancelRequestedAt: deliveries.cancelRequestedAt,
}
export type ShopRow = RowOf<typeof shopColumns>

/** Returns what summaries and transfers show alike of an order and its delivery. */
export function toShopFields(row: ShopRow) {
  const { providerId, source, custom, publicUrl, claimPath, state, version, cancelRequestedAt } =
    row
  return {
    providerId,
    source,
    custom,
    claimUrl: state === 'awaiting_wallet' && publicUrl ? publicUrl + claimPath : null,
    // As in the newest event of the delivery.
    sequence: version + 1,
    cancelRequestedAt,
  }
}

/** The columns of a delivery and its newest transaction, if there is any. */
export const deliveryColumns = {
  state: deliveries.state,
  requestedAction: deliveries.requestedAction,
  reasonDetail: deliveries.reasonDetail,
  reasonCode: deliveries.reasonCode,
  waitingSince: deliveries.waitingSince,
  queuedAt: deliveries.queuedAt,
  version: deliveries.version,
  /** Time of the last change. */
  changedAt: deliveries.updatedAt,
  /** The newest transaction; null before the first. */
  txId: sql<string | null>`${transactions.hash}`,
  /** Time when the newest transaction was signed. */
  sentAt: sql<string | null>`${transactions.createdAt}`,
}

/** A delivery, as `deliveryColumns` selects it. */
export type DeliveryDetails = Omit<RowOf<typeof deliveryColumns>, 'version'>

/** What orders show of a delivery. */
export type DeliveryRow = Pick<
  DeliveryDetails,
  'state' | 'reasonCode' | 'reasonDetail' | 'changedAt' | 'txId' | 'sentAt'
>

/** Returns why a delivery has failed; null unless it has. */
export const failReason = (
  delivery: Pick<DeliveryDetails, 'state' | 'reasonCode' | 'reasonDetail'>,
): string | null =>
  orderItemStatus(delivery.state, null) === 'failed' ? describeReason(delivery) : null
