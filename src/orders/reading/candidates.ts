/**
 * The SQL that finds the candidates of a list of orders (`db/candidates.ts`), one SELECT for each index, and
 * reads those that match. With `buyerUserId`, the statement is, in short:
 *
 *     WITH bounds (low, high) AS (… ids of orders by `createdFrom`, `createdTo` and the cursor)
 *     SELECT … FROM (SELECT *, row_number() OVER () AS number FROM (
 *         SELECT id FROM orders WHERE buyerId = ? AND id > low AND id < high
 *         ORDER BY id DESC LIMIT 1000)) AS candidates
 *       LEFT JOIN orders … LEFT JOIN orderItems … LEFT JOIN deliveries …
 *     WHERE (… all filters, and whether the viewer may see it) OR number = 1000
 *     LIMIT 21
 *
 * If there is a 21st match, the next page begins below the 20th; else below the 1,000th candidate, if there
 * is one.
 */

import { eq, type SQL, sql } from 'drizzle-orm'
import { namespaceOf } from '../../auth/access.ts'
import { sourcesNamedSql } from '../../auth/sources.ts'
import {
  candidateColumns,
  firstCandidates,
  isReturnedSql,
  MAX_CANDIDATES,
} from '../../db/candidates.ts'
import { prefixed } from '../../db/columns.ts'
import { listings, nfts } from '../../db/schema/catalogue.ts'
import { deliveries, transactions } from '../../db/schema/delivery.ts'
import { orderItems, orders } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import { prepared } from '../../db/statements.ts'
import { readNftColumns } from './nft.ts'
import { rowColumns, summaryColumns } from './order.ts'
import type { ListValues } from './request.ts'
import { isVisibleSql } from './viewer.ts'

const matchesSql = (values: ListValues) => sql`${isVisibleSql(values)}
  AND (${values.providerId} IS NULL OR ${orders.providerId} = ${values.providerId})
  AND (${values.source} IS NULL
    OR ${orders.source} IN (${sql.join([...sourcesNamedSql(values.source)], sql`, `)}))
  AND (${values.sellerId} IS NULL OR ${orderItems.sellerId} = ${values.sellerId})
  AND (${values.buyerUserId} IS NULL OR ${orders.buyerId} = ${values.buyerUserId})
  AND (${values.states} IS NULL
    OR ${deliveries.state} IN (SELECT value FROM json_each(${values.states})))
  AND (${values.isSent} IS NULL OR (${deliveries.transactionId} IS NOT NULL) = ${values.isSent})
  AND (${values.createdFrom} IS NULL OR ${orders.createdAt} >= ${values.createdFrom})
  AND (${values.createdTo} IS NULL OR ${orders.createdAt} < ${values.createdTo})
  AND (${values.updatedFrom} IS NULL OR ${deliveries.updatedAt} >= ${values.updatedFrom})`

/**
 * The first candidates between the orders at the ends of the times, which are a minute wider than the
 * filters.
 */
const firstBetween = (candidates: SQL, { earliest, latest, before }: ListValues) =>
  firstCandidates(
    candidates,
    sql`WITH bounds (low, high) AS MATERIALIZED (SELECT
      coalesce((SELECT id FROM orders WHERE createdAt < ${earliest}
        ORDER BY createdAt DESC LIMIT 1), 0),
      min(${before}, coalesce((SELECT id FROM orders WHERE createdAt >= ${latest}
        ORDER BY createdAt LIMIT 1), ${before})))`,
  )

/** `deliveryId` and `updatedAt`: of its delivery. */
const position = {
  id: sql<number>`candidates.id`.as('id'),
  deliveryId: sql<number>`${deliveries.id}`.as('deliveryId'),
  updatedAt: sql<string>`${deliveries.updatedAt}`.as('updatedAt'),
}

const isBetweenSql = (id: string) =>
  sql.raw(`${id} > (SELECT low FROM bounds) AND ${id} < (SELECT high FROM bounds)`)

const ordersWhere = (condition: SQL) =>
  sql`SELECT id FROM orders WHERE ${condition} AND ${isBetweenSql('id')}`
const soldBy = (userId: number | null) =>
  sql`SELECT orderId AS id FROM orderItems WHERE sellerId = ${userId} AND ${isBetweenSql('orderId')}`

/**
 * Deliveries in a state that the index `deliveries_waiting` has. Its condition is repeated, or SQLite would not
 * use it. Their ids grow as those of orders.
 */
const deliveriesIn = (state: string) =>
  sql.raw(`SELECT id FROM deliveries WHERE state = '${state}'
  AND state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')
  AND id > coalesce((SELECT id FROM orderItems WHERE orderId = (SELECT low FROM bounds)), 0)
  AND id < coalesce((SELECT id FROM orderItems WHERE orderId >= (SELECT high FROM bounds)
    ORDER BY orderId LIMIT 1), ${Number.MAX_SAFE_INTEGER})`)

const failedDeliveries = sql`${deliveriesIn('failed')} UNION ALL ${deliveriesIn('cancelled')}
  UNION ALL ${deliveriesIn('written_off')}`

const ordersOf = (ids: SQL) => sql`SELECT orderId AS id
  FROM (${ids} LIMIT ${MAX_CANDIDATES}) AS found
    CROSS JOIN orderItems ON orderItems.id = found.id`

/** What is due and what transactions carry: read as a whole, because each step changes it. */
const deliveriesUnderWay = sql`SELECT DISTINCT id FROM (
  SELECT id FROM deliveries WHERE dueAt IS NOT NULL
  UNION ALL SELECT value FROM transactions, json_each(items) WHERE isOpen)`

/** Without `bounds`: the filters alone compare the times of creation. */
const changedDeliveries = ({ afterTime, afterDelivery }: ListValues) => sql`
  SELECT updatedAt, id FROM deliveries
    WHERE state NOT IN ('queued', 'in_flight') AND (updatedAt, id) > (${afterTime}, ${afterDelivery})
  UNION ALL SELECT updatedAt, deliveries.id
    FROM (${deliveriesUnderWay}) AS underWay CROSS JOIN deliveries ON deliveries.id = underWay.id
    WHERE state IN ('queued', 'in_flight')
      AND (updatedAt, deliveries.id) > (${afterTime}, ${afterDelivery})
  ORDER BY updatedAt, id`

/** What candidates stand for. Left joins keep their order. */
const rowsOf = (candidates: SQL) => sql`${candidates}
  LEFT JOIN orders ON orders.id = candidates.id
  LEFT JOIN orderItems ON orderItems.orderId = orders.id
  LEFT JOIN deliveries ON deliveries.id = orderItems.id`
const isNewestSql = eq(transactions.id, deliveries.transactionId)

/** Prepares the statements that read what candidates stand for, if it matches. */
const prepareList = (candidates: (values: ListValues) => SQL) => ({
  orders: prepared((db, values: ListValues) =>
    db
      .select({ candidate: candidateColumns(position, matchesSql(values)), ...rowColumns })
      .from(rowsOf(firstBetween(candidates(values), values)))
      .leftJoin(transactions, isNewestSql)
      .leftJoin(listings, eq(listings.id, orderItems.listingId))
      .leftJoin(users, eq(users.id, orders.buyerId))
      .where(isReturnedSql)
      .limit(values.readLimit),
  ),
  nfts: prepared((db, values: ListValues) =>
    db
      .select(readNftColumns)
      .from(nfts)
      .where(
        sql`${nfts.id} IN (SELECT nftId FROM ${firstBetween(candidates(values), values)}
          CROSS JOIN orders ON orders.id = candidates.id
          CROSS JOIN orderItems ON orderItems.orderId = orders.id
          CROSS JOIN deliveries ON deliveries.id = orderItems.id
          WHERE ${matchesSql(values)} LIMIT ${values.readLimit})`,
      ),
  ),
  summaries: prepared((db, values: ListValues) =>
    db
      .select({
        candidate: candidateColumns(position, matchesSql(values)),
        summary: prefixed('summary', summaryColumns),
      })
      .from(rowsOf(firstBetween(candidates(values), values)))
      .leftJoin(transactions, isNewestSql)
      .where(isReturnedSql)
      .limit(values.readLimit),
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
  source: prepareList(({ source }) => {
    const [master, user] = sourcesNamedSql(source)
    return sql`${ordersWhere(sql`source = ${master}`)}
        UNION ALL ${ordersWhere(sql`source = ${user}`)} ORDER BY id DESC`
  }),
  shop: prepareList(
    ({ shopToken }) =>
      sql`${ordersWhere(sql`source = ${namespaceOf(shopToken)}`)} ORDER BY id DESC`,
  ),
  sellerId: prepareList(({ sellerId }) => sql`${soldBy(sellerId)} ORDER BY id DESC`),
  buyerUserId: prepareList(
    ({ buyerUserId }) => sql`${ordersWhere(sql`buyerId = ${buyerUserId}`)} ORDER BY id DESC`,
  ),
  awaitingWallet: prepareList(() =>
    ordersOf(sql`${deliveriesIn('awaiting_wallet')} ORDER BY id DESC`),
  ),
  failed: prepareList(() => ordersOf(sql`${failedDeliveries} ORDER BY id DESC`)),
  underWay: prepareList(
    () => sql`SELECT orderId AS id FROM (${deliveriesUnderWay}) AS underWay
      CROSS JOIN orderItems ON orderItems.id = underWay.id
      WHERE ${isBetweenSql('orderId')} ORDER BY orderId DESC`,
  ),
  updatedFrom: prepareList((values) => ordersOf(changedDeliveries(values))),
}

type List = (typeof lists)['all']
export type ListRows = ReturnType<List['orders']>['_']['result']
export type SummaryRows = ReturnType<List['summaries']>['_']['result']
export type CandidateOrder = ListRows[number]['candidate']
