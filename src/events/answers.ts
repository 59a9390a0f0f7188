/** The bodies of answers about endpoints, messages and events. */
import * as z from 'zod'
import { webhookEvents } from '../db/schema/webhooks.ts'
import { bool, count, id, orNull, positive, text, time } from '../http/fields.ts'
import { messageStates, Webhook } from './schema.ts'

const Attempt = z
  .object({
    at: time('Time of the attempt.'),
    duration: count('How long it took, in milliseconds.'),
    status: orNull(positive('Status of the response; null if there was none.')),
    error: orNull(text('Why the attempt failed; null if it succeeded.')),
  })
  .meta({ id: 'WebhookAttempt', description: 'An attempt to send a message.' })

export const WebhookMessage = z
  .object({
    id: text('Id of the event: the header `webhook-id` of each attempt.'),
    type: z.enum(webhookEvents).describe('The event.'),
    orderId: orNull(id('Id of the order; null if the event is not of an order.')),
    state: z
      .enum(messageStates)
      .describe(
        '`waiting`: in the log, until those before it are sent, the URL is verified and the ' +
          'endpoint is enabled. `delivered`: the endpoint accepted ' +
          'it. `pending`: is sent at `dueAt`. `failed`: no more attempts are made, unless it is ' +
          'sent again.',
      ),
    dueAt: orNull(
      time('Time of the next attempt; null unless it is pending and its endpoint enabled.'),
    ),
    createdAt: time('Time of the event.'),
    attempts: z
      .array(Attempt)
      .describe('The last attempts, in their order; none if the first one was accepted.'),
    payload: z
      .object({
        type: z.enum(webhookEvents).describe('The event.'),
        timestamp: time('Time of the event.'),
        data: z.record(z.string(), z.unknown()).describe('What happened. Depends on the event.'),
      })
      .describe('The body that is sent, but for the challenge of a test.'),
  })
  .meta({ id: 'WebhookMessage', description: 'An event for an endpoint.' })
/** An event for an endpoint, with the last attempts to send it. */
export type WebhookMessage = z.infer<typeof WebhookMessage>

const nextCursor = orNull(text('`cursor` of the next page; null on the last page.'))
const webhook = Webhook.describe('The endpoint.')
const secret = text(
  'The secret that signs: `whsec_` and base64. Settings → Webhooks shows it again.',
)

export const WebhookPage = z
  .object({ webhooks: z.array(Webhook).describe('The endpoints, by id.'), nextCursor })
  .meta({ id: 'WebhookPage', description: 'A page of endpoints.' })
export const WebhookAnswer = z
  .object({ webhook })
  .meta({ id: 'WebhookAnswer', description: 'An endpoint.' })
export const WebhookSecret = z
  .object({ webhook, secret })
  .meta({ id: 'WebhookSecret', description: 'An endpoint with its new secret.' })
export const WebhookMessages = z
  .object({
    messages: z.array(WebhookMessage).describe('The messages, newest first.'),
    nextCursor,
  })
  .meta({ id: 'WebhookMessages', description: 'A page of the messages of an endpoint.' })
export const MessageAnswer = z
  .object({ message: WebhookMessage.describe('The message, which is sent now.') })
  .meta({ id: 'WebhookMessageAnswer', description: 'A message.' })
/** An event of the log. `scripts/build/openapi/events.ts` says what `data` has. */
const LoggedEvent = z
  .object({
    id: text('Id of the event: the `webhook-id` of messages about it.'),
    ...WebhookMessage.shape.payload.shape,
  })
  .meta({ id: 'LoggedEvent', description: 'An event.' })
export const EventPage = z
  .object({
    events: z.array(LoggedEvent).describe('The events, oldest first.'),
    nextAfter: orNull(
      text('`after` of the next call; null if there is no event yet. Store it with what you did.'),
    ),
    hasMore: bool('Whether the next page may have events already.'),
  })
  .meta({ id: 'EventPage', description: 'A page of the log of events.' })
