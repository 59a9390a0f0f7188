/** Endpoints and messages, as requests send them and as responses show them. */
import * as z from 'zod'
import {
  disabledReasons,
  type WebhookEvent,
  webhookEvents,
  webhookStates,
} from '../db/schema/webhooks.ts'
import { bool, count, id, orNull, positive, text, time, timestamps } from '../http/fields.ts'
import { limitText } from '../http/ids.ts'
import { inputText } from '../http/inputs.ts'

/** The events that an endpoint may choose. `webhook.test` is always sent. */
const ChosenEvent = z.enum(webhookEvents).exclude(['webhook.test'])
export type ChosenEvent = z.infer<typeof ChosenEvent>
export const chosenEvents = ChosenEvent.options

/** What each event means, for people. */
export const eventMeanings: Record<ChosenEvent, string> = {
  'order.created': 'An order was placed',
  'order.awaiting_wallet': 'The buyer has no wallet yet',
  'order.delivered': 'The buyer has the NFT',
  'order.failed': 'The NFT could not be delivered, or its delivery was cancelled',
  'order.cancelled': 'Its delivery was cancelled',
  'alarm.raised': 'Something is wrong with the marketplace',
  'alarm.cleared': 'It is over',
}

/** Whether only endpoints with the role `master` get the event. */
export const isAlarm = (event: WebhookEvent): boolean => event.startsWith('alarm.')

const url = inputText(2048)
  .trim()
  .min(1)
  .describe('Where events are sent: an https URL of a public host.')
const events = z
  .array(ChosenEvent)
  .min(1, 'must have at least one event')
  .max(ChosenEvent.options.length)
  .refine((events) => new Set(events).size === events.length, 'must not have an event twice')
  .describe('The events to send. Alarms are only for endpoints with the role `master`.')

/** The fields of a new endpoint. */
export const NewWebhook = z
  .object({ url, events })
  .meta({ id: 'NewWebhook', description: 'The fields of a new endpoint.' })

/** The fields to change. An absent one stays as it is. */
export const WebhookChanges = z
  .object({
    url: url.optional(),
    events: events.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'Whether events are sent. `true` also enables an endpoint that failures have disabled.',
      ),
  })
  .meta({ id: 'WebhookChanges', description: 'The fields to change.' })

export const WebhookId = z.object({ webhook_id: z.uuid().describe('Id of the endpoint.') })
const messageId = z.string().regex(/^msg_[\da-f]{32}$/, 'must be the id of a message')
export const MessageId = WebhookId.extend({
  message_id: messageId.describe('Id of the message: its `webhook-id`.'),
})

/** The query of a list of endpoints. */
export const WebhookQuery = z.object({
  cursor: z.uuid().optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Endpoints per page.'),
})

/** The query of the log. */
export const LogQuery = z.object({
  cursor: messageId.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(20).describe('Messages per page.'),
  state: z.enum(webhookStates).optional().describe('Selects messages in this state.'),
})

/** A time in ISO 8601 and UTC, in the form in which the database stores it. */
export const instant = z.iso.datetime().transform((text) => new Date(text).toISOString())
export const Replay = z
  .object({
    since: instant.describe('Messages that were created then or later are sent again.'),
  })
  .meta({ id: 'Replay', description: 'What to send again.' })

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
  .meta({
    id: 'WebhookMessage',
    description: 'An event for an endpoint, and the attempts to send it.',
  })
export type WebhookMessage = z.infer<typeof WebhookMessage>
