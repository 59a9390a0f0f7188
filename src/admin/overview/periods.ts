/** Orders by the hour or the day in which they were placed (UTC). */
import type { hourlyOrders } from '../../db/schema/operations.ts'
import { DAY, HOUR } from '../../time.ts'

export type Range = 'hours' | 'days'

/** Milliseconds of a period, and the number of periods. */
const ranges: Record<Range, { length: number; count: number }> = {
  hours: { length: HOUR, count: 48 },
  days: { length: DAY, count: 30 },
}

type Hour = typeof hourlyOrders.$inferSelect

export type Period = ReturnType<typeof sumPeriod>

/** Returns when the periods begin, in milliseconds since 1970. The last one is the present one. */
function periodStarts(range: Range, now: Date): number[] {
  const { length, count } = ranges[range]
  const last = Math.floor(now.getTime() / length) * length
  return Array.from({ length: count }, (_, i) => last - (count - 1 - i) * length)
}

/** When the first period begins, as ISO 8601. */
export const firstStart = (range: Range, now: Date): string =>
  new Date(periodStarts(range, now)[0] ?? now).toISOString()

/** Returns all periods, the oldest first. */
export function groupByPeriod(hours: readonly Hour[], range: Range, now: Date): Period[] {
  const { length } = ranges[range]
  const byStart = Map.groupBy(hours, ({ hour }) => Math.floor(Date.parse(hour) / length) * length)
  return periodStarts(range, now).map((start) => sumPeriod(start, byStart.get(start) ?? []))
}

function sumPeriod(start: number, hours: readonly Hour[]) {
  const sum = (numberIn: (hour: Hour) => number) =>
    hours.reduce((total, hour) => total + numberIn(hour), 0)
  const states = {
    delivered: sum(({ transferred }) => transferred),
    underWay: sum(({ underWay }) => underWay),
    awaitingWallet: sum(({ awaitingWallet }) => awaitingWallet),
    failed: sum(({ failed }) => failed),
  }
  const orders = sum(({ firstId, lastId }) => lastId - firstId + 1)
  const known = Object.values(states).reduce((total, orders) => total + orders, 0)
  return {
    /** ISO 8601. */
    start: new Date(start).toISOString(),
    ...states,
    cancelled: Math.max(0, orders - known),
    p50: weightedMedian(hours, 'p50'),
    p95: weightedMedian(hours, 'p95'),
  }
}

/**
 * Returns the milliseconds from the order to the end of the delivery; null if nothing is delivered. Half
 * of what was delivered was ordered in hours with this value or less.
 */
function weightedMedian(hours: readonly Hour[], percentile: 'p50' | 'p95'): number | null {
  const sorted = hours
    .filter(({ transferred }) => transferred > 0)
    .sort((a, b) => (a[percentile] ?? 0) - (b[percentile] ?? 0))
  let rest = sorted.reduce((total, { transferred }) => total + transferred, 0) / 2
  for (const hour of sorted) {
    rest -= hour.transferred
    if (rest <= 0) return hour[percentile]
  }
  return null
}
