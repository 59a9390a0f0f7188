/** What the page of operators shows, in one trip. */
import { asc, gte, inArray, sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { type Database, raw } from '../db/client.ts'
import { alarms, hourlyOrders, networkChecks } from '../db/schema/operations.ts'
import { pageOf } from '../delivery/admin/operator.ts'
import { chainIdsOf, type Settings } from '../env.ts'
import type { Caller } from '../http/context.ts'
import { selectAudit } from './audit.ts'
import { selectFailures } from './failures.ts'
import { firstStart } from './periods.ts'

/** Items in the list of the oldest ones. */
const OLDEST = 10
/** Entries of the audit log. */
const NEWEST = 20

type Totals = {
  /** Items by what they wait for. */
  queued: number
  inFlight: number
  awaitingWallet: number
  pendingWebhooks: number
  /** Endpoints of webhooks. */
  failingEndpoints: number
  disabledEndpoints: number
}

/** Numbers of rows, each counted in an index that has no others. */
const selectTotals = (db: Database) =>
  raw<Totals>(
    db,
    sql`SELECT (SELECT count(*) FROM deliveries WHERE dueAt IS NOT NULL) AS queued,
      (SELECT coalesce(sum(json_array_length(items)), 0) FROM transactions t WHERE t.isOpen) AS inFlight,
      (SELECT count(*) FROM deliveries WHERE state = 'awaiting_wallet'
        AND state IN ('awaiting_wallet', 'failed', 'cancelled')) AS awaitingWallet,
      (SELECT count(*) FROM webhookMessages WHERE dueAt IS NOT NULL) AS pendingWebhooks,
      (SELECT count(*) FROM webhookEndpoints
        WHERE failingSince IS NOT NULL AND disabledAt IS NULL) AS failingEndpoints,
      (SELECT count(*) FROM webhookEndpoints
        WHERE disabledAt IS NOT NULL AND disabledReason IN ('failing', 'gone')) AS disabledEndpoints`,
  )

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** Throws `unauthenticated`, `forbidden`. */
export async function readOverview(
  db: Database,
  caller: Caller,
  settings: Pick<Settings, 'NETWORKS'>,
  now: Date,
) {
  const oldest = (status: 'queued' | 'in_flight') =>
    pageOf(db, { status, cursor: 0, limit: OLDEST })
  const [account, hours, raised, [totals], queued, inFlight, failures, checks, audit] =
    await readAsUser({ db, caller }, [
      db
        .select()
        .from(hourlyOrders)
        .where(gte(hourlyOrders.hour, firstStart('days', now))),
      db.select().from(alarms).orderBy(asc(alarms.raisedAt), asc(alarms.key)),
      selectTotals(db),
      oldest('queued'),
      oldest('in_flight'),
      selectFailures(db),
      db
        .select()
        .from(networkChecks)
        .where(inArray(networkChecks.chainId, chainIdsOf(settings))),
      selectAudit(db, Number.MAX_SAFE_INTEGER, NEWEST),
    ])
  const waiting = [...queued, ...inFlight].sort((a, b) => a.id - b.id).slice(0, OLDEST)
  if (!totals) throw new Error('the SELECT returned no row')
  return { account, hours, alarms: raised, totals, waiting, failures, checks, audit }
}
