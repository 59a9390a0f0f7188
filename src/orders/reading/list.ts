/** Lists the orders that a caller may see. */
import { readAs } from '../../auth/access.ts'
import { cutPage } from '../../db/candidates.ts'
import type { Database } from '../../db/client.ts'
import { requirePrimary } from '../../http/nearest.ts'
import { type CandidateOrder, type ListRows, lists, type SummaryRows } from './candidates.ts'
import type { ReadNftRow } from './nft.ts'
import { type SummarizedOrder, toSummary } from './order.ts'
import { buildOrders, type OrderReadCtx } from './read.ts'
import { isByChange, type ListRequest, listValues } from './request.ts'
import type { Order } from './schema.ts'
import type { Viewer } from './viewer.ts'

const listByStatus = {
  pending: 'underWay',
  awaiting_wallet: 'awaitingWallet',
  transferring: 'underWay',
  transferred: 'all',
  failed: 'failed',
} as const

/**
 * Returns the name of the first list whose index fits the filters. The order is fixed; no rows are
 * counted. That by change comes early, because only it has the order of changes.
 */
function chooseList({ role, scope, userId }: Viewer, filter: ListRequest): keyof typeof lists {
  const isMaster = role === 'master'
  // Users see nothing of others but what they bought from them, or sold to them.
  const isAllOf = (id: number | undefined) => (isMaster ? id !== undefined : id === userId)
  if (filter.providerId !== undefined) return 'providerId'
  if (isByChange(filter)) return 'updatedFrom'
  if (isAllOf(filter.buyerUserId)) return 'buyerUserId'
  if (isMaster && filter.source !== undefined) return 'source'
  if (isAllOf(filter.sellerId)) return 'sellerId'
  if (!isMaster) return 'own'
  const list = filter.deliveryStatus ? listByStatus[filter.deliveryStatus] : 'all'
  return list === 'all' && scope === 'orders' ? 'shop' : list
}

/** Selects a page of orders, for `toPage`. */
export function selectPage(db: Database, viewer: Viewer, request: ListRequest) {
  const list = lists[chooseList(viewer, request)]
  const values = listValues(viewer, request)
  return { orders: list.orders(db, values), nfts: list.nfts(db, values) }
}

/** Selects a page of summaries, for `toSummaryPage`. */
export const selectSummaries = (db: Database, viewer: Viewer, request: ListRequest) =>
  lists[chooseList(viewer, request)].summaries(db, listValues(viewer, request))

/** Returns where the page after a candidate begins; null without one. */
function toCursor(last: CandidateOrder | undefined, request: ListRequest): string | null {
  if (!last) return null
  return isByChange(request) ? `${last.deliveryId}-${Date.parse(last.updatedAt)}` : `${last.id}`
}

type Page<T> = { orders: T[]; nextCursor: string | null }

export function toPage(
  viewer: Viewer,
  request: ListRequest,
  { orders, nfts }: { orders: ListRows; nfts: readonly ReadNftRow[] },
): Page<Order> {
  const { page, last } = cutPage(orders, request.limit)
  return { orders: buildOrders(viewer, page, nfts), nextCursor: toCursor(last, request) }
}

export function toSummaryPage(request: ListRequest, rows: SummaryRows): Page<SummarizedOrder> {
  const { page, last } = cutPage(rows, request.limit)
  const orders = page.map(({ summary }) => toSummary(summary))
  return { orders, nextCursor: toCursor(last, request) }
}

/** A replica may not have a new order, and the shop would place it again. */
function requireFound({ db }: OrderReadCtx, { providerId }: ListRequest, page: readonly unknown[]) {
  if (providerId !== undefined && page.length === 0) requirePrimary(db)
}

/**
 * Returns a page of orders that the viewer may see, and where the next one begins; null on the last
 * page. Newest orders come first; with `updatedFrom` and without `providerId` the oldest changes. A
 * page may have fewer orders than `limit`, or none, before the last one: a call looks at a limited
 * number of orders.
 */
export async function listOrders(ctx: OrderReadCtx, request: ListRequest): Promise<Page<Order>> {
  const { db, caller } = ctx
  const page = toPage(caller, request, await readAs(db, caller, selectPage(db, caller, request)))
  requireFound(ctx, request, page.orders)
  return page
}

export async function listSummaries(ctx: OrderReadCtx, request: ListRequest) {
  const { db, caller } = ctx
  const { rows } = await readAs(db, caller, { rows: selectSummaries(db, caller, request) })
  const page = toSummaryPage(request, rows)
  requireFound(ctx, request, page.orders)
  return page
}
