/** The ids of events: positions in the log, and how far it goes back. */
import * as z from 'zod'

/** How an id of the log is shown, also as `webhook-id`: `evt_1772442120000000`. */
export const eventName = (id: number): string => `evt_${id}`

/** The id of an event, as its number in the log. */
export const EventName = z
  .string()
  .regex(/^evt_[1-8]?\d{1,15}$/, 'must be the id of an event')
  .transform((name) => Number(name.slice(4)))

/** The first id that an event of this time may have: microseconds since 1970. */
export const eventIdAt = (at: Date): number => at.getTime() * 1000

/** Events that a statement looks at, at most, for the few that a caller or an endpoint gets. */
export const WINDOW = 1000

/** Milliseconds for which events are kept, with the messages about them. */
export const RETENTION = 30 * 24 * 60 * 60 * 1000
