/**
 * The statements that read the state. They count up to `MAX_COUNT`, and find the oldest and the newest by an
 * index: each names the index that keeps it from reading the table.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../db/client.ts'
import type { SaleObstacle } from '../db/schema/catalogue.ts'
import { type ReasonCode, reasonCodes } from '../db/schema/delivery.ts'
import type { WebhookEndpoint } from '../db/schema/webhooks.ts'
import { raw } from '../db/statements.ts'

/** What is counted is counted up to here: this number means that or more. */
export const MAX_COUNT = 1000
/** Endpoints with an alarm. */
const MAX_ENDPOINTS = 20
/** Transactions of a chain from which the cost of a delivery is taken. */
const NEWEST = 100
/** Deliveries of each placer, and transactions, in which the oldest delivery is looked for. */
const FIRST = 10

/**
 * Deliveries of a chain that are under way. Times are null if there is no such delivery. They and the oldest
 * delivery are looked for among the first that each placer has queued, and the oldest transactions.
 */
export type DeliveriesUnderWay = {
  /** Null for deliveries whose network was not configured. */
  chainId: number | null
  queued: number
  inFlight: number
  /** Since when the first of the due deliveries is due. */
  dueAt: string | null
  /** When the first transaction was signed that is in no block. */
  unminedAt: string | null
  /** When the first of them was queued, of those that have no reason to wait (`Delay`). */
  queuedAt: string | null
  /** The oldest delivery, and when it was ordered. */
  firstId: number
  firstAt: string
}

/**
 * Queued deliveries of a chain that wait for the same reason. `queuedAt`: of the first of them. `lateAt`: of
 * the last one that is late; null if none is.
 */
type Delay = Pick<DeliveriesUnderWay, 'chainId' | 'queuedAt'> & {
  reasonCode: ReasonCode
  deliveries: number
  lateAt: string | null
}

/** None of the deliveries that `selectCounts` counts. */
export const noCounts = {
  awaitingWallet: 0,
  awaitingSince: null,
  unclaimed: 0,
  failed: 0,
  failedAt: null,
  retried: 0,
}

type Counts = Omit<typeof noCounts, 'awaitingSince' | 'failedAt'> &
  Record<'awaitingSince' | 'failedAt', string | null>

type FailingEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'failingSince' | 'disabledAt'>

export const reasonCodesJson = JSON.stringify(reasonCodes)

/** SQL of the number of rows, counted up to `MAX_COUNT`. */
const counted = (rows: SQL) => sql`(SELECT count(*) FROM (SELECT 1 ${rows} LIMIT ${MAX_COUNT}))`

const queuedSql = sql`FROM deliveries d WHERE d.dueAt IS NOT NULL`

/** The chains that have queued deliveries, found by jumping through the index; then null. */
export const chainsSql = sql`chains (chainId) AS (SELECT min(d.chainId) ${queuedSql}
  UNION ALL SELECT (SELECT min(d.chainId) ${queuedSql} AND d.chainId > chains.chainId) FROM chains
    WHERE chainId IS NOT NULL)`

/** The queued deliveries of a chain that wait for the reason `value`. */
export const delayedSql = sql`FROM deliveries d INDEXED BY deliveries_delayed
  WHERE d.chainId IS chains.chainId AND d.reasonCode = value
    AND d.waitingSince IS NOT NULL AND d.dueAt IS NOT NULL`

const selectUnderWay = (db: Database, groups: SQL) =>
  raw<DeliveriesUnderWay>(db)`
    SELECT w.*, (SELECT createdAt FROM deliveries WHERE id = w.firstId) AS firstAt
    FROM (${groups}) w`

/** What is queued, by chain. `placers` steps through the index `deliveries_due`, one row for each placer. */
export const selectQueued = (db: Database, now: string) =>
  selectUnderWay(
    db,
    sql`WITH RECURSIVE ${chainsSql}, placers (chainId, placer) AS (
      SELECT chainId, (SELECT min(placer) ${queuedSql} AND d.chainId IS chains.chainId) FROM chains
      UNION ALL SELECT chainId, (SELECT min(d.placer) ${queuedSql} AND d.chainId IS placers.chainId
        AND d.placer > placers.placer) FROM placers WHERE placer IS NOT NULL)
    SELECT p.chainId, ${counted(sql`${queuedSql} AND d.chainId IS p.chainId`)} AS queued, 0 AS inFlight,
      NULL AS unminedAt, min(d.queuedAt) FILTER (WHERE d.waitingSince IS NULL) AS queuedAt,
      min(d.dueAt) FILTER (WHERE d.dueAt <= ${now}) AS dueAt, min(d.id) AS firstId
    FROM placers p CROSS JOIN deliveries d ON d.id IN (SELECT d.id ${queuedSql}
      AND d.chainId IS p.chainId AND d.placer = p.placer ORDER BY d.dueAt LIMIT ${FIRST})
    GROUP BY p.chainId`,
  )

/** What transactions carry that are open, by chain. */
export const selectInFlight = (db: Database) =>
  selectUnderWay(
    db,
    sql`SELECT t.chainId, 0 AS queued, t.carried AS inFlight, t.unminedAt, min(d.queuedAt) AS queuedAt,
      NULL AS dueAt, min(d.id) AS firstId
    FROM (SELECT chainId, items, row_number() OVER (PARTITION BY chainId ORDER BY id) AS position,
        sum(json_array_length(items)) OVER (PARTITION BY chainId) AS carried,
        min(createdAt) FILTER (WHERE block IS NULL) OVER (PARTITION BY chainId) AS unminedAt
      FROM transactions WHERE isOpen AND items <> '[]') t, json_each(t.items) i
      JOIN deliveries d ON d.id = i.value AND d.state = 'in_flight'
    WHERE t.position <= ${FIRST} GROUP BY t.chainId`,
  )

/** What waits for a reason, by chain. `lateBefore`: what was queued by then is late. */
export const selectDelays = (db: Database, lateBefore: string) =>
  raw<Delay>(db)`
    WITH RECURSIVE ${chainsSql}, delays AS (SELECT chainId, value AS reasonCode,
      ${counted(delayedSql)} AS deliveries, (SELECT min(queuedAt) ${delayedSql}) AS queuedAt,
      (SELECT max(queuedAt) ${delayedSql}
        AND queuedAt <= ${lateBefore}) AS lateAt
      FROM chains, json_each(${reasonCodesJson}))
    SELECT * FROM delays WHERE deliveries > 0 ORDER BY 1, 2`

/**
 * `awaitingSince`: since when the first of those without a wallet waits. `unclaimed`: those of
 * them that were told as such. `failedAt`: when a delivery failed last. `retried`: failed deliveries that were
 * queued again and have not ended.
 */
export const selectCounts = (db: Database) =>
  raw<Counts>(db)`
    SELECT ${counted(sql`FROM deliveries INDEXED BY deliveries_waiting
    WHERE state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off')
      AND state = 'awaiting_wallet'`)} AS awaitingWallet,
    (SELECT min((SELECT min(awaitsSince) FROM deliveries INDEXED BY deliveries_reminders
        WHERE state = 'awaiting_wallet' AND reminders = value))
      FROM json_each('[0, 1, 2, 3]')) AS awaitingSince,
    ${counted(sql`FROM deliveries INDEXED BY deliveries_reminders
      WHERE state = 'awaiting_wallet' AND reminders = 3`)} AS unclaimed,
    ${counted(sql`FROM deliveries INDEXED BY deliveries_failed WHERE state = 'failed'`)} AS failed,
    (SELECT max(updatedAt) FROM deliveries INDEXED BY deliveries_failedAt
      WHERE state = 'failed') AS failedAt,
    ${counted(sql`FROM deliveries INDEXED BY deliveries_retried
      WHERE retriedAt IS NOT NULL AND state IN ('queued', 'in_flight')`)} AS retried`

/** What a delivery of the newest transactions of each chain has cost, wei and gas. */
export const selectCosts = (db: Database, chainIds: readonly number[]) =>
  raw<{ chainId: number; itemFee: number | null; itemGas: number | null }>(db)`
    SELECT value AS chainId,
      round(sum(CAST(fee AS REAL)) / sum(json_array_length(items))) AS itemFee,
      round(sum(CAST(gasUsed AS REAL)) / sum(json_array_length(items))) AS itemGas
    FROM json_each(${JSON.stringify(chainIds)})
      LEFT JOIN transactions ON fee IS NOT NULL AND transactions.id IN (SELECT t.id FROM transactions t
        WHERE t.chainId = value AND t.block IS NOT NULL AND NOT t.isOpen
        ORDER BY t.block DESC LIMIT ${NEWEST})
    GROUP BY value`

/** Listings whose sale has stopped since a time, by obstacle. They had been there before. */
export const selectStoppedSales = (db: Database, since: string) =>
  raw<{ obstacle: SaleObstacle; listings: number }>(db)`
    SELECT obstacle, count(*) AS listings FROM (SELECT obstacle FROM listings
      WHERE obstacle IS NOT NULL AND obstacleSince > ${since} AND createdAt <= ${since} LIMIT ${MAX_COUNT})
    GROUP BY obstacle ORDER BY listings DESC, obstacle`

/** Endpoints to which something is to be sent, and those that fail or are disabled. */
export const selectWebhookCounts = (db: Database, now: string) =>
  raw<{ pending: number; dueAt: string | null; failing: number; disabled: number }>(db)`
    SELECT count(*) AS pending,
      min(dueAt) FILTER (WHERE coalesce(leaseUntil, '') <= ${now} AND dueAt <= ${now}) AS dueAt,
      ${counted(sql`FROM webhookEndpoints
        WHERE failingSince IS NOT NULL AND disabledAt IS NULL`)} AS failing,
      ${counted(sql`FROM webhookEndpoints
        WHERE disabledAt IS NOT NULL AND deletedAt IS NULL`)} AS disabled
    FROM (SELECT dueAt, leaseUntil FROM webhookEndpoints
      WHERE dueAt IS NOT NULL AND disabledAt IS NULL ORDER BY dueAt LIMIT ${MAX_COUNT})`

/** Endpoints of administrators that fail, or were disabled because of that, the longest first. */
export const selectFailingEndpoints = (db: Database) =>
  raw<FailingEndpoint>(db)`
    SELECT id, url, failingSince, disabledAt FROM webhookEndpoints
      WHERE role = 'master' AND disabledAt IS NULL AND failingSince IS NOT NULL
    UNION ALL SELECT id, url, failingSince, disabledAt FROM webhookEndpoints
      WHERE role = 'master' AND disabledAt IS NOT NULL AND disabledReason IN ('failing', 'gone')
        AND deletedAt IS NULL
    ORDER BY failingSince LIMIT ${MAX_ENDPOINTS}`
