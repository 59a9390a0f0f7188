/**
 * Quotas: how often something may happen in a minute, an hour or a day (UTC), to the instance or to
 * a user.
 */
import { type SQL, sql } from 'drizzle-orm'
import { type Database, raw } from './client.ts'
import { type Guard, guardedBatch } from './guard.ts'

const DAY = 24 * 60 * 60 * 1000
const periods = {
  minute: { digits: 16, milliseconds: 60 * 1000 },
  hour: { digits: 13, milliseconds: 60 * 60 * 1000 },
  day: { digits: 10, milliseconds: DAY },
}
export type Period = keyof typeof periods

export type Quota = {
  /** As in `mails`, or `addresses:7` for one user. */
  name: string
  per: Period
  limit: number | SQL<number>
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

/** Rejects one more use of a quota of which nothing is left. */
export const requireQuota = ({ name, per, limit, error }: Quota, now: Date): Guard => ({
  when: sql`coalesce((SELECT used FROM quotas
    WHERE period = ${periodAt(now, per)} AND name = ${name}), 0) >= ${limit}`,
  error: () => error(secondsLeft(now, per)),
})

/** The statement that counts a use. Put it into the transaction of what it counts. */
export const countUse = (db: Database, { name, per }: Quota, now: Date) =>
  raw<never>(
    db,
    sql`INSERT INTO quotas (name, period, used) VALUES (${name}, ${periodAt(now, per)}, 1)
      ON CONFLICT DO UPDATE SET used = used + 1`,
  )

/** Counts a use of all quotas. Throws the error of the first of which nothing is left. */
export async function takeQuotas(db: Database, quotas: readonly Quota[], now: Date): Promise<void> {
  await guardedBatch(
    db,
    quotas.map((quota) => requireQuota(quota, now)),
    quotas.map((quota) => countUse(db, quota, now)),
  )
}

/** Returns the statement that deletes what was used before yesterday. */
export const pruneQuotas = (db: Database, now: Date) =>
  raw<never>(
    db,
    sql`DELETE FROM quotas WHERE period < ${periodAt(new Date(now.getTime() - DAY), 'day')}`,
  )
