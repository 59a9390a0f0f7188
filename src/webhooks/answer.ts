/** Endpoints and messages, as responses show them. */
import * as z from 'zod'
import { disabledReasons, webhookEvents, webhookStates } from '../db/schema/webhooks.ts'
import { bool, count, id, orNull, positive, text, time, timestamps } from '../http/fields.ts'

export const Webhook = z
  .object({
    id: z.uuid().describe('Id of the endpoint.'),
    userId: id('Id of the user who owns the endpoint.'),
    role: z
      .enum(['user', 'master'])
      .describe(
        '`user`: gets the events of orders that its user bought or sold. `master`: gets those of ' +
          'all orders, and alarms, while its user is administrator.',
      ),
    url: text('Where events are sent.'),
    events: z.array(z.enum(webhookEvents)).describe('The events that are sent.'),
    enabled: bool('Whether events are sent.'),
    failingSince: orNull(
      time('Time of the first failed attempt after the last success; null if none has failed.'),
    ),
    disabledAt: orNull(time('Time at which the endpoint was disabled; null while it is enabled.')),
    disabledReason: orNull(
      z
        .enum(disabledReasons)
        .describe(
          '`failing`: nothing was accepted for 5 days. `gone`: it answered 410. `owner`: its owner ' +
            'disabled it. Null while it is enabled.',
        ),
    ),
    previousSecretUntil: orNull(
      time('Until then the secret before the last rotation signs as well; null if there is none.'),
    ),
    ...timestamps(),
  })
  .meta({ id: 'Webhook', description: 'An endpoint to which events are sent.' })
export type Webhook = z.infer<typeof Webhook>

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
    id: text('Id of the message: the header `webhook-id` of each attempt.'),
    type: z.enum(webhookEvents).describe('The event.'),
    orderId: orNull(id('Id of the order; null if the event is not of an order.')),
    state: z
      .enum(webhookStates)
      .describe(
        '`pending`: is sent at `dueAt`. `delivered`: the endpoint accepted it. `failed`: no more ' +
          'attempts are made, unless it is sent again.',
      ),
    dueAt: orNull(time('Time of the next attempt; null if none is planned.')),
    createdAt: time('Time of the event.'),
    attempts: z.array(Attempt).describe('The attempts that were made, in their order.'),
    payload: z
      .object({
        type: z.enum(webhookEvents).describe('The event.'),
        timestamp: text('Time of the event.'),
        data: z.record(z.string(), z.unknown()).describe('What happened. Depends on the event.'),
      })
      .describe('The body that is sent.'),
  })
  .meta({ id: 'WebhookMessage', description: 'An event for an endpoint, and what became of it.' })
export type WebhookMessage = z.infer<typeof WebhookMessage>
