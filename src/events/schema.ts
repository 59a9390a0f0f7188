/** Endpoints and messages, as requests send them and as responses show them. */
import * as z from 'zod'
import { disabledReasons, webhookEvents, webhookStates } from '../db/schema/webhooks.ts'
import { bool, id, orNull, text, time, timestamps } from '../http/fields.ts'
import { instant, limitText, tokenNameText, writtenText } from '../http/inputs.ts'
import { webhookLimits } from '../http/limits.ts'
import { ChosenEvent, EventName } from './event.ts'

const url = writtenText(2048, 1).describe('Where events are sent: an https URL of a public host.')
const events = z
  .array(ChosenEvent)
  .min(1, 'must have at least one event')
  .max(ChosenEvent.options.length)
  .refine((events) => new Set(events).size === events.length, 'must not have an event twice')
  .describe('The events to send. Alarms are only for endpoints with the role `master`.')

const sources = z
  .array(tokenNameText)
  .min(1, 'must have at least one name, or be null')
  .max(webhookLimits.sources.max)
  .nullable()
  .describe(
    'Names of tokens: only orders that they placed are told. Null for all. With the role `master`, of master tokens.',
  )

/** The fields of a new endpoint. */
export const NewWebhook = z
  .object({ url, events, sources: sources.default(null) })
  .meta({ id: 'NewWebhook', description: 'The fields of a new endpoint.' })

/** The fields to change. An absent one stays as it is. */
export const WebhookChanges = z
  .object({
    url: url.optional(),
    events: events.optional(),
    sources: sources.optional(),
    enabled: z
      .boolean()
      .optional()
      .describe(
        'Whether events are sent. `true` also enables an endpoint that failures have disabled.',
      ),
  })
  .meta({ id: 'WebhookChanges', description: 'The fields to change.' })

export const WebhookId = z.object({ webhook_id: z.uuid().describe('Id of the endpoint.') })
export const MessageId = WebhookId.extend({
  message_id: EventName.describe('Id of the event: the `webhook-id` of the message.'),
})

/** The query of a list of endpoints. */
export const WebhookQuery = z.object({
  cursor: z.uuid().optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Endpoints per page.'),
})

/** What a message is in: `waiting` in the log, or in one of the states of the others. */
export const messageStates = [...webhookStates, 'waiting'] as const
export type MessageState = (typeof messageStates)[number]

/** The query of the messages of an endpoint. */
export const MessagesQuery = z.object({
  cursor: EventName.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(20).describe('Messages per page.'),
  state: z.enum(messageStates).optional().describe('Selects messages in this state.'),
})

export const Replay = z
  .object({
    since: instant.describe('Events of then and later are sent again.'),
  })
  .meta({ id: 'Replay', description: 'What to send again.' })

/** The query of the log of events. */
export const EventsQuery = z
  .object({
    after: EventName.optional().describe('Id of the last event that you have, as in `nextAfter`.'),
    since: instant
      .optional()
      .describe('Instead: a time. Without both, the oldest events come first.'),
    source: tokenNameText.optional().describe('Only events of orders of this token name.'),
    limit: limitText(100).describe('Events per page.'),
  })
  .refine(({ after, since }) => !(after && since), {
    path: ['since'],
    message: 'must not be sent with `after`',
  })

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
    sources: z
      .array(z.string())
      .nullable()
      .describe('Names of the tokens whose orders are told; null for all.'),
    verifiedAt: orNull(
      time('Time at which the URL returned a challenge; null if it has to, to get events.'),
    ),
    hasEvents: bool('Whether the log has events that are still to be sent.'),
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
            'disabled it. `demoted`: its user is no administrator any more. Null while it is enabled.',
        ),
    ),
    previousSecretUntil: orNull(
      time('Until then the secret before the last rotation signs as well; null if there is none.'),
    ),
    ...timestamps(),
  })
  .meta({ id: 'Webhook', description: 'An endpoint to which events are sent.' })
export type Webhook = z.infer<typeof Webhook>
