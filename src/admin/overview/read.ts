/** What the page of operators shows, in one trip. */
import { gte } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import { hourlyOrders } from '../../db/schema/operations.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { stateStatements, storedState } from '../../monitoring/state.ts'
import { selectAudit } from '../audit/read.ts'
import { selectDelays, selectFailures } from './groups.ts'
import { firstStart } from './periods.ts'

/** Entries of the audit log. */
const NEWEST = 20

export type Overview = Awaited<ReturnType<typeof readOverview>>

/** Returns the administrator and the overview. */
export async function readOverview(ctx: Ctx & { settings: Pick<Settings, 'NETWORKS'> }) {
  const { db, settings, now } = ctx
  const since = firstStart('days', now)
  const [account, hours, audit, failures, delays, ...stored] = await readAsUser(ctx, [
    db.select().from(hourlyOrders).where(gte(hourlyOrders.hour, since)),
    selectAudit(db, { limit: NEWEST }),
    selectFailures(db),
    selectDelays(db),
    ...stateStatements(ctx),
  ])
  return { account, hours, audit, failures, delays, state: storedState(settings, stored) }
}
