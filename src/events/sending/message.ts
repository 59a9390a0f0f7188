/** Messages of an endpoint, as a run reads and sends them. */
import type { WebhookEvent } from '../../db/schema/webhooks.ts'

/** `tries`: attempts before this one. `dueAt`: null if it is sent from the log. */
export type Message = {
  id: number
  type: WebhookEvent
  /** JSON. */
  body: string
  tries: number
  dueAt: string | null
}

/** `end`: the position of the endpoint once all messages were sent. */
export type Batch = { messages: Message[]; end: number }

/** Returns the position of an endpoint after these messages, of which some may not be of the log. */
export const positionAfter = (position: number, messages: readonly Message[]): number =>
  Math.max(position, ...messages.map(({ id, dueAt }) => (dueAt === null ? id : 0)))
