/** Lists the orders that a caller may see. */
import * as z from 'zod'
import { readAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { itemStatuses } from '../db/schema/delivery.ts'
import { statesWith } from '../delivery/shown.ts'
import { invalidField } from '../http/errors.ts'
import { idText, instant, limitText, tokenNameText } from '../http/inputs.ts'
import { orderLimits } from '../http/limits.ts'
import { requirePrimary } from '../http/nearest.ts'
import type { Viewer } from './buyer.ts'
import { ProviderId } from './new-order.ts'
import type { Nft } from './nft.ts'
import { type Candidate, lists, valuesOf } from './page.ts'
import { buildOrders, type ReadCtx } from './read.ts'
import type { Order } from './schema.ts'
import { type OrderSummary, toSummary } from './summary.ts'

/** Where a page ended: an order or, if orders are sorted by change, an item and the time of its change. */
type Cursor = { id: number; at?: string | undefined }

const CursorText = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,14}(-\d{13})?$/, 'must be the `nextCursor` of a page')
  .transform((text): Cursor => {
    const [id = 0, at] = text.split('-').map(Number)
    return { id, at: at === undefined ? undefined : new Date(at).toISOString() }
  })

export const OrderQuery = z.object({
  limit: limitText(20).describe('Orders per page.'),
  cursor: CursorText.optional().describe('The `nextCursor` of the previous page.'),
  fields: z
    .literal('summary')
    .optional()
    .describe('`summary` returns a short row of each order, without its NFT and its buyer.'),
  providerId: ProviderId.optional().describe('Selects orders with this order number of the shop.'),
  source: tokenNameText.optional().describe('Selects orders that tokens of this name have placed.'),
  sellerId: idText.optional().describe('Selects orders of the seller with this user id.'),
  buyerUserId: idText.optional().describe('Selects orders of the buyer with this user id.'),
  deliveryStatus: z
    .enum(['pending', ...itemStatuses])
    .optional()
    .describe('Selects orders whose item has this status; `pending` stands for null.'),
  createdFrom: instant
    .optional()
    .describe('Selects orders that were placed at this time or later.'),
  createdTo: instant.optional().describe('Selects orders that were placed before this time.'),
  updatedFrom: instant
    .optional()
    .describe('Selects orders whose `updatedAt` is this time or later, the oldest change first.'),
})
type ListRequest = Omit<z.infer<typeof OrderQuery>, 'fields'>

const listByStatus = {
  pending: 'underWay',
  awaiting_wallet: 'awaitingWallet',
  transferring: 'underWay',
  transferred: 'all',
  failed: 'failed',
} as const

/** Returns the name of the list whose index has the fewest candidates for the filters. */
function chooseList({ role, scope, userId }: Viewer, filter: ListRequest): keyof typeof lists {
  const isMaster = role === 'master'
  // Users see nothing of others but what they bought from them, or sold to them.
  const isAllOf = (id: number | undefined) => (isMaster ? id !== undefined : id === userId)
  if (filter.providerId !== undefined) return 'providerId'
  if (filter.updatedFrom !== undefined) return 'updatedFrom'
  if (isAllOf(filter.buyerUserId)) return 'buyerUserId'
  if (isMaster && filter.source !== undefined) return 'source'
  if (isAllOf(filter.sellerId)) return 'sellerId'
  if (!isMaster) return 'own'
  const list = filter.deliveryStatus ? listByStatus[filter.deliveryStatus] : 'all'
  return list === 'all' && scope === 'orders' ? 'shop' : list
}

/**
 * Milliseconds. Ids grow with the time of writing, and `createdAt` is the time of the call: they
 * differ by less than this.
 */
const MARGIN = 60_000
/** Later times do not sort as text. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const shifted = (time: string | undefined, by: number) =>
  time && new Date(Math.min(Date.parse(time) + by, LAST)).toISOString()

/** Returns the list of a page, and the values of its statements. */
function choose(viewer: Viewer, request: ListRequest) {
  const { limit, cursor, deliveryStatus, ...filters } = request
  const name = chooseList(viewer, request)
  if (cursor && (cursor.at !== undefined) !== (name === 'updatedFrom'))
    throw invalidField('cursor', 'is of a list with other filters')
  const status = deliveryStatus && statesWith(deliveryStatus)
  const values = valuesOf(viewer, {
    ...filters,
    limit: limit + 1,
    before: cursor?.id,
    afterTime: cursor?.at ?? filters.updatedFrom,
    afterItem: cursor?.id,
    earliest: shifted(filters.createdFrom, -MARGIN),
    latest: shifted(filters.createdTo, MARGIN),
    states: status && JSON.stringify(status.states),
    isSent: status?.isSent,
  })
  const toCursor = ({ id, itemId, updatedAt }: Candidate) =>
    name === 'updatedFrom' ? `${itemId}-${Date.parse(updatedAt)}` : `${id}`
  /** Returns the rows of a page, and where the next one begins; null on the last page. */
  const toPage = <Row extends { candidate: Candidate }>(rows: readonly Row[]) => {
    const found = rows.filter(({ candidate }) => candidate.isMatch)
    const page = found.slice(0, limit)
    const isEnd = ({ candidate }: Row) => candidate.number === orderLimits.candidates.max
    const last = found.length > limit ? page.at(-1) : rows.find(isEnd)
    return { page, nextCursor: last ? toCursor(last.candidate) : null }
  }
  return { list: lists[name], values, toPage }
}

/** A replica may not have a new order, and the shop would place it again. */
function requireFound({ db }: ReadCtx, { providerId }: ListRequest, page: readonly unknown[]) {
  if (providerId !== undefined && page.length === 0) requirePrimary(db)
}

type OrderPage = { orders: Order[]; nextCursor: string | null }
type Rows = {
  orders: ReturnType<(typeof lists)['all']['orders']>['_']['result']
  nfts: readonly Nft[]
}
type SummaryRows = ReturnType<(typeof lists)['all']['summaries']>['_']['result']

/** Prepares a page: its statements, and what makes the page of their rows. */
export function preparePage(
  { db, viewer }: { db: Database; viewer: Viewer },
  request: ListRequest,
) {
  const { list, values, toPage } = choose(viewer, request)
  const statements = { orders: list.orders(db, values), nfts: list.nfts(db, values) }
  const summaries = list.summaries(db, values)
  const finish = ({ orders, nfts }: Rows): OrderPage => {
    const { page, nextCursor } = toPage(orders)
    return { orders: [...buildOrders(viewer, page, nfts).values()], nextCursor }
  }
  const finishSummaries = (rows: SummaryRows): OrderSummary[] =>
    toPage(rows).page.map(({ summary }) => toSummary(summary))
  return { statements, summaries, finish, finishSummaries }
}

/**
 * Returns a page of orders that the viewer may see, and where the next one begins; null on the last
 * page. Newest orders come first; with `updatedFrom` and without `providerId` the oldest changes. A
 * page may have fewer orders than `limit`, or none, before the last one: a call looks at a limited
 * number of orders.
 */
export async function listOrders(ctx: ReadCtx, request: ListRequest): Promise<OrderPage> {
  const { db, caller } = ctx
  const { statements, finish } = preparePage({ db, viewer: caller }, request)
  const page = finish(await readAs(db, caller, statements))
  requireFound(ctx, request, page.orders)
  return page
}

/** As `listOrders`, with summaries. */
export async function listSummaries(
  ctx: ReadCtx,
  request: ListRequest,
): Promise<{ orders: OrderSummary[]; nextCursor: string | null }> {
  const { db, caller } = ctx
  const { list, values, toPage } = choose(caller, request)
  const { summaries } = await readAs(db, caller, { summaries: list.summaries(db, values) })
  const { page, nextCursor } = toPage(summaries)
  requireFound(ctx, request, page)
  return { orders: page.map(({ summary }) => toSummary(summary)), nextCursor }
}
