/** What the webhook endpoints take. */
import * as z from 'zod/mini'
import { type WebhookEvent, webhookStates } from '../db/schema/webhooks.ts'
import { limitText } from '../http/ids.ts'

/** The events that an endpoint may choose. `webhook.test` is always sent. */
const orderEvents = [
  'order.created',
  'order.awaiting_wallet',
  'order.delivered',
  'order.failed',
] as const satisfies WebhookEvent[]
const alarmEvents = ['alarm.raised', 'alarm.cleared'] as const satisfies WebhookEvent[]
export const chosenEvents = [...orderEvents, ...alarmEvents] as const
export type ChosenEvent = (typeof chosenEvents)[number]

/** Whether only endpoints with the role `master` get the event. */
export const isAlarm = (event: WebhookEvent): boolean =>
  alarmEvents.some((alarm) => alarm === event)

const url = z
  .string()
  .check(
    z.trim(),
    z.minLength(1),
    z.maxLength(2048),
    z.describe('Where events are sent: an https URL of a public host.'),
  )
const events = z.array(z.enum(chosenEvents)).check(
  z.minLength(1, 'must have at least one event'),
  z.refine(
    (events: unknown[]) => new Set(events).size === events.length,
    'must not have an event twice',
  ),
  z.describe('The events to send. Alarms are only for endpoints with the role `master`.'),
)

/** The fields of a new endpoint. */
export const NewWebhook = z
  .object({ url, events })
  .check(z.meta({ id: 'NewWebhook', description: 'The fields of a new endpoint.' }))

/** The fields to change. An absent one stays as it is. */
export const WebhookChanges = z
  .object({
    url: z.optional(url),
    events: z.optional(events),
    enabled: z
      .optional(z.boolean())
      .check(z.describe('Whether events are sent. `true` also enables what failures disabled.')),
  })
  .check(z.meta({ id: 'WebhookChanges', description: 'The fields to change.' }))
export type WebhookChanges = z.infer<typeof WebhookChanges>

/** The path parameter. */
export const WebhookId = z.object({
  webhook_id: z.uuid().check(z.describe('Id of the endpoint.')),
})
const messageId = z.string().check(z.regex(/^msg_[\da-f]{32}$/, 'must be the id of a message'))
/** The path parameters of a message. */
export const MessageId = z.extend(WebhookId, {
  message_id: messageId.check(z.describe('Id of the message: its `webhook-id`.')),
})

/** The query of a list of endpoints. */
export const WebhookQuery = z.object({
  cursor: z.optional(z.uuid()).check(z.describe('The `nextCursor` of the previous page.')),
  limit: limitText(50).check(z.describe('Endpoints per page.')),
})

/** The query of the log. */
export const LogQuery = z.object({
  cursor: z.optional(messageId).check(z.describe('The `nextCursor` of the previous page.')),
  limit: limitText(20).check(z.describe('Messages per page.')),
  state: z.optional(z.enum(webhookStates)).check(z.describe('Selects messages in this state.')),
})

/** A time (ISO 8601, in UTC), as the database spells it. */
export const time = z.pipe(
  z.iso.datetime(),
  z.transform((text) => new Date(text).toISOString()),
)
/** What a replay takes. */
export const Replay = z
  .object({
    since: time.check(z.describe('Messages that were created then or later are sent again.')),
  })
  .check(z.meta({ id: 'Replay', description: 'What to send again.' }))
