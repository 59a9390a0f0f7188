/** What the page of operators shows, in one trip. */
import { gte, sql } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { type Database, raw } from '../db/client.ts'
import type { ReasonCode } from '../db/schema/delivery.ts'
import { hourlyOrders } from '../db/schema/operations.ts'
import { selectTransfers } from '../delivery/admin/transfers.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { selectAudit } from './audit.ts'
import { stateStatements, storedState } from './instance-state.ts'
import { firstStart } from './periods.ts'

/** Items in the list of the oldest ones. */
const OLDEST = 10
/** Entries of the audit log. */
const NEWEST = 20

/** Failed items that are grouped at most. */
export const MAX_FAILURES = 10_000

/** Failed items with the same reason. */
export type Failure = { reasonCode: ReasonCode; items: number; oldestId: number }

/** The largest group first. */
const selectFailures = (db: Database) =>
  raw<Failure>(
    db,
    sql`SELECT reasonCode, count(*) AS items, min(id) AS oldestId
      FROM (SELECT id, reasonCode FROM deliveries
        WHERE state = 'failed' AND reasonCode IS NOT NULL LIMIT ${MAX_FAILURES})
      GROUP BY 1 ORDER BY 2 DESC, 1`,
  )

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** Returns the administrator and the overview. Throws `unauthenticated`, `forbidden`. */
export async function readOverview(ctx: Ctx & { settings: Pick<Settings, 'NETWORKS'> }) {
  const { db, settings, now } = ctx
  const since = firstStart('days', now)
  const [account, hours, queued, inFlight, failures, audit, ...stored] = await readAsUser(ctx, [
    db.select().from(hourlyOrders).where(gte(hourlyOrders.hour, since)),
    selectTransfers(db, { status: 'queued', limit: OLDEST }),
    selectTransfers(db, { status: 'in_flight', limit: OLDEST }),
    selectFailures(db),
    selectAudit(db, { before: Number.MAX_SAFE_INTEGER, limit: NEWEST }),
    ...stateStatements(ctx),
  ])
  const oldest = [...queued, ...inFlight].sort((a, b) => a.id - b.id).slice(0, OLDEST)
  return { account, hours, oldest, failures, audit, state: storedState(settings, stored) }
}
