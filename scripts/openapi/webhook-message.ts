import * as z from 'zod'
import { webhookEvents } from '../../src/db/schema/webhooks.ts'
import type { WebhookMessage as Answer } from '../../src/events/messages.ts'
import { messageStates } from '../../src/events/schema.ts'
import { count, id, orNull, positive, text, time } from '../../src/http/fields.ts'
import { describes } from './answer.ts'

const Attempt = z
  .object({
    at: time('Time of the attempt.'),
    duration: count('How long it took, in milliseconds.'),
    status: orNull(positive('Status of the response; null if there was none.')),
    error: orNull(text('Why the attempt failed; null if it succeeded.')),
  })
  .meta({ id: 'WebhookAttempt', description: 'An attempt to send a message.' })

export const WebhookMessage = describes<Answer>()(
  z
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
    .meta({ id: 'WebhookMessage', description: 'An event for an endpoint.' }),
)
