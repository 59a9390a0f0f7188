/** What the overview shows, in one trip. */
import { gte, type SQL, sql } from 'drizzle-orm'
import { readAsUser } from '../../auth/session.ts'
import type { Database } from '../../db/client.ts'
import type { ReasonCode } from '../../db/schema/delivery.ts'
import { hourlyOrders } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'
import type { Settings } from '../../env.ts'
import type { Ctx } from '../../http/context.ts'
import { stateStatements, storedState } from '../../monitoring/state.ts'
import { chainsSql, delayedSql, MAX_COUNT, reasonCodesJson } from '../../monitoring/state-rows.ts'
import { selectAudit } from '../components/audit-entries.ts'
import { firstStart } from './periods.ts'

/** Entries of the audit log that it shows. */
const NEWEST = 20

export type Overview = Awaited<ReturnType<typeof readOverview>>

export async function readOverview(
  ctx: Ctx & { settings: Pick<Settings, 'NETWORKS' | 'DELIVERY_ALARM_MINUTES'> },
) {
  const { db, settings, now } = ctx
  const since = firstStart('days', now)
  const { account, hours, audit, failures, waiting, ...stored } = await readAsUser(ctx, {
    hours: db.select().from(hourlyOrders).where(gte(hourlyOrders.hour, since)),
    audit: selectAudit(db, { limit: NEWEST }),
    failures: selectFailures(db),
    waiting: selectWaiting(db),
    ...stateStatements(ctx),
  })
  return { account, hours, audit, failures, waiting, state: storedState(settings, stored) }
}

/** Transfers with the same reason. */
export type ReasonGroup = {
  /** Only queued transfers are grouped by chain; null if their network is not configured. */
  chainId?: number | null
  reasonCode: ReasonCode
  /** Counted up to `MAX_COUNT`. */
  transfers: number
  oldestId: number
  /** JSON: what these transfers are worth by currency (ISO 4217), in minor units. */
  totals: string
}

/** The columns of a group. Its index has the oldest transfer first. */
const groupColumns = (
  selected: SQL,
) => sql`value AS reasonCode, (SELECT id ${selected} LIMIT 1) AS oldestId,
  (SELECT count(*) FROM (SELECT 1 ${selected} LIMIT ${MAX_COUNT})) AS transfers,
  (SELECT json_group_object(priceCurrency, amount) FROM (
    SELECT priceCurrency, total(priceCents * quantity) AS amount FROM orderItems
    WHERE id IN (SELECT id ${selected} LIMIT ${MAX_COUNT}) GROUP BY priceCurrency)) AS totals`

/** Selects the failed transfers of each reason, the largest group first. */
const selectFailures = (db: Database) =>
  raw<ReasonGroup>(db)`SELECT ${groupColumns(sql`FROM deliveries INDEXED BY deliveries_failed
      WHERE reasonCode = value AND state = 'failed'`)}
    FROM json_each(${reasonCodesJson}) WHERE transfers > 0 ORDER BY transfers DESC, reasonCode`

/** Selects the queued transfers of each chain and reason, the largest group first. */
const selectWaiting = (db: Database) =>
  raw<ReasonGroup>(db)`WITH RECURSIVE ${chainsSql} SELECT chainId, ${groupColumns(delayedSql)}
    FROM chains, json_each(${reasonCodesJson})
    WHERE transfers > 0 ORDER BY transfers DESC, reasonCode`
