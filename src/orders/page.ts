/**
 * The SQL of lists of orders. One index gives candidates, in the order of the list and after the last
 * one of the page before; the filters choose among them. A call looks at a limited number, so its cost
 * does not depend on how many orders there are.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Placeholders, prepared } from '../db/prepared.ts'
import { isVisible, selectNfts, selectOrders } from './read.ts'
import { selectSummaries } from './summary.ts'

/** Candidates that one call looks at. */
export const MAX_CANDIDATES = 1000

/** The value of a filter that is not used is null. */
type Values = {
  userId: number
  isMaster: number
  /** The largest number of orders. */
  limit: number
  /** The page begins below this order or, sorted by change, after this time and item. */
  before: number
  afterTime: string
  afterItem: number
  /** Orders that were placed before `earliest`, or at `latest` and later, are not looked at. */
  earliest: string | null
  latest: string | null
  providerId: string | null
  source: string | null
  sellerId: number | null
  buyerUserId: number | null
  /** JSON: the states of the deliveries. */
  states: string | null
  isSent: number | null
  createdFrom: string | null
  createdTo: string | null
  updatedFrom: string | null
}
type Bound = Placeholders<Values>

/**
 * A candidate that matches, or the last one that the call looks at. `number`: its place among the
 * candidates. `itemId` and `updatedAt`: of its item.
 */
export type PageRow = {
  id: number
  itemId: number
  updatedAt: string
  number: number
  isMatch: 0 | 1
}

/**
 * Selects the orders of a page, and one more if there is one. CROSS JOIN keeps the order of the
 * candidates, and SQLite stops reading them when it has enough.
 */
const pageSql = (candidates: SQL, values: Bound) => sql`
  WITH bounds (low, high) AS MATERIALIZED (SELECT
    coalesce((SELECT id FROM orders WHERE createdAt < ${values.earliest}
      ORDER BY createdAt DESC LIMIT 1), 0),
    min(${values.before}, coalesce((SELECT id FROM orders WHERE createdAt >= ${values.latest}
      ORDER BY createdAt LIMIT 1), ${values.before})))
  SELECT orders.id, orderItems.id AS itemId, deliveries.updatedAt, number, (${isVisible(values)}
      AND (${values.providerId} IS NULL OR providerId = ${values.providerId})
      AND (${values.source} IS NULL
        OR source IN ('master:' || ${values.source}, 'user:' || ${values.source}))
      AND (${values.sellerId} IS NULL OR sellerId = ${values.sellerId})
      AND (${values.buyerUserId} IS NULL OR buyerId = ${values.buyerUserId})
      AND (${values.states} IS NULL OR state IN (SELECT value FROM json_each(${values.states})))
      AND (${values.isSent} IS NULL OR (transactionId IS NOT NULL) = ${values.isSent})
      AND (${values.createdFrom} IS NULL OR orders.createdAt >= ${values.createdFrom})
      AND (${values.createdTo} IS NULL OR orders.createdAt < ${values.createdTo})
      AND (${values.updatedFrom} IS NULL OR deliveries.updatedAt >= ${values.updatedFrom})) AS isMatch
  FROM (SELECT id, row_number() OVER () AS number
      FROM (${candidates} LIMIT ${MAX_CANDIDATES})) AS candidates
    CROSS JOIN orders ON orders.id = candidates.id
    CROSS JOIN orderItems ON orderItems.orderId = orders.id
    CROSS JOIN deliveries ON deliveries.id = orderItems.id
  WHERE isMatch OR number = ${MAX_CANDIDATES} LIMIT ${values.limit} + 1`

const isBetween = (id: string) =>
  sql.raw(`${id} > (SELECT low FROM bounds) AND ${id} < (SELECT high FROM bounds)`)

const ordersWhere = (condition: SQL) =>
  sql`SELECT id FROM orders WHERE ${condition} AND ${isBetween('id')}`
const soldBy = (userId: Bound['sellerId' | 'userId']) =>
  sql`SELECT orderId AS id FROM orderItems WHERE sellerId = ${userId} AND ${isBetween('orderId')}`

/** Items in a state that the index `deliveries_waiting` has. Their ids grow as those of orders. */
const itemsIn = (state: string) =>
  sql.raw(`SELECT id FROM deliveries WHERE state = '${state}'
  AND state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')
  AND id > coalesce((SELECT id FROM orderItems WHERE orderId = (SELECT low FROM bounds)), 0)
  AND id < coalesce((SELECT id FROM orderItems WHERE orderId >= (SELECT high FROM bounds)
    ORDER BY orderId LIMIT 1), ${Number.MAX_SAFE_INTEGER})`)

const failedItems = sql`${itemsIn('failed')} UNION ALL ${itemsIn('cancelled')}
  UNION ALL ${itemsIn('written_off')}`

const ordersOf = (items: SQL) => sql`SELECT orderId AS id
  FROM (${items} LIMIT ${MAX_CANDIDATES}) AS found CROSS JOIN orderItems ON orderItems.id = found.id`

/** What is due and what transactions carry: read as a whole, because each step changes it. */
const itemsUnderWay = sql`SELECT id FROM deliveries WHERE dueAt IS NOT NULL
  UNION SELECT value FROM transactions, json_each(items) WHERE isOpen`

const changedItems = ({ afterTime, afterItem }: Bound) => sql`
  SELECT updatedAt, id FROM deliveries
    WHERE state NOT IN ('queued', 'in_flight') AND (updatedAt, id) > (${afterTime}, ${afterItem})
  UNION ALL SELECT updatedAt, id FROM deliveries
    WHERE state IN ('queued', 'in_flight') AND (updatedAt, id) > (${afterTime}, ${afterItem})
      AND id IN (${itemsUnderWay})
  ORDER BY updatedAt, id`

const prepareList = (candidates: (values: Bound) => SQL) => {
  const page = (values: Bound) => pageSql(candidates(values), values)
  const ids = (values: Bound) => sql`SELECT id FROM (${page(values)}) WHERE isMatch`
  return {
    page: prepared((db, values: Bound) => db.all<PageRow>(page(values))),
    orders: prepared((db, values: Bound) => selectOrders(db, ids(values))),
    nfts: prepared((db, values: Bound) => selectNfts(db, ids(values))),
    summaries: prepared((db, values: Bound) => selectSummaries(db, ids(values))),
  }
}

/** The lists, by what gives their candidates: newest first, and `updatedFrom` the oldest change first. */
export const lists = {
  id: prepareList(() => sql`${ordersWhere(sql`TRUE`)} ORDER BY id DESC`),
  own: prepareList(
    ({ userId }) =>
      sql`${ordersWhere(sql`buyerId = ${userId}`)} UNION ${soldBy(userId)} ORDER BY id DESC`,
  ),
  providerId: prepareList(
    ({ providerId }) => sql`${ordersWhere(sql`providerId = ${providerId}`)} ORDER BY id DESC`,
  ),
  source: prepareList(
    ({ source }) => sql`${ordersWhere(sql`source = 'master:' || ${source}`)}
      UNION ALL ${ordersWhere(sql`source = 'user:' || ${source}`)} ORDER BY id DESC`,
  ),
  sellerId: prepareList(({ sellerId }) => sql`${soldBy(sellerId)} ORDER BY id DESC`),
  buyerUserId: prepareList(
    ({ buyerUserId }) => sql`${ordersWhere(sql`buyerId = ${buyerUserId}`)} ORDER BY id DESC`,
  ),
  awaitingWallet: prepareList(() => ordersOf(sql`${itemsIn('awaiting_wallet')} ORDER BY id DESC`)),
  failed: prepareList(() => ordersOf(sql`${failedItems} ORDER BY id DESC`)),
  underWay: prepareList(
    () => sql`SELECT orderId AS id FROM (${itemsUnderWay}) AS underWay
      CROSS JOIN orderItems ON orderItems.id = underWay.id
      WHERE ${isBetween('orderId')} ORDER BY orderId DESC`,
  ),
  updatedFrom: prepareList((values) => ordersOf(changedItems(values))),
}
