/** Lists the orders that a caller may see. */
import * as z from 'zod'
import { readAs } from '../auth/access.ts'
import type { Database } from '../db/client.ts'
import { itemStatuses } from '../db/schema/delivery.ts'
import { invalidField } from '../http/errors.ts'
import { idText, instant, limitText, tokenNameText } from '../http/inputs.ts'
import { requirePrimary } from '../http/nearest.ts'
import type { Viewer } from './buyer.ts'
import { lists, type PageRow } from './candidates.ts'
import { ProviderId } from './new-order.ts'
import { requireRow } from './order.ts'
import { buildOrders, type ReadCtx, viewerValues } from './read.ts'
import type { Order } from './schema.ts'
import { type OrderSummary, toSummary } from './summary.ts'

/** Where a page ended; with the time of its change, if orders are sorted by it. */
type Cursor = { id: number; at?: string | undefined }

const CursorText = z
  .string()
  .trim()
  .regex(/^[1-9]\d{0,14}(-\d{13})?$/, 'must be the `nextCursor` of a page')
  .transform((text): Cursor => {
    const [id = 0, at] = text.split('-').map(Number)
    return { id, at: at === undefined ? undefined : new Date(at).toISOString() }
  })

const toText = ({ id, at }: Cursor) => (at === undefined ? `${id}` : `${id}-${Date.parse(at)}`)

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
  transferred: 'id',
  failed: 'failed',
} as const

/** Returns the name of the list whose index has the fewest candidates for the filters. */
function chooseList({ role, userId }: Viewer, filter: ListRequest): keyof typeof lists {
  const isMaster = role === 'master'
  // Users see nothing of others but what they bought from them, or sold to them.
  const isAllOf = (id: number | undefined) => (isMaster ? id !== undefined : id === userId)
  if (filter.providerId !== undefined) return 'providerId'
  if (filter.updatedFrom !== undefined) return 'updatedFrom'
  if (isAllOf(filter.buyerUserId)) return 'buyerUserId'
  if (isMaster && filter.source !== undefined) return 'source'
  if (isAllOf(filter.sellerId)) return 'sellerId'
  if (!isMaster) return 'own'
  return filter.deliveryStatus ? listByStatus[filter.deliveryStatus] : 'id'
}

/**
 * Milliseconds. Ids grow with the time of writing, and `createdAt` is the time of the call: they
 * differ by less than this.
 */
const MARGIN = 60_000
/** Later times do not sort as text. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const shifted = (time: string | null, by: number) =>
  time === null ? null : new Date(Math.min(Date.parse(time) + by, LAST)).toISOString()

/** Returns the list of a page, and the values of its statements. Throws `invalid_input`. */
function choose(viewer: Viewer, request: ListRequest) {
  const { limit, cursor, providerId = null, source = null, sellerId = null } = request
  const { buyerUserId = null, deliveryStatus = null } = request
  const { createdFrom = null, createdTo = null, updatedFrom = null } = request
  const name = chooseList(viewer, request)
  if (cursor && (cursor.at !== undefined) !== (name === 'updatedFrom'))
    throw invalidField('cursor', 'is of a list with other filters')
  const values = {
    ...viewerValues(viewer),
    limit,
    before: cursor?.id ?? Number.MAX_SAFE_INTEGER,
    afterAt: cursor?.at ?? updatedFrom ?? '',
    afterId: cursor?.id ?? 0,
    earliest: shifted(createdFrom, -MARGIN),
    latest: shifted(createdTo, MARGIN),
    ...{ providerId, source, sellerId, buyerUserId, deliveryStatus },
    ...{ createdFrom, createdTo, updatedFrom },
  }
  return { list: lists[name], values }
}

/** Returns the rows of a page, and where the next one begins. */
function toPage<Row>({ limit }: ListRequest, rows: readonly PageRow<Row>[]) {
  const page = rows.filter(({ isEnd }) => !isEnd).slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : rows.findLast(({ isEnd }) => isEnd)
  const nextCursor = last ? toText({ id: last.cursorId, at: last.cursorAt ?? undefined }) : null
  return { page, nextCursor }
}

/** A replica may not have a new order, and the shop would place it again. */
function requireFound({ db }: ReadCtx, { providerId }: ListRequest, page: readonly unknown[]) {
  if (providerId !== undefined && page.length === 0) requirePrimary(db)
}

type OrderPage = { orders: Order[]; nextCursor: string | null }

/** Prepares a page: its statement, and what makes the page of the result. Throws `invalid_input`. */
export function preparePage(
  { db, viewer }: { db: Database; viewer: Viewer },
  request: ListRequest,
) {
  const { list, values } = choose(viewer, request)
  const statement = list.orders(db, values)
  const finish = (tables: (typeof statement)['_']['result']): OrderPage => {
    const { page, nextCursor } = toPage(request, tables.page)
    const found = buildOrders(viewer, tables)
    return { orders: page.map(({ id }) => requireRow(found, id)), nextCursor }
  }
  return { statement, finish }
}

/**
 * Returns a page of orders that the viewer may see, and where the next one begins; null on the last
 * page. Newest orders come first; with `updatedFrom` and without `providerId` the oldest changes. A
 * page may have fewer orders than `limit`, or none, before the last one: a call looks at a limited
 * number of orders. Throws `unauthenticated`, `invalid_input`.
 */
export async function listOrders(ctx: ReadCtx, request: ListRequest): Promise<OrderPage> {
  const { db, caller } = ctx
  const { statement, finish } = preparePage({ db, viewer: caller }, request)
  const [tables] = await readAs(db, caller, [statement])
  const page = finish(tables)
  requireFound(ctx, request, page.orders)
  return page
}

/** As `listOrders`, with summaries. */
export async function listSummaries(
  ctx: ReadCtx,
  request: ListRequest,
): Promise<{ orders: OrderSummary[]; nextCursor: string | null }> {
  const { db, caller } = ctx
  const { list, values } = choose(caller, request)
  const [rows] = await readAs(db, caller, [list.summaries(db, values)])
  const { page, nextCursor } = toPage(request, rows)
  requireFound(ctx, request, page)
  const orders = page.map(({ cursorId: _, cursorAt: _at, isEnd: _end, ...row }) => toSummary(row))
  return { orders, nextCursor }
}
