/** Endpoints and messages, as requests send them and as responses show them. */
import * as z from 'zod'
import { disabledReasons, webhookEvents, webhookStates } from '../db/schema/webhooks.ts'
import * as f from '../http/fields.ts'
import { instant, limitText, tokenNameText, uuid, writtenText } from '../http/inputs.ts'
import { webhookLimits } from '../limits.ts'
import { ChosenEvent, EventName } from './event.ts'

const url = writtenText(2048, 1).describe('Where events are sent: an https URL of a public host.')
const areDistinct = (values: readonly string[]) => new Set(values).size === values.length

const events = z
  .array(ChosenEvent)
  .min(1, 'must have at least one event')
  .max(ChosenEvent.options.length)
  .refine(areDistinct, 'must not have an event twice')
  .describe('The events to send. Alarms are only for endpoints with the role `master`.')

const sources = z
  .array(tokenNameText)
  .min(1, 'must have at least one name, or be null')
  .max(webhookLimits.sources.max)
  .refine(areDistinct, 'must not have a name twice')
  .nullable()
  .describe(
    'Names of tokens: only events of orders that they placed are sent. Null for all. With the role `master`, of master tokens.',
  )

export const NewWebhook = z
  .object({
    url,
    events,
    sources: sources.default(null),
  })
  .meta({ id: 'NewWebhook', description: 'The fields of a new endpoint.' })

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

export const WebhookId = z.object({ webhook_id: uuid.describe('Id of the endpoint.') })
export const MessageId = WebhookId.extend({
  message_id: EventName.describe('Id of the event: the `webhook-id` of the message.'),
})

export const WebhookQuery = z.object({
  cursor: uuid.optional().describe('The `nextCursor` of the previous page.'),
  limit: limitText(50).describe('Endpoints per page.'),
})

/** What a message is in: `waiting` in the log, or in one of the states of the others. */
export const messageStates = [...webhookStates, 'waiting'] as const
export type MessageState = (typeof messageStates)[number]

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

export const webhookFields = {
  id: z.uuid().describe('Id of the endpoint.'),
  userId: f.id('Id of the user who owns the endpoint.'),
  role: z
    .enum(['user', 'master'])
    .describe(
      '`user`: gets the events of orders that its user bought or sold. `master`: gets those of ' +
        'all orders, and alarms, while its user is administrator.',
    ),
  url: f.text('Where events are sent.'),
  events: z.array(z.enum(webhookEvents)).describe('The events that are sent.'),
  sources: z
    .array(z.string())
    .nullable()
    .describe('Names of the tokens of whose orders events are sent; null for all.'),
  verifiedAt: f.orNull(
    f.time('Time at which the URL returned a challenge; null if it has to, to get events.'),
  ),
  hasEvents: f.bool('Whether the log has events that are still to be sent.'),
  enabled: f.bool('Whether events are sent.'),
  failingSince: f.orNull(
    f.time('Time of the first failed attempt after the last success; null if none has failed.'),
  ),
  disabledAt: f.orNull(
    f.time('Time at which the endpoint was disabled; null while it is enabled.'),
  ),
  disabledReason: f.orNull(
    z
      .enum(disabledReasons)
      .describe(
        '`failing`: nothing was accepted for 5 days. `gone`: it answered 410. `owner`: its owner ' +
          'disabled it. `demoted`: its user is no administrator any more. Null while it is enabled.',
      ),
  ),
  previousSecretUntil: f.orNull(
    f.time('Until then the secret before the last rotation signs as well; null if there is none.'),
  ),
  ...f.timestamps(),
}
export const Webhook = f.model(
  'Webhook',
  'An endpoint to which events are sent.',
  () => webhookFields,
)
export type Webhook = z.infer<typeof Webhook>

const Attempt = f.model('WebhookAttempt', 'An attempt to send a message.', () => ({
  at: f.time('Time of the attempt.'),
  duration: f.count('How long it took, in milliseconds.'),
  status: f.orNull(f.positive('Status of the response; null if there was none.')),
  error: f.orNull(f.text('Why the attempt failed; null if it succeeded.')),
}))

const payloadFields = () => ({
  type: z.enum(webhookEvents).describe('The event.'),
  timestamp: f.time('Time of the event.'),
  data: z.record(z.string(), z.unknown()).describe('What happened. Depends on the event.'),
})

export const WebhookMessage = f.model('WebhookMessage', 'An event for an endpoint.', () => ({
  id: f.text('Id of the event: the header `webhook-id` of each attempt.'),
  type: z.enum(webhookEvents).describe('The event.'),
  orderId: f.orNull(f.id('Id of the order; null if the event is not of an order.')),
  state: z
    .enum(messageStates)
    .describe(
      '`waiting`: in the log, until those before it are sent, the URL is verified and the ' +
        'endpoint is enabled. `delivered`: the endpoint accepted ' +
        'it. `pending`: is sent at `dueAt`. `failed`: no more attempts are made, unless it is ' +
        'sent again.',
    ),
  dueAt: f.orNull(
    f.time('Time of the next attempt; null unless it is pending and its endpoint enabled.'),
  ),
  createdAt: f.time('Time of the event.'),
  attempts: z
    .array(Attempt)
    .describe('The last attempts, in their order; none if the first one was accepted.'),
  payload: f.object('The body that is sent, but for the challenge of a test.', payloadFields()),
}))
export type WebhookMessage = z.infer<typeof WebhookMessage>

const nextCursor = f.orNull(f.text('`cursor` of the next page; null on the last page.'))
const webhook = Webhook.describe('The endpoint.')
const secret = f.text(
  'The secret that signs: `whsec_` and base64. Settings → Webhooks shows it again.',
)

export const WebhookPage = f.model('WebhookPage', 'A page of endpoints.', () => ({
  webhooks: z.array(Webhook).describe('The endpoints, by id.'),
  nextCursor,
}))
export const WebhookAnswer = f.model('WebhookAnswer', 'An endpoint.', () => ({ webhook }))
export const WebhookSecret = f.model('WebhookSecret', 'An endpoint with its new secret.', () => ({
  webhook,
  secret,
}))
export const WebhookMessages = f.model(
  'WebhookMessages',
  'A page of the messages of an endpoint.',
  () => ({
    messages: z.array(WebhookMessage).describe('The messages, newest first.'),
    nextCursor,
  }),
)
export const MessageAnswer = f.model('WebhookMessageAnswer', 'A message.', () => ({
  message: WebhookMessage.describe('The message, which is sent now.'),
}))
/** An event of the log. `scripts/build/openapi/events.ts` says what `data` has. */
const LoggedEvent = f.model('LoggedEvent', 'An event.', () => ({
  id: f.text('Id of the event: the `webhook-id` of messages about it.'),
  ...payloadFields(),
}))
export const EventPage = f.model('EventPage', 'A page of the log of events.', () => ({
  events: z.array(LoggedEvent).describe('The events, oldest first.'),
  nextAfter: f.orNull(
    f.text('`after` of the next call; null if there is no event yet. Store it with what you did.'),
  ),
  hasMore: f.bool('Whether the next page may have events already.'),
}))
