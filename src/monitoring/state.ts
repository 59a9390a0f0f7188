/**
 * The state of the instance: what health, metrics, alarms and pages show. Read from D1, the queues
 * and R2; nothing is counted in isolates. Nothing is counted beyond `MAX_COUNT`, so that it costs the
 * same for any number of orders.
 */
import { inArray, isNull, type SQL, sql } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import type { Results } from '../db/batch.ts'
import type { Database } from '../db/client.ts'
import { periodAt } from '../db/quota.ts'
import type { SaleObstacle } from '../db/schema/catalogue.ts'
import { networks, type ReasonCode, reasonCodes } from '../db/schema/delivery.ts'
import {
  acknowledgements,
  alarms,
  backups,
  cronRuns,
  failures,
  findings,
  networkChecks,
} from '../db/schema/operations.ts'
import type { WebhookEndpoint } from '../db/schema/webhooks.ts'
import { raw, selectSize } from '../db/statements.ts'
import { selectDisagreements } from '../delivery/store/disagreements.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { HOUR, MINUTE, SECOND, within } from '../time.ts'
import { selectSigned } from './counting/signed-items.ts'
import { selectEnding } from './counting/token-ends.ts'

type StateSettings = Pick<Settings, 'NETWORKS' | 'DELIVERY_ALARM_MINUTES'>
type StateCtx = Pick<Ctx, 'db' | 'now'> & { settings: StateSettings }

/** What is counted is counted up to here: this number means that or more. */
export const MAX_COUNT = 1000
/** Endpoints with an alarm. */
const MAX_ENDPOINTS = 20
/** Transactions of a chain from which the cost of an item is taken. */
const NEWEST = 100
/** Items of each placer, and transactions, in which the oldest item is looked for. */
const FIRST = 10

/**
 * Items of a chain that are under way. Times are null if there is no such item. They and the oldest
 * item are looked for among the first that each placer has queued, and the oldest transactions.
 */
type ItemsUnderWay = {
  /** Null for items whose network was not configured. */
  chainId: number | null
  queued: number
  inFlight: number
  /** Since when the first of the due items is due. */
  dueAt: string | null
  /** When the first transaction was signed that is in no block. */
  unminedAt: string | null
  /** When the first of them was queued, of those that have no reason to wait (`Delay`). */
  queuedAt: string | null
  /** The oldest item, and when it was ordered. */
  firstId: number
  firstAt: string
}

/**
 * Queued items of a chain that wait for the same reason. `queuedAt`: of the first of them. `lateAt`: of the
 * last one that is late; null if none is.
 */
type Delay = Pick<ItemsUnderWay, 'chainId' | 'queuedAt'> & {
  reasonCode: ReasonCode
  items: number
  lateAt: string | null
}

type Counts = Omit<typeof noCounts, 'awaitingSince' | 'failedAt'> &
  Record<'awaitingSince' | 'failedAt', string | null>

type FailingEndpoint = Pick<WebhookEndpoint, 'id' | 'url' | 'failingSince' | 'disabledAt'>

export type StoredState = ReturnType<typeof storedState>
type QueueState = Awaited<ReturnType<typeof readQueue>>
export type State = StoredState & {
  queues: Record<string, QueueState>
  storageProblem: string | null
}

/** Reads the queues and R2 while `rows` are read: the results of `stateStatements`. */
export async function readState(
  env: Env,
  settings: Pick<Settings, 'NETWORKS'>,
  rows: Promise<StateRows>,
): Promise<State> {
  const [stored, deliveries, webhooks, master_webhooks, storageProblem] = await Promise.all([
    rows,
    readQueue(env.DELIVERIES),
    readQueue(env.WEBHOOKS),
    readQueue(env.MASTER_WEBHOOKS),
    findStorageProblem(env.AVATARS),
  ])
  const queues = { deliveries, webhooks, master_webhooks }
  return { ...storedState(settings, stored), queues, storageProblem }
}

type StateRows = Results<ReturnType<typeof stateStatements>>

export function storedState({ NETWORKS }: Pick<Settings, 'NETWORKS'>, rows: StateRows) {
  const { queued, inFlight, counts, checks, cron, webhooks, alarms, backup, ...others } = rows
  const names = new Map(Object.entries(NETWORKS).map(([name, n]) => [n.chainId, name]))
  return {
    ...others,
    ...(counts[0] ?? noCounts),
    underWay: [...queued, ...inFlight],
    networks: checks.map((check) => ({ name: names.get(check.chainId) ?? '', ...check })),
    cron: cron[0] ?? null,
    backup: backup[0] ?? null,
    webhooks: webhooks[0] ?? { pending: 0, dueAt: null, failing: 0, disabled: 0 },
    alarms: alarms.map((alarm) => ({ ...alarm, subject: alarm.key.slice(alarm.name.length + 1) })),
  }
}

const noCounts = {
  awaitingWallet: 0,
  awaitingSince: null,
  unclaimed: 0,
  failed: 0,
  failedAt: null,
  retried: 0,
}

export const countItems = (underWay: readonly ItemsUnderWay[], of: 'queued' | 'inFlight'): number =>
  underWay.reduce((sum, group) => sum + group[of], 0)

export const stateStatements = ({ db, settings, now: date }: StateCtx) => {
  const now = date.toISOString()
  const before = (milliseconds: number) => new Date(date.getTime() - milliseconds).toISOString()
  const hourAgo = before(HOUR)
  return {
    queued: selectUnderWay(
      db,
      sql`WITH RECURSIVE ${chainsSql}, placers (chainId, placer) AS (
        SELECT chainId, (SELECT min(placer) ${queuedSql} AND d.chainId IS chains.chainId) FROM chains
        UNION ALL SELECT chainId, (SELECT min(d.placer) ${queuedSql} AND d.chainId IS placers.chainId
          AND d.placer > placers.placer) FROM placers WHERE placer IS NOT NULL)
      SELECT p.chainId, ${counted(sql`${queuedSql} AND d.chainId IS p.chainId`)} AS queued, 0 AS inFlight,
        NULL AS unminedAt, min(d.queuedAt) FILTER (WHERE d.failingSince IS NULL) AS queuedAt,
        min(d.dueAt) FILTER (WHERE d.dueAt <= ${now}) AS dueAt, min(d.id) AS firstId
      FROM placers p CROSS JOIN deliveries d ON d.id IN (SELECT d.id ${queuedSql}
        AND d.chainId IS p.chainId AND d.placer = p.placer ORDER BY d.dueAt LIMIT ${FIRST})
      GROUP BY p.chainId`,
    ),
    inFlight: selectUnderWay(
      db,
      sql`SELECT t.chainId, 0 AS queued, t.carried AS inFlight, t.unminedAt, min(d.queuedAt) AS queuedAt,
        NULL AS dueAt, min(d.id) AS firstId
      FROM (SELECT chainId, items, row_number() OVER (PARTITION BY chainId ORDER BY id) AS position,
          sum(json_array_length(items)) OVER (PARTITION BY chainId) AS carried,
          min(createdAt) FILTER (WHERE block IS NULL) OVER (PARTITION BY chainId) AS unminedAt
        FROM transactions WHERE isOpen AND items <> '[]') t, json_each(t.items) i
        JOIN deliveries d ON d.id = i.value AND d.state = 'in_flight'
      WHERE t.position <= ${FIRST} GROUP BY t.chainId`,
    ),
    delays: raw<Delay>(db)`
      WITH RECURSIVE ${chainsSql}, delays AS (SELECT chainId, value AS reasonCode,
        ${counted(delayedSql)} AS items, (SELECT min(queuedAt) ${delayedSql}) AS queuedAt,
        (SELECT max(queuedAt) ${delayedSql}
          AND queuedAt <= ${before(settings.DELIVERY_ALARM_MINUTES * MINUTE)}) AS lateAt
        FROM chains, json_each(${reasonCodesJson}))
      SELECT * FROM delays WHERE items > 0 ORDER BY 1, 2`,
    /**
     * `awaitingSince`: since when the first of those without a wallet waits. `unclaimed`: those of
     * them that were told as such. `failedAt`: when an item failed last. `retried`: failed items that were
     * queued again and have not ended.
     */
    counts: raw<Counts>(db)`
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
        WHERE retriedAt IS NOT NULL AND state IN ('queued', 'in_flight')`)} AS retried`,
    checks: db
      .select()
      .from(networkChecks)
      .where(inArray(networkChecks.chainId, configuredChainIds(settings))),
    /** What the last run of each chain found. */
    runs: db.select().from(networks),
    /** Signers that pause, because their transactions reverted. */
    paused: raw<{ chainId: number; address: string; reverts: number; pausedUntil: string }>(db)`
      SELECT chainId, address, reverts, pausedUntil FROM signers WHERE pausedUntil > ${now}`,
    /** What an item of the newest transactions of each chain has cost, wei and gas. */
    costs: raw<{ chainId: number; itemFee: number | null; itemGas: number | null }>(db)`
      SELECT value AS chainId,
        round(sum(CAST(fee AS REAL)) / sum(json_array_length(items))) AS itemFee,
        round(sum(CAST(gasUsed AS REAL)) / sum(json_array_length(items))) AS itemGas
      FROM json_each(${JSON.stringify(configuredChainIds(settings))})
        LEFT JOIN transactions ON fee IS NOT NULL AND transactions.id IN (SELECT t.id FROM transactions t
          WHERE t.chainId = value AND t.block IS NOT NULL AND NOT t.isOpen
          ORDER BY t.block DESC LIMIT ${NEWEST})
      GROUP BY value`,
    /** What is not acknowledged, the oldest first. */
    findings: db
      .select()
      .from(findings)
      .where(isNull(findings.acknowledgedAt))
      .orderBy(findings.id),
    disagreements: selectDisagreements(db, date),
    /** Listings whose sale has stopped within an hour, by obstacle. They had been there for an hour. */
    stoppedSales: raw<{ obstacle: SaleObstacle; listings: number }>(db)`
      SELECT obstacle, count(*) AS listings FROM (SELECT obstacle FROM listings
        WHERE obstacle IS NOT NULL AND obstacleSince > ${hourAgo} AND createdAt <= ${hourAgo} LIMIT ${MAX_COUNT})
      GROUP BY obstacle ORDER BY listings DESC, obstacle`,
    cron: db.select().from(cronRuns),
    webhooks: raw<{ pending: number; dueAt: string | null; failing: number; disabled: number }>(db)`
      SELECT count(*) AS pending,
        min(dueAt) FILTER (WHERE coalesce(leaseUntil, '') <= ${now} AND dueAt <= ${now}) AS dueAt,
        ${counted(sql`FROM webhookEndpoints
          WHERE failingSince IS NOT NULL AND disabledAt IS NULL`)} AS failing,
        ${counted(sql`FROM webhookEndpoints
          WHERE disabledAt IS NOT NULL AND deletedAt IS NULL`)} AS disabled
      FROM (SELECT dueAt, leaseUntil FROM webhookEndpoints
        WHERE dueAt IS NOT NULL AND disabledAt IS NULL ORDER BY dueAt LIMIT ${MAX_COUNT})`,
    /** Endpoints of administrators that fail, or were disabled because of that, the longest first. */
    failingEndpoints: raw<FailingEndpoint>(db)`
      SELECT id, url, failingSince, disabledAt FROM webhookEndpoints
        WHERE role = 'master' AND disabledAt IS NULL AND failingSince IS NOT NULL
      UNION ALL SELECT id, url, failingSince, disabledAt FROM webhookEndpoints
        WHERE role = 'master' AND disabledAt IS NOT NULL AND disabledReason IN ('failing', 'gone')
          AND deletedAt IS NULL
      ORDER BY failingSince LIMIT ${MAX_ENDPOINTS}`,
    alarms: db.select().from(alarms).orderBy(alarms.raisedAt, alarms.key),
    /** What the instance has used of its quotas in this hour and on this day. */
    quotas: raw<{ name: string; period: string; used: number }>(db)`
      SELECT name, period, used FROM quotas WHERE name IN ('mails', 'order-mails', 'pictures')
      AND period IN (${periodAt(date, 'day')}, ${periodAt(date, 'hour')})`,
    endingTokens: selectEnding(db, date),
    signed: selectSigned(db, date),
    failureCounts: db.select().from(failures),
    backup: db.select().from(backups),
    acknowledgements: db.select().from(acknowledgements),
    databaseBytes: selectSize(db),
  }
}

export const reasonCodesJson = JSON.stringify(reasonCodes)

/** SQL of the number of rows, counted up to `MAX_COUNT`. */
const counted = (rows: SQL) => sql`(SELECT count(*) FROM (SELECT 1 ${rows} LIMIT ${MAX_COUNT}))`

const queuedSql = sql`FROM deliveries d WHERE d.dueAt IS NOT NULL`

/** The chains that have queued items, found by jumping through the index; then null. */
export const chainsSql = sql`chains (chainId) AS (SELECT min(d.chainId) ${queuedSql}
  UNION ALL SELECT (SELECT min(d.chainId) ${queuedSql} AND d.chainId > chains.chainId) FROM chains
    WHERE chainId IS NOT NULL)`

/** The queued items of a chain that wait for the reason `value`. */
export const delayedSql = sql`FROM deliveries d INDEXED BY deliveries_delayed
  WHERE d.chainId IS chains.chainId AND d.reasonCode = value
    AND d.failingSince IS NOT NULL AND d.dueAt IS NOT NULL`

const selectUnderWay = (db: Database, groups: SQL) =>
  raw<ItemsUnderWay>(db)`
    SELECT w.*, (SELECT createdAt FROM deliveries WHERE id = w.firstId) AS firstAt
    FROM (${groups}) w`

/** Milliseconds that a queue and R2 have to answer: alarms wait for them. */
const MAX_DURATION = 5 * SECOND

/** `problem`: why the queue does not tell. */
async function readQueue(queue: Queue) {
  try {
    const { backlogCount, backlogBytes, oldestMessageTimestamp } = await within(
      MAX_DURATION,
      queue.metrics(),
    )
    // An empty queue may tell the beginning of 1970.
    const isKnown = oldestMessageTimestamp && oldestMessageTimestamp.getTime() > 0
    const oldestAt = isKnown ? oldestMessageTimestamp.toISOString() : null
    return { messages: backlogCount, bytes: backlogBytes, oldestAt, problem: null }
  } catch (error) {
    return { messages: 0, bytes: 0, oldestAt: null, problem: String(error) }
  }
}

/** Asks for an object that does not exist. */
const findStorageProblem = (bucket: R2Bucket): Promise<string | null> =>
  within(MAX_DURATION, bucket.head('health')).then(() => null, String)

/** Milliseconds for which an isolate uses a state again, so that probes cost little. */
export const MAX_AGE = 10 * SECOND

const cache = new WeakMap<Env, { state: State; at: number }>()

/** Returns the state, at most ten seconds old. Throws `unauthenticated` if the token is not live. */
export async function cachedState(env: Env, ctx: StateCtx & Pick<Ctx, 'caller'>): Promise<State> {
  const { db, caller, settings, now } = ctx
  const entry = cache.get(env)
  if (entry && now.getTime() - entry.at < MAX_AGE) {
    await readAs(db, caller, {})
    return entry.state
  }
  const state = await readState(env, settings, readAs(db, caller, stateStatements(ctx)))
  cache.set(env, { state, at: now.getTime() })
  return state
}
