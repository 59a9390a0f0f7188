/** What the page of operators shows, in one trip. */
import { gte } from 'drizzle-orm'
import { readAsUser } from '../auth/session.ts'
import { hourlyOrders } from '../db/schema/operations.ts'
import { isOnPage } from '../delivery/admin/transfers.ts'
import type { Settings } from '../env.ts'
import type { Ctx } from '../http/context.ts'
import { selectAudit } from './audit.ts'
import { selectDelays, selectFailures } from './groups.ts'
import { stateStatements, storedState } from './instance-state.ts'
import { firstStart } from './periods.ts'
import { selectListed } from './transfer-list.ts'

/** Items in the list of the oldest ones. */
const OLDEST = 10
/** Entries of the audit log. */
const NEWEST = 20

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** Returns the administrator and the overview. Throws `unauthenticated`, `forbidden`. */
export async function readOverview(ctx: Ctx & { settings: Pick<Settings, 'NETWORKS'> }) {
  const { db, settings, now } = ctx
  const since = firstStart('days', now)
  const [account, hours, queued, inFlight, audit, failures, delays, ...stored] = await readAsUser(
    ctx,
    [
      db.select().from(hourlyOrders).where(gte(hourlyOrders.hour, since)),
      selectListed(db, isOnPage({ status: 'queued', limit: OLDEST })),
      selectListed(db, isOnPage({ status: 'in_flight', limit: OLDEST })),
      selectAudit(db, { before: Number.MAX_SAFE_INTEGER, limit: NEWEST }),
      selectFailures(db),
      selectDelays(db),
      ...stateStatements(ctx),
    ],
  )
  const oldest = [...queued, ...inFlight].sort((a, b) => a.id - b.id).slice(0, OLDEST)
  return { account, hours, oldest, audit, failures, delays, state: storedState(settings, stored) }
}
