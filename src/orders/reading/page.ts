/**
 * What a list of orders is asked for, and the SQL that finds its candidates (`db/candidates.ts`): one
 * SELECT for each index. With `buyerUserId`, the statement is, in short:
 *
 *     WITH bounds (low, high) AS (… ids of orders by `createdFrom`, `createdTo` and the cursor)
 *     SELECT … FROM (SELECT *, row_number() OVER () AS number FROM (
 *         SELECT id FROM orders WHERE buyerId = ? AND id > low AND id < high
 *         ORDER BY id DESC LIMIT 1000)) AS candidates
 *       LEFT JOIN orders … LEFT JOIN orderItems … LEFT JOIN deliveries …
 *     WHERE (… all filters, and whether the viewer may see it) OR number = 1000
 *     LIMIT 21
 *
 * If there is a 21st match, the next page begins below the 20th; else below the 1,000th candidate, if there is one.
 */

import { eq, type SQL, sql } from 'drizzle-orm'
import * as z from 'zod'
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
import { deliveries, itemStatuses, transactions } from '../../db/schema/delivery.ts'
import { orderItems, orders } from '../../db/schema/orders.ts'
import { users } from '../../db/schema/users.ts'
import { prepared } from '../../db/statements.ts'
import { statesWith } from '../../delivery/shown.ts'
import { invalidField } from '../../http/errors.ts'
import { idText, instant, limitText, tokenNameText } from '../../http/inputs.ts'
import { nftColumns } from './nft.ts'
import { rowColumns, summaryColumns } from './order.ts'
import { ProviderId } from './schema.ts'
import { isVisibleSql, type Viewer, viewerValues } from './viewer.ts'

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
export type ListRequest = Omit<z.infer<typeof OrderQuery>, 'fields'>

/** Whether the oldest change comes first. Otherwise the newest order does. */
export const isByChange = ({ providerId, updatedFrom }: ListRequest): boolean =>
  providerId === undefined && updatedFrom !== undefined

/**
 * Milliseconds. Ids grow with the time of writing, and `createdAt` is the time of the call. So orders
 * whose times differ by more than this have ids in the order of their times.
 */
const MARGIN = 60_000
/** Later times do not sort as text. */
const LAST = Date.parse('9999-12-31T23:59:59.999Z')
const shifted = (time: string | undefined, by: number): string | null =>
  time === undefined ? null : new Date(Math.min(Date.parse(time) + by, LAST)).toISOString()

export type ListValues = ReturnType<typeof listValues>

/** Returns the values of the statements of a list. That of a filter that is not used is null. */
export function listValues(viewer: Viewer, request: ListRequest) {
  const { limit, cursor, deliveryStatus } = request
  if (cursor && (cursor.at !== undefined) !== isByChange(request))
    throw invalidField('cursor', 'is of a list with other filters')
  const status = deliveryStatus ? statesWith(deliveryStatus) : null
  return {
    ...viewerValues(viewer),
    /** One more than a page has. */
    readLimit: limit + 1,
    /** The page begins below this order or, sorted by change, after this time and item. */
    before: cursor?.id ?? Number.MAX_SAFE_INTEGER,
    afterTime: cursor?.at ?? request.updatedFrom ?? '',
    afterItem: cursor?.id ?? 0,
    /** Orders that were placed before `earliest`, or at `latest` and later, are not looked at. */
    earliest: shifted(request.createdFrom, -MARGIN),
    latest: shifted(request.createdTo, MARGIN),
    providerId: request.providerId ?? null,
    source: request.source ?? null,
    sellerId: request.sellerId ?? null,
    buyerUserId: request.buyerUserId ?? null,
    /** JSON: the states of the deliveries. */
    states: status && JSON.stringify(status.states),
    isSent: status?.isSent ?? null,
    createdFrom: request.createdFrom ?? null,
    createdTo: request.createdTo ?? null,
    updatedFrom: request.updatedFrom ?? null,
  }
}

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

/** `itemId` and `updatedAt`: of its item. */
const position = {
  id: sql<number>`candidates.id`.as('id'),
  itemId: sql<number>`${orderItems.id}`.as('itemId'),
  updatedAt: sql<string>`${deliveries.updatedAt}`.as('updatedAt'),
}

const isBetweenSql = (id: string) =>
  sql.raw(`${id} > (SELECT low FROM bounds) AND ${id} < (SELECT high FROM bounds)`)

const ordersWhere = (condition: SQL) =>
  sql`SELECT id FROM orders WHERE ${condition} AND ${isBetweenSql('id')}`
const soldBy = (userId: number | null) =>
  sql`SELECT orderId AS id FROM orderItems WHERE sellerId = ${userId} AND ${isBetweenSql('orderId')}`

/**
 * Items in a state that the index `deliveries_waiting` has. Its condition is repeated, or SQLite would not
 * use it. Their ids grow as those of orders.
 */
const itemsIn = (state: string) =>
  sql.raw(`SELECT id FROM deliveries WHERE state = '${state}'
  AND state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')
  AND id > coalesce((SELECT id FROM orderItems WHERE orderId = (SELECT low FROM bounds)), 0)
  AND id < coalesce((SELECT id FROM orderItems WHERE orderId >= (SELECT high FROM bounds)
    ORDER BY orderId LIMIT 1), ${Number.MAX_SAFE_INTEGER})`)

const failedItems = sql`${itemsIn('failed')} UNION ALL ${itemsIn('cancelled')}
  UNION ALL ${itemsIn('written_off')}`

const ordersOf = (items: SQL) => sql`SELECT orderId AS id
  FROM (${items} LIMIT ${MAX_CANDIDATES}) AS found
    CROSS JOIN orderItems ON orderItems.id = found.id`

/** What is due and what transactions carry: read as a whole, because each step changes it. */
const itemsUnderWay = sql`SELECT DISTINCT id FROM (
  SELECT id FROM deliveries WHERE dueAt IS NOT NULL
  UNION ALL SELECT value FROM transactions, json_each(items) WHERE isOpen)`

/** Without `bounds`: the filters alone compare the times of creation. */
const changedItems = ({ afterTime, afterItem }: ListValues) => sql`
  SELECT updatedAt, id FROM deliveries
    WHERE state NOT IN ('queued', 'in_flight') AND (updatedAt, id) > (${afterTime}, ${afterItem})
  UNION ALL SELECT updatedAt, deliveries.id
    FROM (${itemsUnderWay}) AS underWay CROSS JOIN deliveries ON deliveries.id = underWay.id
    WHERE state IN ('queued', 'in_flight')
      AND (updatedAt, deliveries.id) > (${afterTime}, ${afterItem})
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
      .select(nftColumns)
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
export type CandidateOrder = ListRows[number]['candidate']
