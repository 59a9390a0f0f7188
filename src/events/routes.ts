/** The log of events, and the endpoints to which they are sent. */
import type { Context } from 'hono'
import type { App } from '../http/context.ts'
import { Endpoints } from '../http/endpoint.ts'
import { describeLimit, webhookLimits } from '../limits.ts'
import { readEvents } from './log.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './manage.ts'
import { readMessages } from './messages.ts'
import { listWebhooks, readWebhook } from './read.ts'
import { replayEvents, resendMessage, sendTest } from './resend.ts'
import {
  EventPage,
  EventsQuery,
  MessageAnswer,
  MessageId,
  MessagesQuery,
  NewWebhook,
  Replay,
  WebhookAnswer,
  WebhookChanges,
  WebhookId,
  WebhookMessages,
  WebhookPage,
  WebhookQuery,
  WebhookSecret,
} from './schema.ts'
import { type DueEndpoint, wakeEndpoints } from './wake.ts'

const disabled = 'A disabled endpoint gets nothing: enable it first.'

export const webhookRoutes = new Endpoints({ tag: 'Webhooks' })
  .get(
    '/api/webhooks',
    {
      id: 'listWebhooks',
      summary: 'List webhooks',
      description:
        'A user token lists the endpoints of its user with the role `user`, a master token all.',
      access: 'orders',
      reads: 'nearest',
      input: { query: WebhookQuery },
      answer: WebhookPage,
    },
    (c, { query }) => listWebhooks(c.var, query),
  )
  .post(
    '/api/webhooks',
    {
      id: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'The endpoint gets the role of the token, and belongs to its user, who may have ' +
        `${webhookLimits.webhooks.max}, and may create ${describeLimit(webhookLimits.newWebhooks)}. It gets a test at once, and events ` +
        'once it has answered one with its challenge. A session needs a recent sign-in.',
      access: 'orders',
      reads: 'primary',
      isStrict: true,
      input: { json: NewWebhook },
      answer: WebhookSecret,
      errors: ['conflict', 'reauthentication_required'],
    },
    async (c, { json }) => {
      const { role } = c.var.caller
      const created = await createWebhook(c.var, { ...json, role })
      wake(c, created.webhook)
      return created
    },
  )
  .get(
    '/api/webhooks/:webhook_id',
    {
      id: 'getWebhook',
      summary: 'Get a webhook',
      access: 'orders',
      reads: 'nearest',
      input: { param: WebhookId },
      answer: WebhookAnswer,
      errors: ['not_found'],
    },
    async (c, { param: { webhook_id: id } }) => ({ webhook: await readWebhook(c.var, id) }),
  )
  .put(
    '/api/webhooks/:webhook_id',
    {
      id: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'An absent field stays as it is. Another URL gets a test, and events once it has answered ' +
        'with the challenge. An endpoint that is enabled again goes on where it stopped.',
      access: 'orders',
      reads: 'primary',
      isStrict: true,
      input: { param: WebhookId, json: WebhookChanges },
      answer: WebhookAnswer,
      errors: ['not_found', 'conflict', 'reauthentication_required'],
    },
    async (c, { param: { webhook_id: id }, json }) => {
      const webhook = await updateWebhook(c.var, { id, ...json })
      wake(c, webhook)
      return { webhook }
    },
  )
  .delete(
    '/api/webhooks/:webhook_id',
    {
      id: 'deleteWebhook',
      summary: 'Delete a webhook',
      access: 'orders',
      reads: 'primary',
      input: { param: WebhookId },
      answer: WebhookAnswer,
      errors: ['not_found', 'reauthentication_required'],
    },
    async (c, { param: { webhook_id: id } }) => ({ webhook: await deleteWebhook(c.var, id) }),
  )
  .post(
    '/api/webhooks/:webhook_id/rotate',
    {
      id: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook',
      description:
        'For 24 hours, messages are signed with the old secret as well, and a second call gets ' +
        '`conflict`. If a secret has leaked, make another webhook.',
      access: 'orders',
      reads: 'primary',
      input: { param: WebhookId },
      answer: WebhookSecret,
      errors: ['not_found', 'conflict', 'reauthentication_required'],
    },
    (c, { param }) => rotateSecret(c.var, param.webhook_id),
  )
  .post(
    '/api/webhooks/:webhook_id/test',
    {
      id: 'testWebhook',
      summary: 'Send a test to a webhook',
      description:
        'Sends an event `webhook.test`. An answer with its challenge as the body, as text or as JSON, verifies the URL. ' +
        `An endpoint gets ${describeLimit(webhookLimits.testsPerMinute)} and ` +
        `${describeLimit(webhookLimits.testsPerDay)}. ${disabled}`,
      access: 'orders',
      reads: 'primary',
      input: { param: WebhookId },
      answer: MessageAnswer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { webhook_id: endpointId } }) => {
      const { message, role } = await sendTest(c.var, endpointId)
      wake(c, { id: endpointId, role })
      return { message }
    },
  )
  .get(
    '/api/webhooks/:webhook_id/messages',
    {
      id: 'listWebhookMessages',
      summary: 'List the messages of a webhook',
      description:
        'What the endpoint got and gets, newest first, of the last 30 days since its `events` or ' +
        `\`sources\` were set. A call looks at ${webhookLimits.window.max} events of the marketplace: a page may have ` +
        'fewer than `limit`, or none, before the last one. Go on until `nextCursor` is null.',
      access: 'orders',
      reads: 'nearest',
      input: { param: WebhookId, query: MessagesQuery },
      answer: WebhookMessages,
      errors: ['not_found'],
    },
    (c, { param: { webhook_id: id }, query }) => readMessages(c.var, { id, ...query }),
  )
  .post(
    '/api/webhooks/:webhook_id/messages/:message_id/resend',
    {
      id: 'resendWebhookMessage',
      summary: 'Send a message again',
      description:
        'Works for delivered messages as well. A message that is `waiting` is answered as it is: it ' +
        `is sent in its turn. ${disabled}`,
      access: 'orders',
      reads: 'primary',
      input: { param: MessageId },
      answer: MessageAnswer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { webhook_id: endpointId, message_id: id } }) => {
      const { message, role } = await resendMessage(c.var, { endpointId, id })
      wake(c, { id: endpointId, role })
      return { message }
    },
  )
  .post(
    '/api/webhooks/:webhook_id/replay',
    {
      id: 'replayWebhook',
      summary: 'Send all events since a time again',
      description: `Includes events that were delivered. ${webhookLimits.replays.max} times a day at most. ${disabled}`,
      access: 'orders',
      reads: 'primary',
      input: { param: WebhookId, json: Replay },
      answer: WebhookAnswer,
      errors: ['not_found', 'conflict'],
    },
    async (c, { param: { webhook_id: endpointId }, json }) => {
      const webhook = await replayEvents(c.var, { endpointId, ...json })
      wake(c, webhook)
      return { webhook }
    },
  )
  .get(
    '/api/events',
    {
      id: 'listEvents',
      summary: 'List events',
      description:
        'The log of events of 30 days, for programs that cannot be called. A user token gets the ' +
        'events of orders that its user bought or sold, a master token all: an order is yours if ' +
        '`source` and `providerId` are. Ask for the events ' +
        'after the last one that you have. `events_removed` says that some may be missing.',
      access: 'orders',
      reads: 'nearest',
      isStrict: true,
      input: { query: EventsQuery },
      answer: EventPage,
      errors: ['events_removed'],
    },
    (c, { query }) => readEvents(c.var, query),
  )

/** Wakes the consumer for an endpoint, after the response. */
const wake = <E extends App>({ env, executionCtx }: Context<E>, endpoint: DueEndpoint) =>
  executionCtx.waitUntil(wakeEndpoints(env, [endpoint]))
