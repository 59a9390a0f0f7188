/**
 * The state of the instance: what health, metrics, alarms and pages show. Read from D1, the queues
 * and R2; nothing is counted in isolates. Nothing is counted beyond `MAX_COUNT`, so that it costs the
 * same for any number of orders.
 */
import { inArray, isNull } from 'drizzle-orm'
import { readAs } from '../auth/access.ts'
import type { Results } from '../db/batch.ts'
import { selectOwedCodes } from '../db/codes.ts'
import { periodAt } from '../db/quota.ts'
import { contentStorage } from '../db/schema/content.ts'
import { networks } from '../db/schema/delivery.ts'
import {
  acknowledgements,
  alarms,
  backups,
  cronRuns,
  failures,
  findings,
  networkChecks,
} from '../db/schema/operations.ts'
import { raw, selectSize } from '../db/statements.ts'
import { selectDisagreements } from '../delivery/store/disagreements.ts'
import { configuredChainIds, type Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { HOUR, MINUTE, SECOND, within } from '../time.ts'
import { selectSigned } from './counting/signed-items.ts'
import { selectEnding } from './counting/token-ends.ts'
import {
  type DeliveriesUnderWay,
  MAX_COUNT,
  noCounts,
  selectCosts,
  selectCounts,
  selectDelays,
  selectFailingEndpoints,
  selectInFlight,
  selectQueued,
  selectStoppedSales,
  selectWebhookCounts,
} from './state-rows.ts'

type StateSettings = Pick<Settings, 'NETWORKS' | 'DELIVERY_ALARM_MINUTES'>
type StateCtx = Pick<Ctx, 'db' | 'now'> & { settings: StateSettings }

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
  const {
    queued,
    inFlight,
    counts,
    checks,
    cron,
    webhooks,
    alarms,
    backup,
    content,
    owed,
    review,
    ...others
  } = rows
  const names = new Map(Object.entries(NETWORKS).map(([name, n]) => [n.chainId, name]))
  return {
    ...others,
    ...(counts[0] ?? noCounts),
    underWay: [...queued, ...inFlight],
    networks: checks.map((check) => ({ name: names.get(check.chainId) ?? '', ...check })),
    cron: cron[0] ?? null,
    backup: backup[0] ?? null,
    contentBytes: content[0]?.bytes ?? 0,
    review: review[0] ?? { proposals: 0, oldest: null },
    owedCodes: owed[0] ?? { orderItems: 0, nfts: 0, first: null, last: null },
    webhooks: webhooks[0] ?? { pending: 0, dueAt: null, failing: 0, disabled: 0 },
    alarms: alarms.map((alarm) => ({ ...alarm, subject: alarm.key.slice(alarm.name.length + 1) })),
  }
}

export const countDeliveries = (
  underWay: readonly DeliveriesUnderWay[],
  of: 'queued' | 'inFlight',
): number => underWay.reduce((sum, group) => sum + group[of], 0)

export const stateStatements = ({ db, settings, now: date }: StateCtx) => {
  const now = date.toISOString()
  const before = (milliseconds: number) => new Date(date.getTime() - milliseconds).toISOString()
  return {
    queued: selectQueued(db, now),
    inFlight: selectInFlight(db),
    delays: selectDelays(db, before(settings.DELIVERY_ALARM_MINUTES * MINUTE)),
    counts: selectCounts(db),
    checks: db
      .select()
      .from(networkChecks)
      .where(inArray(networkChecks.chainId, configuredChainIds(settings))),
    /** What the last run of each chain found. */
    runs: db.select().from(networks),
    /** Signers that pause, because their transactions reverted. */
    paused: raw<{ chainId: number; address: string; reverts: number; pausedUntil: string }>(db)`
      SELECT chainId, address, reverts, pausedUntil FROM signers WHERE pausedUntil > ${now}`,
    costs: selectCosts(db, configuredChainIds(settings)),
    /** What is not acknowledged, the oldest first. */
    findings: db
      .select()
      .from(findings)
      .where(isNull(findings.acknowledgedAt))
      .orderBy(findings.id),
    disagreements: selectDisagreements(db, date),
    stoppedSales: selectStoppedSales(db, before(HOUR)),
    owed: selectOwedCodes(db, MAX_COUNT),
    /** What waits to be approved, and since when. */
    review: raw<{ proposals: number; oldest: string | null }>(db)`
      SELECT count(*) AS proposals, min(submittedAt) AS oldest FROM (SELECT submittedAt FROM proposals
        WHERE state = 'in_review' ORDER BY submittedAt LIMIT ${MAX_COUNT})`,
    cron: db.select().from(cronRuns),
    webhooks: selectWebhookCounts(db, now),
    failingEndpoints: selectFailingEndpoints(db),
    alarms: db.select().from(alarms).orderBy(alarms.raisedAt, alarms.key),
    /** What the instance has used of its quotas in this hour and on this day. */
    quotas: raw<{ name: string; period: string; used: number }>(db)`
      SELECT name, period, used FROM quotas WHERE name IN ('mails', 'order-mails', 'pictures')
      AND period IN (${periodAt(date, 'day')}, ${periodAt(date, 'hour')})`,
    /** Bytes of the files of NFTs. */
    content: db.select().from(contentStorage),
    endingTokens: selectEnding(db, date),
    signed: selectSigned(db, date),
    failureCounts: db.select().from(failures),
    backup: db.select().from(backups),
    acknowledgements: db.select().from(acknowledgements),
    databaseBytes: selectSize(db),
  }
}

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
