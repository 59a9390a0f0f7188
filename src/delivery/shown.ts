/** What orders and order items show of deliveries. */
import { type SQL, sql } from 'drizzle-orm'
import type { SelectResultFields } from 'drizzle-orm/query-builders/select.types'
import {
  type DeliveryState,
  deliveries,
  type itemStatuses,
  transactions,
} from '../db/schema/delivery.ts'
import { describeReason } from './reasons.ts'

type ItemStatus = (typeof itemStatuses)[number]

/**
 * The status of an order item by the state of its delivery. Null means that it depends on whether a
 * transaction was sent: an item that is queued again after one stays `transferring`, unless that one
 * has expired.
 */
const statusByState: Record<DeliveryState, ItemStatus | null> = {
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

const cases = Object.entries(statusByState).flatMap(([state, status]) =>
  status ? [`WHEN '${state}' THEN '${status}'`] : [],
)

/** SQL of `itemStatus`, of the delivery `d`. */
export const itemStatusSql: SQL<ItemStatus | null> = sql`coalesce(
  CASE d.state ${sql.raw(cases.join(' '))} END, iif(d.transactionId IS NULL, NULL, 'transferring'))`

/** What summaries and transfers show of the order `o` and its delivery `d`. `custom` is JSON. */
export const shopColumns = {
  providerId: sql<string | null>`o.providerId`,
  source: sql<string>`substr(o.source, instr(o.source, ':') + 1)`,
  custom: sql<string | null>`o.custom`,
  claimUrl: sql<string | null>`iif(d.state = 'awaiting_wallet',
    (SELECT publicUrl || '/claim/' || o.id FROM instance), NULL)`,
  sequence: sql<number>`d.version + 1`,
  cancelRequestedAt: sql<string | null>`d.cancelRequestedAt`,
}

/** Returns the shop's own texts of a row with `shopColumns`. */
export const readCustom = ({ custom }: { custom: string | null }): Record<string, string> | null =>
  custom && JSON.parse(custom)

/** The columns to select of a delivery, with `transactions` joined. */
export const deliveryColumns = {
  state: deliveries.state,
  reasonDetail: deliveries.reasonDetail,
  reasonCode: deliveries.reasonCode,
  failingSince: deliveries.failingSince,
  queuedAt: deliveries.queuedAt,
  version: deliveries.version,
  /** Time of the last change. */
  changedAt: deliveries.updatedAt,
  /** The newest transaction; null before the first. */
  txId: sql<string | null>`${transactions.hash}`.as('txId'),
  /** Time when the newest transaction was signed. */
  sentAt: sql<string | null>`${transactions.createdAt}`.as('sentAt'),
}

/** A delivery, as `deliveryColumns` selects it. */
export type DeliveryDetails = Omit<SelectResultFields<typeof deliveryColumns>, 'version'>

/** What orders show of a delivery. */
export type DeliveryRow = Pick<
  DeliveryDetails,
  'state' | 'reasonCode' | 'reasonDetail' | 'changedAt' | 'txId' | 'sentAt'
>

/** Returns why a delivery has failed; null unless it has. */
export const failReason = (delivery: DeliveryRow): string | null =>
  itemStatus(delivery.state, null) === 'failed' ? describeReason(delivery) : null
