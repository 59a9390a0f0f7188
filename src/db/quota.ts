/**
 * Quotas: how often something may happen in a minute, an hour or a day (UTC), to the instance or to
 * a user.
 */
import { type SQL, sql } from 'drizzle-orm'
import { DAY } from '../time.ts'
import { type Guard, guarded } from './batch.ts'
import type { Database } from './client.ts'
import { prune } from './prune.ts'
import { quotas } from './schema/operations.ts'
import { raw } from './statements.ts'

const periods = {
  minute: { digits: 16, milliseconds: 60 * 1000 },
  hour: { digits: 13, milliseconds: 60 * 60 * 1000 },
  day: { digits: 10, milliseconds: DAY },
}
export type Period = keyof typeof periods

export type Quota = {
  /** As in `mails`, or `addresses:7` for one user. */
  name: string | SQL<string>
  per: Period
  limit: number | SQL<number>
  /** How much is used at once. Default: 1. */
  uses?: number
  /** The error if nothing is left. `seconds`: until the next period. */
  error: (seconds: number) => Error
}

/** Returns the period that a time is in, as in `2026-01-31`, `2026-01-31T12` or `2026-01-31T12:30`. */
export const periodAt = (now: Date, per: Period): string =>
  now.toISOString().slice(0, periods[per].digits)

function secondsLeft(now: Date, per: Period): number {
  const { milliseconds } = periods[per]
  return Math.ceil((milliseconds - (now.getTime() % milliseconds)) / 1000)
}

/** Rejects a use of a quota of which too little is left. */
export const refuseOverQuota = (
  { name, per, limit, uses = 1, error }: Quota,
  now: Date,
): Guard => ({
  when: sql`coalesce((SELECT used FROM quotas
    WHERE period = ${periodAt(now, per)} AND name = ${name}), 0) + ${uses} > ${limit}`,
  error: () => error(secondsLeft(now, per)),
})

/** The statement that counts a use, if `when` holds. Put it into the transaction of what it counts. */
export const countUse = (
  db: Database,
  { name, per, uses = 1 }: Quota,
  now: Date,
  when: SQL = sql`true`,
) =>
  raw<never>(
    db,
    sql`INSERT INTO quotas (name, period, used)
      SELECT ${name}, ${periodAt(now, per)}, ${uses} WHERE ${when}
      ON CONFLICT DO UPDATE SET used = used + excluded.used`,
  )

/**
 * Counts a use of all quotas. Throws the error of the first of which too little is left: the one with
 * the longest period is to be the first, so that the caller learns how long to wait.
 */
export async function takeQuotas(db: Database, quotas: readonly Quota[], now: Date): Promise<void> {
  await guarded(
    db,
    quotas.map((quota) => refuseOverQuota(quota, now)),
    { uses: quotas.map((quota) => countUse(db, quota, now)) },
  )
}

/** Returns the statement that deletes what was used before yesterday. */
export const pruneQuotas = (db: Database, now: Date) =>
  prune(db, quotas, sql`period < ${periodAt(new Date(now.getTime() - DAY), 'day')}`)
