/** The endpoints to which events of orders are sent. */
import { type Context, Hono } from 'hono'
import * as z from 'zod'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { count, orNull, text } from '../http/fields.ts'
import {
  createWebhook,
  deleteWebhook,
  MAX_WEBHOOKS,
  rotateSecret,
  updateWebhook,
} from './manage.ts'
import { wakeEndpoints } from './outbox.ts'
import { listWebhooks, MAX_CANDIDATES, readLog, readWebhook } from './read.ts'
import { replayMessages, resendMessage, sendTest } from './resend.ts'
import {
  LogQuery,
  MessageId,
  NewWebhook,
  Replay,
  Webhook,
  WebhookChanges,
  WebhookId,
  WebhookMessage,
  WebhookQuery,
} from './schema.ts'

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

export const webhookRoutes = new Hono<App>()
  .get(
    '/api/webhooks',
    requireToken({
      tag,
      operationId: 'listWebhooks',
      summary: 'List webhooks',
      description:
        'A user token lists the endpoints of its user with the role `user`, a master token all.',
      answer: WebhookPage,
    }),
    validate('query', WebhookQuery),
    async (c) => c.json(await listWebhooks(c.var, c.req.valid('query'))),
  )
  .post(
    '/api/webhooks',
    requireToken({
      tag,
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'The endpoint gets the role of the token, and belongs to its user, who may have ' +
        `${MAX_WEBHOOKS}. A session needs a recent sign-in.`,
      answer: WebhookSecret,
      errors: ['conflict', 'reauthentication_required'],
    }),
    validate('json', NewWebhook),
    async (c) => {
      const { role } = c.var.caller
      return c.json(await createWebhook(c.var, { ...c.req.valid('json'), role }))
    },
  )
  .get(
    '/api/webhooks/:webhook_id',
    requireToken({
      tag,
      operationId: 'getWebhook',
      summary: 'Get a webhook',
      answer: WebhookAnswer,
      errors: ['not_found'],
    }),
    validate('param', WebhookId),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      return c.json({ webhook: await readWebhook(c.var, id) })
    },
  )
  .put(
    '/api/webhooks/:webhook_id',
    requireToken({
      tag,
      operationId: 'updateWebhook',
      summary: 'Update a webhook',
      description:
        'An absent field stays as it is. Messages fail that become due while the endpoint is ' +
        'disabled; a replay sends them after all.',
      answer: WebhookAnswer,
      errors: ['not_found', 'reauthentication_required'],
    }),
    validate('param', WebhookId),
    validate('json', WebhookChanges),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      return c.json({ webhook: await updateWebhook(c.var, { id, ...c.req.valid('json') }) })
    },
  )
  .delete(
    '/api/webhooks/:webhook_id',
    requireToken({
      tag,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook',
      answer: WebhookAnswer,
      errors: ['not_found', 'reauthentication_required'],
    }),
    validate('param', WebhookId),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      return c.json({ webhook: await deleteWebhook(c.var, id) })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/rotate',
    requireToken({
      tag,
      operationId: 'rotateWebhookSecret',
      summary: 'Rotate the secret of a webhook',
      description:
        'For 24 hours, messages are signed with the old secret as well, and a second call gets ' +
        '`conflict`. If a secret has leaked, make another webhook.',
      answer: WebhookSecret,
      errors: ['not_found', 'conflict', 'reauthentication_required'],
    }),
    validate('param', WebhookId),
    async (c) => c.json(await rotateSecret(c.var, c.req.valid('param').webhook_id)),
  )
  .post(
    '/api/webhooks/:webhook_id/test',
    requireToken({
      tag,
      operationId: 'testWebhook',
      summary: 'Send a test to a webhook',
      description: `Sends an event \`webhook.test\`. ${disabled}`,
      answer: MessageAnswer,
      errors: ['not_found', 'conflict'],
    }),
    validate('param', WebhookId),
    async (c) => {
      const { webhook_id: endpointId } = c.req.valid('param')
      const message = await sendTest(c.var, endpointId)
      wake(c, endpointId)
      return c.json({ message })
    },
  )
  .get(
    '/api/webhooks/:webhook_id/messages',
    requireToken({
      tag,
      operationId: 'listWebhookMessages',
      summary: 'List the messages of a webhook',
      description:
        'The log of 30 days, newest first. A call with `state` looks at ' +
        `${MAX_CANDIDATES} messages: a page may have fewer than \`limit\`, or none, before the last ` +
        'one. Go on until `nextCursor` is null.',
      answer: WebhookLog,
      errors: ['not_found'],
    }),
    validate('param', WebhookId),
    validate('query', LogQuery),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      return c.json(await readLog(c.var, { id, ...c.req.valid('query') }))
    },
  )
  .post(
    '/api/webhooks/:webhook_id/messages/:message_id/resend',
    requireToken({
      tag,
      operationId: 'resendWebhookMessage',
      summary: 'Send a message again',
      description: `Works for delivered messages as well. ${disabled}`,
      answer: MessageAnswer,
      errors: ['not_found', 'conflict'],
    }),
    validate('param', MessageId),
    async (c) => {
      const { webhook_id: endpointId, message_id: id } = c.req.valid('param')
      const message = await resendMessage(c.var, { endpointId, id })
      wake(c, endpointId)
      return c.json({ message })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/replay',
    requireToken({
      tag,
      operationId: 'replayWebhookMessages',
      summary: 'Send all messages since a time again',
      description: `Includes messages that were delivered. ${disabled}`,
      answer: ReplayAnswer,
      errors: ['not_found', 'conflict'],
    }),
    validate('param', WebhookId),
    validate('json', Replay),
    async (c) => {
      const { webhook_id: endpointId } = c.req.valid('param')
      const replayed = await replayMessages(c.var, { endpointId, ...c.req.valid('json') })
      wake(c, endpointId)
      return c.json({ replayed })
    },
  )

/** Wakes the consumer for an endpoint, after the response. */
const wake = <E extends App>({ env, executionCtx }: Context<E>, endpointId: string) =>
  executionCtx.waitUntil(wakeEndpoints(env.WEBHOOKS, [endpointId]))
