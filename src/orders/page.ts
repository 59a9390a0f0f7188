/**
 * The SQL that finds the orders of a list. One index gives candidates, in
 * the order of the list and after the last one of the page before; the filters choose among them. A
 * call looks at a limited number, so its cost does not depend on how many orders there are.
 */

import { eq, type SQL, sql } from 'drizzle-orm'
import { namespaceOf } from '../auth/access.ts'
import { prefixed } from '../db/columns.ts'
import { listings, nfts } from '../db/schema/catalogue.ts'
import { deliveries, transactions } from '../db/schema/delivery.ts'
import { orderItems, orders } from '../db/schema/orders.ts'
import { users } from '../db/schema/users.ts'
import { prepared } from '../db/statements.ts'
import { deliveryColumns } from '../delivery/shown.ts'
import { orderLimits } from '../http/limits.ts'
import { listingColumns, nftColumns } from './nft.ts'
import { itemColumns, orderColumns, summaryColumns } from './order.ts'
import type { ListValues } from './query.ts'
import { buyerColumns, isVisibleSql } from './viewer.ts'

/** Whether an order, its item and its delivery are as the filters say. */
const matchesSql = (values: ListValues) => sql`${isVisibleSql(values)}
  AND (${values.providerId} IS NULL OR ${orders.providerId} = ${values.providerId})
  AND (${values.source} IS NULL
    OR ${orders.source} IN ('master:' || ${values.source}, 'user:' || ${values.source}))
  AND (${values.sellerId} IS NULL OR ${orderItems.sellerId} = ${values.sellerId})
  AND (${values.buyerUserId} IS NULL OR ${orders.buyerId} = ${values.buyerUserId})
  AND (${values.states} IS NULL
    OR ${deliveries.state} IN (SELECT value FROM json_each(${values.states})))
  AND (${values.isSent} IS NULL OR (${deliveries.transactionId} IS NOT NULL) = ${values.isSent})
  AND (${values.createdFrom} IS NULL OR ${orders.createdAt} >= ${values.createdFrom})
  AND (${values.createdTo} IS NULL OR ${orders.createdAt} < ${values.createdTo})
  AND (${values.updatedFrom} IS NULL OR ${deliveries.updatedAt} >= ${values.updatedFrom})`

/**
 * Candidates, numbered, between the orders at the ends of the times, which are a minute wider than the
 * filters (`query.ts`). SQLite reads them one by one in their order, and no more than a page needs: an
 * ORDER BY around them would read all of them.
 */
const numbered = (candidates: SQL, { earliest, latest, before }: ListValues) => sql`(
  WITH bounds (low, high) AS MATERIALIZED (SELECT
    coalesce((SELECT id FROM orders WHERE createdAt < ${earliest}
      ORDER BY createdAt DESC LIMIT 1), 0),
    min(${before}, coalesce((SELECT id FROM orders WHERE createdAt >= ${latest}
      ORDER BY createdAt LIMIT 1), ${before})))
  SELECT id, row_number() OVER () AS number
  FROM (${candidates} LIMIT ${orderLimits.candidates.max})) AS candidates`

/**
 * The columns of a candidate. One that does not match is the last one that the call looks at.
 * `number`: its place among the candidates. `itemId` and `updatedAt`: of its item.
 */
const candidateColumns = (isMatch: SQL) => ({
  id: sql<number>`candidates.id`.as('id'),
  itemId: sql<number>`${orderItems.id}`.as('itemId'),
  updatedAt: sql<string>`${deliveries.updatedAt}`.as('updatedAt'),
  number: sql<number>`candidates.number`.as('number'),
  isMatch: sql<0 | 1>`(${isMatch})`.as('isMatch'),
})

/** Whether a candidate matches, or tells where the next page begins. */
const isReturnedSql = sql`isMatch OR number = ${sql.raw(`${orderLimits.candidates.max}`)}`

const isCandidateSql = sql`${orders.id} = candidates.id`
const isItemSql = eq(orderItems.orderId, orders.id)
const isDeliverySql = eq(deliveries.id, orderItems.id)
const isNewestSql = eq(transactions.id, deliveries.transactionId)

const isBetweenSql = (id: string) =>
  sql.raw(`${id} > (SELECT low FROM bounds) AND ${id} < (SELECT high FROM bounds)`)

const ordersWhere = (condition: SQL) =>
  sql`SELECT id FROM orders WHERE ${condition} AND ${isBetweenSql('id')}`
const soldBy = (userId: number | null) =>
  sql`SELECT orderId AS id FROM orderItems WHERE sellerId = ${userId} AND ${isBetweenSql('orderId')}`

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
  FROM (${items} LIMIT ${orderLimits.candidates.max}) AS found
    CROSS JOIN orderItems ON orderItems.id = found.id`

/** What is due and what transactions carry: read as a whole, because each step changes it. */
const itemsUnderWay = sql`SELECT DISTINCT id FROM (
  SELECT id FROM deliveries WHERE dueAt IS NOT NULL
  UNION ALL SELECT value FROM transactions, json_each(items) WHERE isOpen)`

const changedItems = ({ afterTime, afterItem }: ListValues) => sql`
  SELECT updatedAt, id FROM deliveries
    WHERE state NOT IN ('queued', 'in_flight') AND (updatedAt, id) > (${afterTime}, ${afterItem})
  UNION ALL SELECT updatedAt, deliveries.id
    FROM (${itemsUnderWay}) AS underWay CROSS JOIN deliveries ON deliveries.id = underWay.id
    WHERE state IN ('queued', 'in_flight')
      AND (updatedAt, deliveries.id) > (${afterTime}, ${afterItem})
  ORDER BY updatedAt, id`

/** What an order shows, but its NFT: D1 limits a result to 100 columns. */
export const rowColumns = {
  order: prefixed('order', orderColumns),
  /** What the shop has stored with it, which orders of answers do not show. */
  shop: prefixed('shop', { namespace: orders.namespace, paid: orders.paid }),
  item: prefixed('item', itemColumns),
  delivery: prefixed('delivery', deliveryColumns),
  listing: prefixed('listing', listingColumns),
  buyer: prefixed('buyer', buyerColumns),
}

/**
 * Prepares the statements that read what candidates stand for, if it matches. Left joins keep the order
 * of the candidates.
 */
const prepareList = (candidates: (values: ListValues) => SQL) => ({
  orders: prepared((db, values: ListValues) =>
    db
      .select({ candidate: candidateColumns(matchesSql(values)), ...rowColumns })
      .from(numbered(candidates(values), values))
      .leftJoin(orders, isCandidateSql)
      .leftJoin(orderItems, isItemSql)
      .leftJoin(deliveries, isDeliverySql)
      .leftJoin(transactions, isNewestSql)
      .leftJoin(listings, eq(listings.id, orderItems.listingId))
      .leftJoin(users, eq(users.id, orders.buyerId))
      .where(isReturnedSql)
      .limit(values.limit),
  ),
  nfts: prepared((db, values: ListValues) =>
    db
      .select(nftColumns)
      .from(nfts)
      .where(
        sql`${nfts.id} IN (SELECT nftId FROM ${numbered(candidates(values), values)}
          CROSS JOIN orders ON ${isCandidateSql} CROSS JOIN orderItems ON ${isItemSql}
          CROSS JOIN deliveries ON ${isDeliverySql} WHERE ${matchesSql(values)} LIMIT ${values.limit})`,
      ),
  ),
  summaries: prepared((db, values: ListValues) =>
    db
      .select({
        candidate: candidateColumns(matchesSql(values)),
        summary: prefixed('summary', summaryColumns),
      })
      .from(numbered(candidates(values), values))
      .leftJoin(orders, isCandidateSql)
      .leftJoin(orderItems, isItemSql)
      .leftJoin(deliveries, isDeliverySql)
      .leftJoin(transactions, isNewestSql)
      .where(isReturnedSql)
      .limit(values.limit),
  ),
})

/** The lists, by what gives their candidates: newest first, and `updatedFrom` the oldest change first. */
export const lists = {
  all: prepareList(() => sql`${ordersWhere(sql`TRUE`)} ORDER BY id DESC`),
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
  shop: prepareList(
    ({ shopToken }) =>
      sql`${ordersWhere(sql`source = ${namespaceOf(shopToken)}`)} ORDER BY id DESC`,
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
      WHERE ${isBetweenSql('orderId')} ORDER BY orderId DESC`,
  ),
  updatedFrom: prepareList((values) => ordersOf(changedItems(values))),
}

type List = (typeof lists)['all']
export type ListRows = ReturnType<List['orders']>['_']['result']
export type SummaryRows = ReturnType<List['summaries']>['_']['result']
export type Candidate = ListRows[number]['candidate']
