/** Texts of times, durations and amounts. */
import type { Network } from '../../env.ts'
import { MAX_COUNT } from '../../monitoring/state-rows.ts'
import { formatCount } from '../../pages/components/text.ts'
import { DAY, HOUR, MINUTE, SECOND } from '../../time.ts'

/** Milliseconds of the units, and their texts. */
const units: [size: number, name: string][] = [
  [DAY, 'd'],
  [HOUR, 'h'],
  [MINUTE, 'min'],
  [SECOND, 's'],
]

/** Returns a text such as `42 s` or `1.5 h`. */
export function duration(milliseconds: number): string {
  const [size, name] = units.find(([size]) => milliseconds >= size) ?? [SECOND, 's']
  const value = milliseconds / size
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${name}`
}

/** What ends the axis of a duration: numbers of a unit that halve well. */
const ends = units.toReversed().flatMap(([size]) => [1, 2, 4, 10, 20, 40].map((n) => n * size))

/** Returns the end of an axis for durations up to `max`. */
export const durationEnd = (max: number): number =>
  ends.find((end) => end >= max) ?? Math.ceil(max / DAY / 100) * 100 * DAY

/** Returns the end of an axis for numbers up to `max`, such as 10, 20 or 40: half of it is whole, too. */
export function countEnd(max: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(max, 1)))
  return Math.max(2, [1, 2, 4, 6, 8, 10].map((n) => n * power).find((end) => end >= max) ?? max)
}

let formats: Record<'day' | 'hour', Intl.DateTimeFormat> | undefined

/** Returns a time (UTC) such as `Sat 21 Nov`, or `Sat 21 Nov, 14:00`. */
export function periodName(start: string, unit: 'day' | 'hour'): string {
  const day = { weekday: 'short', day: 'numeric', month: 'short', timeZone: 'UTC' } as const
  // Created at the first use, because that takes longer than the start of the Worker.
  formats ??= {
    day: new Intl.DateTimeFormat('en-GB', day),
    hour: new Intl.DateTimeFormat('en-GB', { ...day, hour: '2-digit', minute: '2-digit' }),
  }
  return formats[unit].format(new Date(start)).replace(', ', ' ')
}

/** Formats a number that is counted up to `MAX_COUNT`. */
export const upTo = (value: number): string =>
  value < MAX_COUNT ? formatCount(value) : `${formatCount(MAX_COUNT)} or more`

/** Returns an amount of wei in a larger unit, with five significant digits. */
export const formatDecimal = (wei: string, digits: number): string =>
  (Number(wei) / 10 ** digits).toLocaleString('en', { maximumSignificantDigits: 5 })

/** Returns the symbol of the coin in which a chain charges fees. */
export const symbolOf = (network: Network | undefined): string =>
  network?.nativeCurrency?.symbol ?? 'ETH'
