/**
 * Finds the orders of a page. One index gives candidates, the other filters choose among them, and a
 * call looks at a limited number, so its cost does not depend on how many orders there are.
 */

import { type SQL, sql } from 'drizzle-orm'
import { prepared } from '../db/batch.ts'
import { namedColumns } from '../db/columns.ts'
import { itemStatusSql } from '../delivery/shown.ts'
import { prepareOrders } from './read.ts'
import { type SummaryRow, summaryColumns } from './summary.ts'

/** Candidates that one call looks at. */
const MAX_CANDIDATES = 1000

/** The comparison with the value of each filter. */
const filters = {
  providerId: sql`o.providerId =`,
  source: sql`substr(o.source, instr(o.source, ':') + 1) =`,
  sellerId: sql`i.sellerId =`,
  buyerUserId: sql`o.buyerId =`,
  deliveryStatus: sql`coalesce(${itemStatusSql}, 'pending') =`,
  createdFrom: sql`o.createdAt >=`,
  createdTo: sql`o.createdAt <`,
  // What changes an order changes its delivery, too.
  updatedFrom: sql`d.updatedAt >=`,
}
type FilterName = keyof typeof filters

/** The value of a filter that is not used is null. */
type Values = Record<FilterName, string | number | null> & {
  userId: number
  isMaster: number
  /** The largest number of orders. */
  limit: number
  /** The page begins below this id or, sorted by change, after this time and id. */
  before: number
  afterAt: string
  afterId: number
  /** Orders that were placed before `earliest`, or at `latest` and later, need not be looked at. */
  earliest: string | null
  latest: string | null
}
type Bound = Values

type Candidates = {
  /** Whose ids the candidates have. Both grow with the time of the order, which has one item. */
  of: 'orders' | 'deliveries'
  /** Selects them by an index as `id`, and as `at` what they are sorted by before. */
  select: (values: Bound) => SQL
  order: SQL
  at: SQL
}

/** The first id at or after a time, by halving: reads 20 rows of a million. 1 if there is no time. */
const firstIdAt = (table: SQL, time: Bound['latest']) => sql`(
  WITH RECURSIVE search (id, step) AS (SELECT 0, 1 << 40 UNION ALL
    SELECT id + iif((SELECT createdAt FROM ${table} AS placed WHERE placed.id >= search.id + step
      ORDER BY placed.id LIMIT 1) < ${time}, step, 0), step / 2
    FROM search WHERE step > 0 AND ${time} IS NOT NULL)
  SELECT max(id) + 1 FROM search)`

const joins = {
  orders: sql`orders o ON o.id = candidates.id CROSS JOIN orderItems i ON i.orderId = o.id`,
  deliveries: sql`orderItems i ON i.id = candidates.id CROSS JOIN orders o ON o.id = i.orderId`,
}

export type PageRow<Row> = Row & {
  cursorId: number
  cursorAt: string | null
  /** 1: not an order but the last candidate, if the page is not full and there may be more. */
  isEnd: 0 | 1
}

/**
 * Returns the SQL of a page, and the common table expressions that it uses: one order more than its
 * limit, if there are so many. CROSS JOIN keeps the order of the candidates, and SQLite stops reading
 * them when it has enough.
 */
function pageSql(
  { of, select, order, at }: Candidates,
  columns: Record<string, SQL>,
  values: Bound,
): { shared: SQL; rows: SQL } {
  const { limit, before, earliest, latest, isMaster, userId } = values
  const table = sql.raw(of)
  const candidates = sql`${select(values)} ORDER BY ${order}`
  const names = Object.keys(filters) as FilterName[]
  const matches = names.map(
    (name) => sql`(${values[name]} IS NULL OR ${filters[name]} ${values[name]})`,
  )
  const nothing = sql.raw(Object.keys(columns).fill('NULL').join())
  return {
    shared: sql`bounds (first, last) AS MATERIALIZED (SELECT ${firstIdAt(table, earliest)},
        min(${before}, iif(${latest} IS NULL, ${before}, ${firstIdAt(table, latest)}))),
      page AS MATERIALIZED (
        SELECT candidates.id AS cursorId, ${at} AS cursorAt, 0 AS isEnd, ${namedColumns(columns)}
        FROM (${candidates} LIMIT ${MAX_CANDIDATES}) AS candidates
          CROSS JOIN ${joins[of]} CROSS JOIN deliveries d ON d.id = i.id
        WHERE (${isMaster} = 1 OR o.buyerId = ${userId} OR i.sellerId = ${userId})
          AND ${sql.join(matches, sql` AND `)}
        LIMIT ${limit} + 1)`,
    rows: sql`SELECT * FROM page UNION ALL SELECT candidates.id, ${at}, 1, ${nothing}
      FROM (${candidates} LIMIT (SELECT count(*) <= ${limit} FROM page)
        OFFSET ${MAX_CANDIDATES - 1}) AS candidates`,
  }
}

const list = (candidates: Candidates) => ({
  orders: prepareOrders((db, values: Bound) => {
    const { shared, rows } = pageSql(candidates, { id: sql`o.id` }, values)
    const page = db
      .select({
        id: sql<number>`id`,
        cursorId: sql<number>`cursorId`,
        cursorAt: sql<string | null>`cursorAt`,
        isEnd: sql<0 | 1>`isEnd`,
      })
      .from(sql`(${rows})`)
    return { shared, ids: sql`SELECT id FROM page LIMIT ${values.limit}`, others: { page } }
  }),
  summaries: prepared((db, values: Bound) => {
    const { shared, rows } = pageSql(candidates, summaryColumns, values)
    return db.all<PageRow<SummaryRow>>(sql`WITH ${shared} ${rows}`)
  }),
})

const newestFirst = (of: Candidates['of'], select: Candidates['select']) =>
  list({ of, select, order: sql`id DESC`, at: sql`NULL` })

const inBounds = (id: string) =>
  sql.raw(`${id} >= (SELECT first FROM bounds) AND ${id} < (SELECT last FROM bounds)`)
const ordersWhere = (condition: SQL) =>
  sql`SELECT id FROM orders WHERE ${condition} AND ${inBounds('id')}`
const soldBy = (userId: Bound['sellerId' | 'userId']) =>
  sql`SELECT orderId AS id FROM orderItems WHERE sellerId = ${userId} AND ${inBounds('orderId')}`

/** In the spelling of the index `deliveries_waiting`, so that SQLite uses it. */
const waiting = "state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')"
const inStates = (...states: string[]) =>
  sql.join(
    states.map(
      (state) => sql`SELECT id FROM deliveries
      WHERE state = ${sql.raw(`'${state}'`)} AND ${sql.raw(waiting)} AND ${inBounds('id')}`,
    ),
    sql` UNION ALL `,
  )

/** What is due and what transactions carry: read as a whole, because each step changes it. */
const underWay = sql`SELECT id FROM deliveries WHERE dueAt IS NOT NULL
  UNION ALL SELECT value FROM transactions, json_each(items) WHERE isOpen`

const changed = ({ afterAt, afterId }: Bound) => {
  const isLater = sql`(d.updatedAt, d.id) > (${afterAt}, ${afterId})`
  return sql`SELECT d.updatedAt AS at, d.id FROM deliveries d
      WHERE d.state NOT IN ('queued', 'in_flight') AND ${isLater}
    UNION ALL SELECT d.updatedAt, d.id FROM deliveries d
      WHERE d.state IN ('queued', 'in_flight') AND ${isLater}
        AND d.id IN (${underWay})`
}

/** By what gives the candidates. */
export const lists = {
  id: newestFirst('orders', () => ordersWhere(sql`1`)),
  own: newestFirst(
    'orders',
    ({ userId }) => sql`${ordersWhere(sql`buyerId = ${userId}`)} UNION ${soldBy(userId)}`,
  ),
  providerId: newestFirst('orders', (values) =>
    ordersWhere(sql`providerId = ${values.providerId}`),
  ),
  source: newestFirst(
    'orders',
    ({ source }) => sql`${ordersWhere(sql`source = 'master:' || ${source}`)}
      UNION ALL ${ordersWhere(sql`source = 'user:' || ${source}`)}`,
  ),
  sellerId: newestFirst('orders', ({ sellerId }) => soldBy(sellerId)),
  buyerUserId: newestFirst('orders', ({ buyerUserId }) =>
    ordersWhere(sql`buyerId = ${buyerUserId}`),
  ),
  awaitingWallet: newestFirst('deliveries', () => inStates('awaiting_wallet')),
  failed: newestFirst('deliveries', () => inStates('failed', 'cancelled', 'written_off')),
  underWay: newestFirst(
    'deliveries',
    () => sql`SELECT id FROM deliveries WHERE id IN (${underWay}) AND ${inBounds('id')}`,
  ),
  updatedFrom: list({
    of: 'deliveries',
    select: changed,
    order: sql`at, id`,
    at: sql`candidates.at`,
  }),
}
