/** Lists the orders that a caller may see, newest first. */
import { type Placeholder, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { itemStatuses } from '../db/schema/delivery.ts'
import { itemStatusSql } from '../delivery/shown.ts'
import type { Viewer } from './buyer.ts'
import { type ReadCtx, readOrders } from './read.ts'
import type { Order } from './schema.ts'

/** What `deliveryStatus` selects by: the status of the item; `pending` where that is null. */
export const deliveryStatuses = ['pending', ...itemStatuses] as const

/** At most one of them. Without one, all orders that the caller may see. */
type OrderFilter = {
  providerId?: string | undefined
  deliveryStatus?: (typeof deliveryStatuses)[number] | undefined
  buyerUserId?: number | undefined
}

/** Candidates that one call looks at, where not every candidate is an order to return. */
const MAX_CANDIDATES = 1000

type Values = {
  before: number
  /** Number of candidates. */
  count: number
  userId: number
  providerId: string
  buyerUserId: number
  status: string
}
type Candidate = { cursor: number; id: number; isMatch: 0 | 1 }

type Source = {
  from: SQL
  where?: SQL
  /** The column to sort by and to continue from. It has an index together with `where`. */
  cursor: SQL
  /** Id of the order. */
  id: SQL
  isMatch?: SQL
}

// CROSS JOIN keeps the order of the tables, so that SQLite begins with the index of the condition.
const select = (
  { from, where = sql`1`, cursor, id, isMatch = sql`1` }: Source,
  { before, count }: Placeholders<Values>,
) => sql`SELECT ${cursor} AS cursor, ${id} AS id, (${isMatch}) AS isMatch
  FROM ${from} WHERE ${where} AND ${cursor} < ${before} ORDER BY ${cursor} DESC LIMIT ${count}`

const candidates = (buildSource: (values: Placeholders<Values>) => Source) =>
  prepared((db, values: Placeholders<Values>) =>
    db.all<Candidate>(select(buildSource(values), values)),
  )

const orderId = sql`o.id`
const byOrder = { from: sql`orders o`, cursor: orderId, id: orderId }
const byItem = {
  from: sql`deliveries CROSS JOIN orderItems i ON i.id = deliveries.id`,
  cursor: sql`deliveries.id`,
  id: sql`i.orderId`,
}
const hasStatus = (status: Placeholder) => sql`coalesce(${itemStatusSql}, 'pending') = ${status}`

type Range = Placeholders<Pick<Values, 'userId' | 'before' | 'count'>>

/** Selects the newest orders that a user has bought, before one of them. */
export const selectBought = ({ userId, before, count }: Range) => sql`(SELECT id FROM orders
  WHERE buyerId = ${userId} AND id < ${before} ORDER BY id DESC LIMIT ${count})`

/** Selects the newest orders that a user has sold, before one of them, as the column `orderId`. */
export const selectSold = ({ userId, before, count }: Range) => sql`(SELECT orderId FROM orderItems
  WHERE sellerId = ${userId} AND orderId < ${before} ORDER BY orderId DESC LIMIT ${count})`

/** What the user has bought and sold. */
const selectOwn = (range: Range) => sql`(SELECT id FROM ${selectBought(range)}
  UNION SELECT orderId FROM ${selectSold(range)}) own`

const all = candidates(() => byOrder)
const byBuyer = candidates(({ buyerUserId }) => ({
  ...byOrder,
  where: sql`o.buyerId = ${buyerUserId}`,
}))
const byProviderId = candidates(({ providerId }) => ({
  ...byOrder,
  where: sql`o.providerId = ${providerId}`,
}))
/** In the spelling of the index `deliveries_waiting`, so that SQLite uses it. */
const isWaiting = sql.raw(
  "deliveries.state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')",
)
const awaitingWallet = candidates(() => ({
  ...byItem,
  where: sql`deliveries.state = 'awaiting_wallet' AND ${isWaiting}`,
}))
/** The newest deliveries in a state. The status `failed` has three. */
const newestIn = (state: string, { before, count }: Placeholders<Values>) => sql`SELECT id FROM (
  SELECT id FROM deliveries WHERE state = ${sql.raw(`'${state}'`)} AND ${isWaiting}
    AND id < ${before} ORDER BY id DESC LIMIT ${count})`
const failed = candidates((values) => ({
  from: sql`(${newestIn('failed', values)} UNION ALL ${newestIn('cancelled', values)}
    UNION ALL ${newestIn('written_off', values)}) ended
    CROSS JOIN orderItems i ON i.id = ended.id`,
  cursor: sql`ended.id`,
  id: sql`i.orderId`,
}))
const withStatus = candidates(({ status }) => ({ ...byItem, isMatch: hasStatus(status) }))

const ownId = sql`own.id`
const own = candidates((values) => ({ from: selectOwn(values), cursor: ownId, id: ownId }))
const ownByProviderId = candidates(({ providerId, userId }) => ({
  ...byOrder,
  where: sql`o.providerId = ${providerId}`,
  isMatch: sql`o.buyerId = ${userId} OR EXISTS
    (SELECT 1 FROM orderItems WHERE orderId = o.id AND sellerId = ${userId})`,
}))
const ownWithStatus = candidates((values) => ({
  from: sql`${selectOwn(values)} CROSS JOIN orderItems i ON i.orderId = own.id
    CROSS JOIN deliveries ON deliveries.id = i.id`,
  cursor: ownId,
  id: ownId,
  isMatch: hasStatus(values.status),
}))
const soldTo = candidates((values) => ({
  from: sql`${selectSold(values)} own CROSS JOIN orders o ON o.id = own.orderId`,
  cursor: sql`own.orderId`,
  id: orderId,
  isMatch: sql`o.buyerId = ${values.buyerUserId}`,
}))

/** Returns the statement for a filter, and whether every candidate is an order to return. */
function chooseCandidates(
  { role, userId }: Viewer,
  { providerId, deliveryStatus, buyerUserId }: OrderFilter,
) {
  const isMaster = role === 'master'
  const exact = (select: typeof all) => ({ select, isExact: true })
  const filtered = (select: typeof all) => ({ select, isExact: false })
  if (providerId !== undefined) return isMaster ? exact(byProviderId) : filtered(ownByProviderId)
  if (buyerUserId !== undefined)
    return isMaster || buyerUserId === userId ? exact(byBuyer) : filtered(soldTo)
  if (deliveryStatus === undefined) return exact(isMaster ? all : own)
  if (!isMaster) return filtered(ownWithStatus)
  if (deliveryStatus === 'awaiting_wallet') return exact(awaitingWallet)
  if (deliveryStatus === 'failed') return exact(failed)
  return filtered(withStatus)
}

type ListRequest = OrderFilter & {
  /** The largest number of orders. */
  limit: number
  /** The `nextCursor` of the page before; undefined begins with the newest order. */
  cursor?: number | undefined
}

/**
 * Returns a page of orders that the viewer may see, and where the next one begins; null on the last
 * page. A page may have fewer orders than `limit`, or none, before the last one: a call looks at a
 * limited number of orders, so its cost does not depend on how many there are. Throws
 * `unauthenticated`.
 */
export async function listOrders(
  ctx: ReadCtx,
  { limit, cursor = Number.MAX_SAFE_INTEGER, ...filter }: ListRequest,
): Promise<{ orders: Order[]; nextCursor: string | null }> {
  const { db, caller, viewer = caller } = ctx
  const { select, isExact } = chooseCandidates(viewer, filter)
  const { providerId = '', buyerUserId = 0, deliveryStatus: status = '' } = filter
  const values = { before: cursor, userId: viewer.userId, providerId, buyerUserId, status }
  const count = isExact ? limit + 1 : MAX_CANDIDATES
  const [rows] = await readAs(db, caller, [select(db, { ...values, count })])
  const matches = rows.filter(({ isMatch }) => isMatch)
  const page = matches.slice(0, limit)
  const orderIds = page.map(({ id }) => String(id))
  const orders = orderIds.length > 0 ? await readOrders(ctx, orderIds) : []
  // Orders neither disappear nor change their buyer or seller between the two trips.
  const last = matches.length > limit ? page.at(-1) : rows.length === count ? rows.at(-1) : null
  return { orders, nextCursor: last ? String(last.cursor) : null }
}
