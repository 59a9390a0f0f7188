/**
 * The state of the instance: what health, metrics, alarms and pages show. Read from D1, the queues
 * and R2; nothing is counted in isolates. Finished deliveries are not counted, so that it costs the
 * same for any number of them.
 */
import { inArray, sql } from 'drizzle-orm'
import type { BatchResponse } from 'drizzle-orm/batch'
import { readAs } from '../auth/access.ts'
import { type Database, raw } from '../db/client.ts'
import { periodAt } from '../db/quota.ts'
import { networks, type ReasonCode } from '../db/schema/delivery.ts'
import { alarms, cronRuns, networkChecks } from '../db/schema/operations.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'

type StateCtx = Pick<Ctx, 'db' | 'now'> & { settings: Pick<Settings, 'NETWORKS'> }

/** Items of a chain that are under way. Times are null if there is no such item. */
type Work = {
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

/** Queued items of a chain that wait for the same reason. */
type Delay = {
  /** Null for items whose network was not configured. */
  chainId: number | null
  reasonCode: ReasonCode
  items: number
  /** When the first of them was queued. */
  queuedAt: string | null
}

/** Failed items with the same reason. */
export type Failure = { reasonCode: ReasonCode; items: number; oldestId: number }

/** `problem`: why the queue does not tell. */
type QueueState = {
  messages: number
  bytes: number
  oldestAt: string | null
  problem: string | null
}

export type State = Awaited<ReturnType<typeof readState>>

/** Milliseconds for which another transaction with a nonce of a signer counts. */
const DAY = 24 * 60 * 60 * 1000

/** Transactions of a chain from which the cost of an item is taken. */
const NEWEST = 100

/** `rows`: what `stateStatements` returns. */
export async function readState(
  env: Env,
  settings: Pick<Settings, 'NETWORKS'>,
  rows: Promise<StateRows>,
) {
  const [read, deliveries, webhooks, masterWebhooks, storageProblem] = await Promise.all([
    rows,
    readQueue(env.DELIVERIES),
    readQueue(env.WEBHOOKS),
    readQueue(env.MASTER_WEBHOOKS),
    findStorageProblem(env.AVATARS),
  ])
  const queues = { deliveries, webhooks, master_webhooks: masterWebhooks }
  return { ...storedState(settings, read), queues, storageProblem }
}

type StateRows = BatchResponse<ReturnType<typeof stateStatements>>

/** What D1 knows of the state. */
export function storedState({ NETWORKS }: Pick<Settings, 'NETWORKS'>, rows: StateRows) {
  const [queued, inFlight, delays, [waiting], failures, checks, runs, paused, ...others] = rows
  const [costs, foreign, [cron], [outbox], open, quotas] = others
  const names = new Map(Object.entries(NETWORKS).map(([name, n]) => [n.chainId, name]))
  return {
    work: [...queued, ...inFlight],
    delays,
    awaitingWallet: waiting?.awaitingWallet ?? 0,
    /** The largest group first. */
    failures,
    failed: failures.reduce((sum, { items }) => sum + items, 0),
    networks: checks.map((check) => ({ name: names.get(check.chainId) ?? '', ...check })),
    /** What the last run of each chain found. */
    runs,
    /** Signers that pause, because their transactions reverted. */
    paused,
    /** What an item of the newest transactions of each chain has cost, wei and gas. */
    costs,
    /** Signers whose nonces another program has used within a day. */
    foreign,
    cron: cron ?? null,
    /** What the instance has used of its quotas in this hour and on this day. */
    quotas,
    webhooks: outbox ?? { pending: 0, dueAt: null, failing: 0, disabled: 0 },
    alarms: open.map((alarm) => ({ ...alarm, subject: alarm.key.slice(alarm.name.length + 1) })),
  }
}

/** Returns the statements that read the state of the instance. */
export const stateStatements = ({ db, settings, now }: StateCtx) => {
  const at = now.toISOString()
  const dayAgo = new Date(now.getTime() - DAY).toISOString()
  return [
    work(
      db,
      sql`SELECT chainId, count(*) AS queued, 0 AS inFlight, NULL AS unminedAt,
      min(queuedAt) FILTER (WHERE failingSince IS NULL) AS queuedAt,
      min(dueAt) FILTER (WHERE dueAt <= ${at}) AS dueAt, min(id) AS firstId
      FROM deliveries WHERE dueAt IS NOT NULL GROUP BY chainId`,
    ),
    work(
      db,
      sql`SELECT t.chainId, 0 AS queued, count(*) AS inFlight,
      min(t.createdAt) FILTER (WHERE t.block IS NULL) AS unminedAt, min(d.queuedAt) AS queuedAt,
      NULL AS dueAt, min(d.id) AS firstId
      FROM transactions t, json_each(t.items) i
        JOIN deliveries d ON d.id = i.value AND d.state = 'in_flight'
      WHERE t.isOpen GROUP BY t.chainId`,
    ),
    raw<Delay>(
      db,
      sql`SELECT chainId, reasonCode, count(*) AS items, min(queuedAt) AS queuedAt
        FROM deliveries INDEXED BY deliveries_delayed
        WHERE failingSince IS NOT NULL AND dueAt IS NOT NULL GROUP BY 1, 2`,
    ),
    raw<{ awaitingWallet: number }>(
      db,
      sql`SELECT count(*) AS awaitingWallet FROM deliveries INDEXED BY deliveries_waiting
        WHERE state IN ('awaiting_wallet', 'failed', 'cancelled', 'written_off') AND state = 'awaiting_wallet'`,
    ),
    raw<Failure>(
      db,
      sql`SELECT reasonCode, count(*) AS items, min(id) AS oldestId
        FROM deliveries INDEXED BY deliveries_failed
        WHERE state = 'failed' GROUP BY 1 ORDER BY 2 DESC, 1`,
    ),
    db
      .select()
      .from(networkChecks)
      .where(inArray(networkChecks.chainId, configuredChainIds(settings))),
    db
      .select({
        chainId: networks.chainId,
        problem: networks.problem,
        unconfirmedSince: networks.unconfirmedSince,
      })
      .from(networks),
    raw<{ chainId: number; address: string; reverts: number; pausedUntil: string }>(
      db,
      sql`SELECT chainId, address, reverts, pausedUntil FROM signers WHERE pausedUntil > ${at}`,
    ),
    raw<{ chainId: number; itemFee: number | null; itemGas: number | null }>(
      db,
      sql`SELECT value AS chainId, sum(CAST(fee AS REAL)) / sum(json_array_length(items)) AS itemFee,
          sum(CAST(gasUsed AS REAL)) / sum(json_array_length(items)) AS itemGas
        FROM json_each(${JSON.stringify(configuredChainIds(settings))})
          LEFT JOIN transactions ON fee IS NOT NULL AND transactions.id IN (SELECT t.id FROM transactions t
            WHERE t.chainId = value AND t.block IS NOT NULL AND NOT t.isOpen
            ORDER BY t.block DESC LIMIT ${NEWEST})
        GROUP BY value`,
    ),
    raw<{ chainId: number; signer: string; nonce: number }>(
      db,
      sql`SELECT chainId, signer, max(nonce) AS nonce FROM transactions
        WHERE NOT isOpen AND block IS NULL AND nonceUsedAt IS NOT NULL AND updatedAt >= ${dayAgo}
        GROUP BY chainId, signer`,
    ),
    db.select().from(cronRuns),
    raw<{ pending: number; dueAt: string | null; failing: number; disabled: number }>(
      db,
      sql`SELECT count(*) AS pending,
          min(dueAt) FILTER (WHERE coalesce(leaseUntil, '') <= ${at} AND dueAt <= ${at}) AS dueAt,
          (SELECT count(*) FROM webhookEndpoints
            WHERE failingSince IS NOT NULL AND disabledAt IS NULL) AS failing,
          (SELECT count(*) FROM webhookEndpoints
            WHERE disabledAt IS NOT NULL AND deletedAt IS NULL) AS disabled
        FROM webhookEndpoints WHERE dueAt IS NOT NULL AND disabledAt IS NULL`,
    ),
    db.select().from(alarms).orderBy(alarms.raisedAt, alarms.key),
    raw<{ name: string; period: string; used: number }>(
      db,
      sql`SELECT name, period, used FROM quotas
        WHERE name IN ('mails', 'order-mails', 'pictures') AND period IN (${periodAt(now, 'day')}, ${periodAt(now, 'hour')})`,
    ),
  ] as const
}

const work = (db: Database, groups: ReturnType<typeof sql>) =>
  raw<Work>(
    db,
    sql`SELECT w.*, (SELECT createdAt FROM deliveries WHERE id = w.firstId) AS firstAt
      FROM (${groups}) w`,
  )

async function readQueue(queue: Queue): Promise<QueueState> {
  try {
    const { backlogCount, backlogBytes, oldestMessageTimestamp } = await queue.metrics()
    // An empty queue may tell the beginning of 1970.
    const isKnown = oldestMessageTimestamp && oldestMessageTimestamp.getTime() > 0
    const oldestAt = isKnown ? oldestMessageTimestamp.toISOString() : null
    return { messages: backlogCount, bytes: backlogBytes, oldestAt, problem: null }
  } catch (error) {
    return { messages: 0, bytes: 0, oldestAt: null, problem: String(error) }
  }
}

/** Asks for an object that does not exist. */
async function findStorageProblem(bucket: R2Bucket): Promise<string | null> {
  try {
    await bucket.head('health')
    return null
  } catch (error) {
    return String(error)
  }
}

/** Milliseconds for which an isolate uses a state again, so that probes cost little. */
export const MAX_AGE = 10_000

const cache = new WeakMap<Env, { state: State; at: number }>()

/** Returns the state, at most ten seconds old. Throws `unauthenticated` if the token is not live. */
export async function cachedState(env: Env, ctx: StateCtx & Pick<Ctx, 'caller'>): Promise<State> {
  const { db, caller, settings, now } = ctx
  const entry = cache.get(env)
  if (entry && now.getTime() - entry.at < MAX_AGE) {
    await readAs(db, caller, [])
    return entry.state
  }
  const state = await readState(env, settings, readAs(db, caller, stateStatements(ctx)))
  cache.set(env, { state, at: now.getTime() })
  return state
}
