/** The log of events, and the endpoints to which they are sent. */
import { type Context, Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import { readEvents } from './log.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './manage.ts'
import { readMessages } from './messages.ts'
import { listWebhooks, readWebhook } from './read.ts'
import { replayEvents, resendMessage, sendTest } from './resend.ts'
import {
  EventsQuery,
  MessageId,
  MessagesQuery,
  NewWebhook,
  Replay,
  WebhookChanges,
  WebhookId,
  WebhookQuery,
} from './schema.ts'
import { type DueEndpoint, wakeEndpoints } from './wake.ts'

const webhookId = validate('param', WebhookId)

export const webhookRoutes = new Hono<App>()
  .get('/api/webhooks', requireToken('listWebhooks'), validate('query', WebhookQuery), async (c) =>
    c.json(await listWebhooks(c.var, c.req.valid('query'))),
  )
  .post('/api/webhooks', requireToken('createWebhook'), validate('json', NewWebhook), async (c) => {
    const { role } = c.var.caller
    const created = await createWebhook(c.var, { ...c.req.valid('json'), role })
    wake(c, created.webhook)
    return c.json(created)
  })
  .get('/api/webhooks/:webhook_id', requireToken('getWebhook'), webhookId, async (c) => {
    const { webhook_id: id } = c.req.valid('param')
    return c.json({ webhook: await readWebhook(c.var, id) })
  })
  .put(
    '/api/webhooks/:webhook_id',
    requireToken('updateWebhook'),
    webhookId,
    validate('json', WebhookChanges),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      const webhook = await updateWebhook(c.var, { id, ...c.req.valid('json') })
      wake(c, webhook)
      return c.json({ webhook })
    },
  )
  .delete('/api/webhooks/:webhook_id', requireToken('deleteWebhook'), webhookId, async (c) => {
    const { webhook_id: id } = c.req.valid('param')
    return c.json({ webhook: await deleteWebhook(c.var, id) })
  })
  .post(
    '/api/webhooks/:webhook_id/rotate',
    requireToken('rotateWebhookSecret'),
    webhookId,
    async (c) => c.json(await rotateSecret(c.var, c.req.valid('param').webhook_id)),
  )
  .post('/api/webhooks/:webhook_id/test', requireToken('testWebhook'), webhookId, async (c) => {
    const { webhook_id: endpointId } = c.req.valid('param')
    const { message, role } = await sendTest(c.var, endpointId)
    wake(c, { id: endpointId, role })
    return c.json({ message })
  })
  .get(
    '/api/webhooks/:webhook_id/messages',
    requireToken('listWebhookMessages'),
    webhookId,
    validate('query', MessagesQuery),
    async (c) => {
      const { webhook_id: id } = c.req.valid('param')
      return c.json(await readMessages(c.var, { id, ...c.req.valid('query') }))
    },
  )
  .post(
    '/api/webhooks/:webhook_id/messages/:message_id/resend',
    requireToken('resendWebhookMessage'),
    validate('param', MessageId),
    async (c) => {
      const { webhook_id: endpointId, message_id: id } = c.req.valid('param')
      const { message, role } = await resendMessage(c.var, { endpointId, id })
      wake(c, { id: endpointId, role })
      return c.json({ message })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/replay',
    requireToken('replayWebhook'),
    webhookId,
    validate('json', Replay),
    async (c) => {
      const { webhook_id: endpointId } = c.req.valid('param')
      const webhook = await replayEvents(c.var, { endpointId, ...c.req.valid('json') })
      wake(c, webhook)
      return c.json({ webhook })
    },
  )
  .get('/api/events', requireToken('listEvents'), validate('query', EventsQuery), async (c) =>
    c.json(await readEvents(c.var, c.req.valid('query'))),
  )

/** Wakes the consumer for an endpoint, after the response. */
const wake = <E extends App>({ env, executionCtx }: Context<E>, endpoint: DueEndpoint) =>
  executionCtx.waitUntil(wakeEndpoints(env, [endpoint]))
