import * as z from 'zod'
import { count, orNull, text } from '../http/fields.ts'
import type { EndpointInfos } from '../http/openapi.ts'
import { Webhook, WebhookMessage } from './answer.ts'
import { MAX_WEBHOOKS } from './manage.ts'
import { MAX_CANDIDATES } from './read.ts'

const tag = 'Webhooks'

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
const WebhookLog = z
  .object({
    messages: z.array(WebhookMessage).describe('The messages, newest first.'),
    nextCursor,
  })
  .meta({ id: 'WebhookLog', description: 'A page of the log of an endpoint.' })
const MessageAnswer = z
  .object({ message: WebhookMessage.describe('The message, which is sent now.') })
  .meta({ id: 'WebhookMessageAnswer', description: 'A message.' })
const ReplayAnswer = z
  .object({ replayed: count('Number of messages that are sent again.') })
  .meta({ id: 'ReplayAnswer', description: 'What a replay sends.' })

const disabled = 'A disabled endpoint gets nothing: enable it first.'

export const webhookEndpointInfos = {
  'GET /api/webhooks': {
    tag,
    operationId: 'listWebhooks',
    summary: 'List webhooks',
    description:
      'A user token lists the endpoints of its user with the role `user`, a master token all.',
    answer: WebhookPage,
  },
  'POST /api/webhooks': {
    tag,
    operationId: 'createWebhook',
    summary: 'Create a webhook',
    description:
      'The endpoint gets the role of the token, and belongs to its user, who may have ' +
      `${MAX_WEBHOOKS}. A session must be of a recent sign-in.`,
    answer: WebhookSecret,
    errors: ['conflict', 'reauthentication_required'],
  },
  'GET /api/webhooks/:webhook_id': {
    tag,
    operationId: 'getWebhook',
    summary: 'Get a webhook',
    answer: WebhookAnswer,
    errors: ['not_found'],
  },
  'PUT /api/webhooks/:webhook_id': {
    tag,
    operationId: 'updateWebhook',
    summary: 'Update a webhook',
    description:
      'An absent field stays as it is. Messages fail that become due while the endpoint is ' +
      'disabled; a replay sends them after all.',
    answer: WebhookAnswer,
    errors: ['not_found', 'reauthentication_required'],
  },
  'DELETE /api/webhooks/:webhook_id': {
    tag,
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook',
    answer: WebhookAnswer,
    errors: ['not_found', 'reauthentication_required'],
  },
  'POST /api/webhooks/:webhook_id/rotate': {
    tag,
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook',
    description:
      'For 24 hours, messages are signed with the old secret as well, and a second call gets ' +
      '`conflict`. If a secret has leaked, make another webhook.',
    answer: WebhookSecret,
    errors: ['not_found', 'conflict', 'reauthentication_required'],
  },
  'POST /api/webhooks/:webhook_id/test': {
    tag,
    operationId: 'testWebhook',
    summary: 'Send a test to a webhook',
    description: `Sends an event \`webhook.test\`. ${disabled}`,
    answer: MessageAnswer,
    errors: ['not_found', 'conflict'],
  },
  'GET /api/webhooks/:webhook_id/messages': {
    tag,
    operationId: 'listWebhookMessages',
    summary: 'List the messages of a webhook',
    description:
      'The log of 30 days, newest first. A call with `state` looks at ' +
      `${MAX_CANDIDATES} messages: a page may have fewer than \`limit\`, or none, before the last ` +
      'one. Go on until `nextCursor` is null.',
    answer: WebhookLog,
    errors: ['not_found'],
  },
  'POST /api/webhooks/:webhook_id/messages/:message_id/resend': {
    tag,
    operationId: 'resendWebhookMessage',
    summary: 'Send a message again',
    description: `Also one that was delivered. ${disabled}`,
    answer: MessageAnswer,
    errors: ['not_found', 'conflict'],
  },
  'POST /api/webhooks/:webhook_id/replay': {
    tag,
    operationId: 'replayWebhookMessages',
    summary: 'Send all messages since a time again',
    description: `Also those that were delivered. ${disabled}`,
    answer: ReplayAnswer,
    errors: ['not_found', 'conflict'],
  },
} satisfies EndpointInfos
