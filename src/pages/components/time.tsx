import { DAY, HOUR, MINUTE, SECOND } from '../../time.ts'
import { usePage } from './request.ts'

/** Formats are created at their first use, because that takes longer than the start of the Worker. */
let exactFormat: Intl.DateTimeFormat | undefined
let relativeFormat: Intl.RelativeTimeFormat | undefined

/** A timestamp as its distance from now. Hovering shows the exact time. */
export const Time = ({ at }: { at: string }) => {
  const { now } = usePage()
  exactFormat ??= new Intl.DateTimeFormat('en-GB', {
    dateStyle: 'long',
    timeStyle: 'medium',
    timeZone: 'UTC',
  })
  const date = new Date(at)
  return (
    <time datetime={at} title={`${exactFormat.format(date)} UTC`}>
      {relativeTime(date, now)}
    </time>
  )
}

/** What happened or happens then, as a part of a line. */
export const When = ({ what, at }: { what: string; at: string }) => (
  <span>
    {what} <Time at={at} />
  </span>
)

const MONTH = 30 * DAY
const YEAR = 365 * DAY

const units = [
  [YEAR, 'year'],
  [MONTH, 'month'],
  [DAY, 'day'],
  [HOUR, 'hour'],
  [MINUTE, 'minute'],
  [SECOND, 'second'],
] as const

/** Returns a text such as `3 hours ago`, `in 7 days`, `just now` or `in a moment`. */
export function relativeTime(date: Date, now: Date): string {
  const distance = date.getTime() - now.getTime()
  if (Math.abs(distance) < 10 * SECOND) return distance > SECOND ? 'in a moment' : 'just now'
  relativeFormat ??= new Intl.RelativeTimeFormat('en')
  const [size, unit] = units.find(([size]) => Math.abs(distance) >= size) ?? [SECOND, 'second']
  return relativeFormat.format(Math.trunc(distance / size), unit)
}

/**
 * When a token was used last. The time is stored once an hour (auth/last-used.ts), so a later use
 * may have happened.
 */
export const LastUsed = ({ at }: { at: string }) => (
  <span>
    Used {usePage().now.getTime() - Date.parse(at) < HOUR ? 'in the last hour' : <Time at={at} />}
  </span>
)
