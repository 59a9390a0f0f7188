/**
 * Quotas: how often something may happen in a minute, an hour or a day (UTC), to the instance or to
 * a user.
 */
import { type SQL, sql } from 'drizzle-orm'
import { DAY } from '../time.ts'
import type { Guard } from './batch.ts'
import type { Database } from './client.ts'
import { prune } from './prune.ts'
import { quotas } from './schema/operations.ts'
import { raw } from './statements.ts'

const periods = {
  minute: { digits: 16, milliseconds: 60 * 1000 },
  hour: { digits: 13, milliseconds: 60 * 60 * 1000 },
  day: { digits: 10, milliseconds: DAY },
}
export type QuotaPeriod = keyof typeof periods

export type Quota = {
  /** As in `mails`, or `addresses:7` for one user. */
  name: string | SQL<string>
  per: QuotaPeriod
  limit: number | SQL<number>
  /** How much is used at once. Default: 1. */
  uses?: number
  /** The error if nothing is left. `seconds`: until the next period. */
  error: (seconds: number) => Error
}

/** Returns the period that a time is in, as in `2026-01-31`, `2026-01-31T12` or `2026-01-31T12:30`. */
export const periodAt = (now: Date, per: QuotaPeriod): string =>
  now.toISOString().slice(0, periods[per].digits)

function secondsLeft(now: Date, per: QuotaPeriod): number {
  const { milliseconds } = periods[per]
  return Math.ceil((milliseconds - (now.getTime() % milliseconds)) / 1000)
}

/**
 * Takes quotas in a transaction. `guards` reject it if too little is left of one: that with the longest
 * period is to be the first, so that the caller learns how long to wait. `uses` count it, if `when`
 * holds.
 *
 * @example
 * const { guards, uses } = takeQuotas(db, now, [quotaOf(peopleLimits.newAddresses, userId)])
 * await guarded(db, guards, { created: insertAddress(db, address), uses })
 */
export const takeQuotas = (
  db: Database,
  now: Date,
  quotas: readonly Quota[],
  when: SQL = sql`true`,
) => ({
  guards: quotas.map((quota) => refuseOver(quota, now)),
  uses: quotas.length > 0 ? [countUses(db, quotas, now, when)] : [],
})

const refuseOver = ({ name, per, limit, uses = 1, error }: Quota, now: Date): Guard => ({
  when: sql`coalesce((SELECT used FROM quotas
    WHERE period = ${periodAt(now, per)} AND name = ${name}), 0) + ${uses} > ${limit}`,
  error: () => error(secondsLeft(now, per)),
})

function countUses(db: Database, quotas: readonly Quota[], now: Date, when: SQL) {
  const rows = quotas.map(
    ({ name, per, uses = 1 }) => sql`(${name}, ${periodAt(now, per)}, ${uses})`,
  )
  return raw<never>(db)`INSERT INTO quotas (name, period, used)
    SELECT * FROM (VALUES ${sql.join(rows, sql`, `)}) WHERE ${when}
    ON CONFLICT DO UPDATE SET used = used + excluded.used`
}

/** Returns the statement that deletes what was used before yesterday. */
export const pruneQuotas = (db: Database, now: Date) =>
  prune(db, quotas, sql`period < ${periodAt(new Date(now.getTime() - DAY), 'day')}`)
