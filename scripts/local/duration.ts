/** Durations as people write them: `90s`, `10m`, `25h`, `6d`. */
import { DAY, HOUR, MINUTE, SECOND } from '../../src/time.ts'

const units: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }

const MAX_DAYS = 400

/** What a duration must look like, for errors. */
export const DURATION = `must be a number with a unit, as in 90s, 10m, 25h or 6d, from 1s to ${MAX_DAYS}d`

/** Returns milliseconds; undefined if the text is no duration in the range. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text.trim()) ?? []
  const duration = Number(count) * (units[unit] ?? Number.NaN)
  return duration >= SECOND && duration <= MAX_DAYS * DAY ? duration : undefined
}
