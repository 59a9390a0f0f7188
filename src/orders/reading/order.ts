/** Builds an order, or its summary, from its rows: for placing, reading and listing, and for pages. */
import { actsForAll } from '../../auth/access.ts'
import { prefixed, type RowOf, shownColumns } from '../../db/columns.ts'
import { orderItems, orders } from '../../db/schema/orders.ts'
import { orderItemStatus } from '../../delivery/model.ts'
import {
  type DeliveryRow,
  deliveryColumns,
  failReason,
  shopColumns,
  toShopFields,
} from '../../delivery/shown.ts'
import { type ListingRow, listingColumns, type Nft, toOrderedListing } from './nft.ts'
import {
  OrderFields,
  OrderItemFields,
  type PlacedOrder,
  SummaryOrder,
  SummaryOrderItem,
} from './schema.ts'
import { buyerColumns, type Viewer } from './viewer.ts'

/** What every order shows alike: the shop has the payment. */
const orderConstants = {
  paymentMethod: 'external',
  provider: 'external',
  payprovStxTransactionId: null,
  payprovPciTransactionId: null,
  status: 'paid',
  feesCollectedAt: null,
  ProductType: 'nft',
} as const
const orderItemConstants = { paymentProvider: 'external', ProductType: 'nft' } as const

export const orderColumns = shownColumns(orders, OrderFields)
export const orderItemColumns = shownColumns(orderItems, OrderItemFields)

export type OrderRow = RowOf<typeof orderColumns>
export type OrderItemRow = RowOf<typeof orderItemColumns>

/** What an order is built from. It has one order item. */
type Rows = {
  order: OrderRow
  orderItem: OrderItemRow
  delivery: DeliveryRow
  /** As the viewer may see it. */
  nft: Nft
  listing: ListingRow
}

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Returns an order as `viewer` may see it, without its buyer. */
export function buildOrder(
  viewer: Viewer,
  { order, orderItem, delivery, nft, listing }: Rows,
): PlacedOrder {
  return {
    ...order,
    ...orderConstants,
    payprovWebhookToken: actsForAll(viewer) ? order.payprovWebhookToken : NIL_UUID,
    failReason: failReason(delivery),
    updatedAt: delivery.changedAt,
    orderItems: [
      {
        ...orderItem,
        ...orderItemConstants,
        createdAt: order.createdAt,
        status: orderItemStatus(delivery.state, delivery.txId),
        txId: delivery.txId,
        updatedAt: delivery.changedAt,
        nft,
        listing: toOrderedListing(listing),
      },
    ],
  }
}

export const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))

export function requireRow<Key, Row>(rows: ReadonlyMap<Key, Row>, key: Key): Row {
  const row = rows.get(key)
  if (!row) throw new Error(`there is no row ${key}`)
  return row
}

/** What an order shows, but its NFT: D1 limits a result to 100 columns. */
export const rowColumns = {
  order: prefixed('order', orderColumns),
  /** What the shop has stored with it, which orders of answers do not show. */
  shop: prefixed('shop', { namespace: orders.namespace, paid: orders.paid }),
  orderItem: prefixed('orderItem', orderItemColumns),
  delivery: prefixed('delivery', deliveryColumns),
  listing: prefixed('listing', listingColumns),
  buyer: prefixed('buyer', buyerColumns),
}

/** What the summary of an order shows, which a shop compares with its books: no NFT and no people. */
export const summaryColumns = {
  ...shownColumns(orders, SummaryOrder),
  orderItemId: orderItems.id,
  ...shopColumns,
  ...shownColumns(orderItems, SummaryOrderItem),
  reasonCode: deliveryColumns.reasonCode,
  reasonDetail: deliveryColumns.reasonDetail,
  txId: deliveryColumns.txId,
  updatedAt: deliveryColumns.changedAt,
}

export type SummarizedOrder = ReturnType<typeof toSummary>

export function toSummary(selected: RowOf<typeof summaryColumns>) {
  const { publicUrl, claimPath, state, version, reasonDetail, ...row } = selected
  const status = orderItemStatus(state, row.txId)
  return {
    ...row,
    ...toShopFields(selected),
    status,
    reasonCode: status === 'failed' ? row.reasonCode : null,
    failReason: failReason(selected),
  }
}
