import * as z from 'zod'
import { WINDOW } from '../../../src/events/event.ts'
import { MAX_NEW_WEBHOOKS, MAX_WEBHOOKS } from '../../../src/events/manage.ts'
import { MAX_REPLAYS, MAX_TESTS } from '../../../src/events/resend.ts'
import { Webhook } from '../../../src/events/schema.ts'
import { bool, orNull, text } from '../../../src/http/fields.ts'
import type { Operations } from '../operation.ts'
import { WebhookMessage } from '../webhook-message.ts'

const nextCursor = orNull(text('`cursor` of the next page; null on the last page.'))
const webhook = Webhook.describe('The endpoint.')
const secret = text(
  'The secret that signs: `whsec_` and base64. Settings → Webhooks shows it again.',
)

const WebhookPage = z
  .object({ webhooks: z.array(Webhook).describe('The endpoints, by id.'), nextCursor })
  .meta({ id: 'WebhookPage', description: 'A page of endpoints.' })
const WebhookAnswer = z
  .object({ webhook })
  .meta({ id: 'WebhookAnswer', description: 'An endpoint.' })
const WebhookSecret = z
  .object({ webhook, secret })
  .meta({ id: 'WebhookSecret', description: 'An endpoint with its new secret.' })
const WebhookMessages = z
  .object({
    messages: z.array(WebhookMessage).describe('The messages, newest first.'),
    nextCursor,
  })
  .meta({ id: 'WebhookMessages', description: 'A page of the messages of an endpoint.' })
const MessageAnswer = z
  .object({ message: WebhookMessage.describe('The message, which is sent now.') })
  .meta({ id: 'WebhookMessageAnswer', description: 'A message.' })
/** An event of the log. `eventBodies` says what `data` has. */
const LoggedEvent = z
  .object({
    id: text('Id of the event: the `webhook-id` of messages about it.'),
    ...WebhookMessage.shape.payload.shape,
  })
  .meta({ id: 'LoggedEvent', description: 'An event.' })
const EventPage = z
  .object({
    events: z.array(LoggedEvent).describe('The events, oldest first.'),
    nextAfter: orNull(
      text('`after` of the next call; null if there is no event yet. Store it with what you did.'),
    ),
    hasMore: bool('Whether the next page may have events already.'),
  })
  .meta({ id: 'EventPage', description: 'A page of the log of events.' })

const disabled = 'A disabled endpoint gets nothing: enable it first.'

export const webhookOperations: Operations = {
  listWebhooks: {
    summary: 'List webhooks',
    description:
      'A user token lists the endpoints of its user with the role `user`, a master token all.',
    answer: WebhookPage,
  },
  createWebhook: {
    summary: 'Create a webhook',
    description:
      'The endpoint gets the role of the token, and belongs to its user, who may have ' +
      `${MAX_WEBHOOKS}, and may create ${MAX_NEW_WEBHOOKS} a day. It gets a test at once, and events ` +
      'once it has answered one with its challenge. A session needs a recent sign-in.',
    answer: WebhookSecret,
    errors: ['conflict', 'reauthentication_required'],
  },
  getWebhook: {
    summary: 'Get a webhook',
    answer: WebhookAnswer,
    errors: ['not_found'],
  },
  updateWebhook: {
    summary: 'Update a webhook',
    description:
      'An absent field stays as it is. Another URL gets a test, and events once it has answered ' +
      'with the challenge. An endpoint that is enabled again goes on where it stopped.',
    answer: WebhookAnswer,
    errors: ['not_found', 'conflict', 'reauthentication_required'],
  },
  deleteWebhook: {
    summary: 'Delete a webhook',
    answer: WebhookAnswer,
    errors: ['not_found', 'reauthentication_required'],
  },
  rotateWebhookSecret: {
    summary: 'Rotate the secret of a webhook',
    description:
      'For 24 hours, messages are signed with the old secret as well, and a second call gets ' +
      '`conflict`. If a secret has leaked, make another webhook.',
    answer: WebhookSecret,
    errors: ['not_found', 'conflict', 'reauthentication_required'],
  },
  testWebhook: {
    summary: 'Send a test to a webhook',
    description:
      'Sends an event `webhook.test`. An answer with its challenge as the body verifies the URL. ' +
      `An endpoint gets ${MAX_TESTS.minute} a minute and ${MAX_TESTS.day} a day. ${disabled}`,
    answer: MessageAnswer,
    errors: ['not_found', 'conflict'],
  },
  listWebhookMessages: {
    summary: 'List the messages of a webhook',
    description:
      'What the endpoint got and gets, newest first, of the last 30 days since its `events` or ' +
      `\`sources\` were set. A call looks at ${WINDOW} events of the marketplace: a page may have ` +
      'fewer than `limit`, or none, before the last one. Go on until `nextCursor` is null.',
    answer: WebhookMessages,
    errors: ['not_found'],
  },
  resendWebhookMessage: {
    summary: 'Send a message again',
    description:
      'Works for delivered messages as well. A message that is `waiting` is answered as it is: it ' +
      `is sent in its turn. ${disabled}`,
    answer: MessageAnswer,
    errors: ['not_found', 'conflict'],
  },
  replayWebhook: {
    summary: 'Send all events since a time again',
    description: `Includes events that were delivered. ${MAX_REPLAYS} times a day at most. ${disabled}`,
    answer: WebhookAnswer,
    errors: ['not_found', 'conflict'],
  },
  listEvents: {
    summary: 'List events',
    description:
      'The log of events of 30 days, for programs that cannot be called. A user token gets the ' +
      'events of orders that its user bought or sold, a master token all: an order is yours if ' +
      '`source` and `providerId` are. Ask for the events ' +
      'after the last one that you have. `events_removed` says that some may be missing.',
    answer: EventPage,
    errors: ['events_removed'],
  },
}
