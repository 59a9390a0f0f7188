/** Reads orders with everything that they show. */
import { eq, sql } from 'drizzle-orm'
import { actsForAll, readAs } from '../../auth/access.ts'
import { parseNamespace } from '../../auth/sources.ts'
import { type Database, jsonValues } from '../../db/client.ts'
import { prefixed } from '../../db/columns.ts'
import { listings, nfts } from '../../db/schema/catalogue.ts'
import { deliveries, transactions } from '../../db/schema/delivery.ts'
import { orderItems, orders } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import { prepared } from '../../db/statements.ts'
import type { Ctx } from '../../http/context.ts'
import { ApiError, type Issue } from '../../http/errors.ts'
import { type Nft, type ReadNftRow, readNftColumns, withoutSecrets, withSecrets } from './nft.ts'
import { buildOrder, byId, requireRow, rowColumns, summaryColumns } from './order.ts'
import type { Order } from './schema.ts'
import {
  isVisibleSql,
  personOf,
  type Viewer,
  type ViewerValues,
  viewerValues,
  visibleBuyer,
} from './viewer.ts'

export function buildOrders(viewer: Viewer, rows: OrderRows, nfts: readonly ReadNftRow[]): Order[] {
  const nftsById = byId(nfts)
  return rows.map(({ buyer, ...row }) => ({
    ...buildOrder(viewer, {
      ...row,
      nft: visibleNft(viewer, row, requireRow(nftsById, row.orderItem.nftId)),
    }),
    buyer: visibleBuyer(viewer, buyer),
  }))
}

type Delivered = Pick<OrderRows[number], 'order' | 'delivery'>

/**
 * Whether what the delivery gives the buyer is shown: not before it is final, nor to those who did not get or
 * make it.
 */
export function isReleasedTo(
  viewer: Viewer,
  { order, delivery }: Delivered,
  { contentRelease, creatorId }: Pick<ReadNftRow, 'contentRelease' | 'creatorId'>,
): boolean {
  const person = personOf(viewer)
  const hasBought = person === order.buyerId && contentRelease !== 'holder'
  const mayKnow = actsForAll(viewer) || hasBought || person === creatorId
  return delivery.state === 'transferred' && mayKnow
}

function visibleNft(viewer: Viewer, row: Delivered, nft: ReadNftRow): Nft {
  if (isReleasedTo(viewer, row, nft)) return withSecrets(nft)
  const { heldBySeller, contentRelease, hasCodes, files, ...hidden } = nft
  return withoutSecrets(hidden)
}

export type OrderReadCtx = Pick<Ctx, 'db' | 'caller'>

type Ids = ViewerValues & { ids: string }

const idsOf = (viewer: Viewer, ids: readonly number[]): Ids => ({
  ...viewerValues(viewer),
  ids: JSON.stringify(ids),
})

const isReadSql = (values: Ids) =>
  sql`${orders.id} IN ${jsonValues(values.ids)} AND ${isVisibleSql(values)}`

const selectOrders = prepared((db, values: Ids) =>
  db
    .select(rowColumns)
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .innerJoin(listings, eq(listings.id, orderItems.listingId))
    .innerJoin(users, eq(users.id, orders.buyerId))
    .where(isReadSql(values)),
)
export type OrderRows = ReturnType<typeof selectOrders>['_']['result']

/** The NFTs of all these orders. Those of orders that the viewer may not see are not used. */
const selectNfts = prepared((db, { ids }: { ids: string }) =>
  db
    .select(readNftColumns)
    .from(nfts)
    .where(sql`${nfts.id} IN (SELECT nftId FROM orderItems WHERE orderId IN ${jsonValues(ids)})`),
)

const selectSummaries = prepared((db, values: Ids) =>
  db
    .select({ summary: prefixed('summary', summaryColumns) })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .leftJoin(transactions, eq(transactions.id, deliveries.transactionId))
    .where(isReadSql(values)),
)

/** Selects those orders with these ids that the viewer may see, with all that they show. */
export function selectByIds(db: Database, viewer: Viewer, ids: readonly number[]) {
  const values = idsOf(viewer, ids)
  return { orders: selectOrders(db, values), nfts: selectNfts(db, values) }
}

export const selectSummary = (db: Database, viewer: Viewer, id: number) =>
  selectSummaries(db, idsOf(viewer, [id]))

/**
 * Returns the orders with these ids (digits), in the given order, each once, and of one order
 * what headers tell (`state`), as summaries and events do.
 */
export async function readOrders({ db, caller }: OrderReadCtx, orderIds: readonly string[]) {
  const statements = selectByIds(db, caller, orderIds.map(Number))
  const rows = await readAs(db, caller, statements)
  const found = byId(buildOrders(caller, rows.orders, rows.nfts))
  requireAll(orderIds, found)
  const orders = [...new Set(orderIds)].map((digits) => requireRow(found, Number(digits)))
  const [row] = rows.orders
  if (!row || orders.length > 1) return { orders, state: null }
  const { delivery, shop } = row
  return {
    orders,
    state: { sequence: delivery.version + 1, tokenName: parseNamespace(shop.namespace).name },
  }
}

/**
 * Throws `order_not_found` with an issue for each id that has no order to show. After a replica has
 * answered, the primary is asked then (`http/nearest.ts`).
 */
function requireAll(orderIds: readonly string[], found: ReadonlyMap<number, unknown>): void {
  const issues = orderIds.flatMap((digits, i): Issue[] => {
    const message = `order ${digits} does not exist`
    return found.has(Number(digits))
      ? []
      : [{ path: `order_ids[${i}]`, code: 'order_not_found', message }]
  })
  if (issues[0]) throw new ApiError('order_not_found', issues[0].message, {}, issues)
}
