/** Builds an order from its rows: for placing, reading and listing orders, and for pages. */
import { actsForAll } from '../auth/access.ts'
import { type RowOf, shownColumns } from '../db/columns.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { itemStatus } from '../delivery/model.ts'
import { type DeliveryRow, failReason } from '../delivery/shown.ts'
import { personOf, type Viewer } from './buyer.ts'
import { type Listing, type Nft, withoutSecrets } from './nft.ts'
import { OrderFields, OrderItemFields, type PlacedOrder } from './schema.ts'

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
const itemConstants = { paymentProvider: 'external', ProductType: 'nft' } as const

export const orderColumns = shownColumns(orders, OrderFields)
export const itemColumns = shownColumns(orderItems, OrderItemFields)

export type OrderRow = RowOf<typeof orderColumns>
export type ItemRow = RowOf<typeof itemColumns> & { delivery: DeliveryRow }

/** What the items of orders have sold, by id. */
export type SoldRows = { nfts: ReadonlyMap<number, Nft>; listings: ReadonlyMap<number, Listing> }

const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** Returns an order as `viewer` may see it, without its buyer. */
export function buildOrder(
  viewer: Viewer,
  { order, items, sold }: { order: OrderRow; items: readonly ItemRow[]; sold: SoldRows },
): PlacedOrder {
  const reasons = items.map(({ delivery }) => failReason(delivery))
  const changes = items.map(({ delivery }) => delivery.changedAt)
  return {
    ...order,
    ...orderConstants,
    payprovWebhookToken: actsForAll(viewer) ? order.payprovWebhookToken : NIL_UUID,
    failReason: reasons.find((reason) => reason !== null) ?? null,
    updatedAt: changes.sort().at(-1) ?? order.createdAt,
    orderItems: items.map(({ delivery, ...item }) => ({
      ...item,
      ...itemConstants,
      createdAt: order.createdAt,
      status: itemStatus(delivery.state, delivery.txId),
      txId: delivery.txId,
      updatedAt: delivery.changedAt,
      nft: visibleNft(viewer, order, delivery, requireRow(sold.nfts, item.nftId)),
      listing: requireRow(sold.listings, item.listingId),
    })),
  }
}

/** Hides what the delivery gives the buyer, until it is final, and from all who did not get or make it. */
function visibleNft(viewer: Viewer, { buyerId }: OrderRow, { state }: DeliveryRow, nft: Nft): Nft {
  const person = personOf(viewer)
  const mayKnow = actsForAll(viewer) || person === buyerId || person === nft.creatorId
  return state === 'transferred' && mayKnow ? nft : withoutSecrets(nft)
}

/** Returns a map of rows by their ids. */
export const byId = <Row extends { id: number }>(rows: readonly Row[]): Map<number, Row> =>
  new Map(rows.map((row) => [row.id, row]))

/** Returns the row with this key. Throws if there is none. */
export function requireRow<Key, Row>(rows: ReadonlyMap<Key, Row>, key: Key): Row {
  const row = rows.get(key)
  if (!row) throw new Error(`there is no row ${key}`)
  return row
}
