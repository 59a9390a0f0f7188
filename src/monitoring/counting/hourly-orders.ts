/**
 * Rolls orders up by the hour in which they were placed. The ids of deliveries grow with the time
 * of the order, so an hour is a range of ids, or several if it has many. Computed by the cron run,
 * so that no delivery writes a row more.
 */
import { type SQL, sql } from 'drizzle-orm'
import { batch } from '../../db/batch.ts'
import type { Database } from '../../db/client.ts'
import type { DeliveryState } from '../../db/schema/delivery.ts'
import type { hourlyOrders } from '../../db/schema/operations.ts'
import { raw } from '../../db/statements.ts'

/** Deliveries of a range. A run reads few ranges, so that it costs the same however many orders come. */
const RANGE = 1000
/** Deliveries that a run looks at for the newest ranges. The next run goes on after them. */
const MAX_DELIVERIES = 4 * RANGE

type Row = typeof hourlyOrders.$inferSelect
type CountedDelivery = { id: number; state: DeliveryState; createdAt: string; updatedAt: string }
type Range = { hour: string; deliveries: CountedDelivery[] }

const newest = sql`(SELECT * FROM hourlyOrders ORDER BY hour DESC, firstId DESC LIMIT 2)`

/** Reads a range that may still change: the one that was computed longest ago. */
const selectOlder = (db: Database, isOpen: SQL) =>
  raw<CountedDelivery & Pick<Row, 'hour' | 'firstId'>>(db)`
    SELECT h.hour, h.firstId, d.id, d.state, d.createdAt, d.updatedAt
    FROM (SELECT * FROM hourlyOrders WHERE ${isOpen} AND firstId NOT IN (SELECT firstId FROM ${newest})
      ORDER BY updatedAt LIMIT 1) h
    CROSS JOIN deliveries d ON d.id BETWEEN h.firstId AND h.lastId`

/**
 * Computes the two newest ranges again, those after them, and two older ones that may still change:
 * one with deliveries under way, and one whose deliveries wait or failed.
 */
export async function rollUpHours(db: Database, now: Date): Promise<void> {
  const { hours, deliveries, underWay, waiting } = await batch(db, {
    hours: raw<{ first: string | null }>(db)`SELECT min(hour) AS first FROM ${newest}`,
    deliveries: raw<CountedDelivery>(db)`SELECT id, state, createdAt, updatedAt FROM deliveries
      WHERE id >= coalesce((SELECT min(firstId) FROM ${newest}), 0) ORDER BY id LIMIT ${MAX_DELIVERIES}`,
    underWay: selectOlder(db, sql`underWay > 0`),
    waiting: selectOlder(db, sql`underWay = 0 AND failed + awaitingWallet > 0`),
  })
  const ranges = [
    ...[underWay, waiting].flatMap((rows) =>
      rows[0] ? { hour: rows[0].hour, deliveries: rows } : [],
    ),
    ...splitIntoRanges(deliveries, hours[0]?.first ?? ''),
  ]
  const rows = JSON.stringify(ranges.map((range) => summarize(range, now)))
  await batch(db, {
    ranges: raw<never>(db)`
      INSERT OR REPLACE INTO hourlyOrders SELECT value ->> 'hour', value ->> 'firstId',
        value ->> 'lastId', value ->> 'transferred', value ->> 'failed', value ->> 'awaitingWallet',
        value ->> 'underWay', value ->> 'p50', value ->> 'p95', value ->> 'updatedAt'
      FROM json_each(${rows})`,
  })
}

/** Ranges follow each other. None has an earlier hour than the one before it, whatever the clock said. */
function splitIntoRanges(deliveries: readonly CountedDelivery[], firstHour: string): Range[] {
  const ranges: Range[] = []
  let hour = firstHour
  for (const delivery of deliveries) {
    const itsHour = `${delivery.createdAt.slice(0, 13)}:00:00.000Z`
    const range = ranges.at(-1)
    const isNext = itsHour > hour
    if (isNext) hour = itsHour
    if (range && !isNext && range.deliveries.length < RANGE) range.deliveries.push(delivery)
    else ranges.push({ hour, deliveries: [delivery] })
  }
  return ranges
}

function summarize({ hour, deliveries }: Range, now: Date): Row {
  const ids = deliveries.map(({ id }) => id)
  const count = (...states: DeliveryState[]) =>
    deliveries.filter(({ state }) => states.includes(state)).length
  const durations = deliveries
    .filter(({ state }) => state === 'transferred')
    .map(({ createdAt, updatedAt }) => Date.parse(updatedAt) - Date.parse(createdAt))
    .sort((a, b) => a - b)
  const percentile = (share: number) => durations[Math.ceil(durations.length * share) - 1] ?? null
  return {
    hour,
    firstId: Math.min(...ids),
    lastId: Math.max(...ids),
    transferred: durations.length,
    failed: count('failed'),
    awaitingWallet: count('awaiting_wallet'),
    underWay: count('queued', 'in_flight'),
    p50: percentile(0.5),
    p95: percentile(0.95),
    updatedAt: now.toISOString(),
  }
}
