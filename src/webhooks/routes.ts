/** The endpoints to which events of orders are sent. */
import { type Context, Hono } from 'hono'
import type { App } from '../http/context.ts'
import { requireToken, validate } from '../http/endpoint.ts'
import {
  LogQuery,
  MessageId,
  NewWebhook,
  Replay,
  WebhookChanges,
  WebhookId,
  WebhookQuery,
} from './input.ts'
import { createWebhook, deleteWebhook, rotateSecret, updateWebhook } from './manage.ts'
import { listWebhooks, readLog, readWebhook } from './read.ts'
import { replayMessages, resendMessage, sendTest } from './resend.ts'
import { wakeEndpoints } from './wake.ts'

export const webhookRoutes = new Hono<App>()
  .get('/api/webhooks', requireToken(), validate('query', WebhookQuery), async (c) =>
    c.json(await listWebhooks(c.var.db, c.var.caller, c.req.valid('query'))),
  )
  .post('/api/webhooks', requireToken(), validate('json', NewWebhook), async (c) => {
    const { db, settings, caller, now } = c.var
    const input = { ...c.req.valid('json'), role: caller.role }
    return c.json(await createWebhook(db, settings, caller, input, now))
  })
  .get('/api/webhooks/:webhook_id', requireToken(), validate('param', WebhookId), async (c) => {
    const { webhook_id } = c.req.valid('param')
    return c.json({ webhook: await readWebhook(c.var.db, c.var.caller, webhook_id) })
  })
  .put(
    '/api/webhooks/:webhook_id',
    requireToken(),
    validate('param', WebhookId),
    validate('json', WebhookChanges),
    async (c) => {
      const { db, settings, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      const changes = c.req.valid('json')
      return c.json({
        webhook: await updateWebhook(db, settings, caller, webhook_id, changes, now),
      })
    },
  )
  .delete('/api/webhooks/:webhook_id', requireToken(), validate('param', WebhookId), async (c) => {
    const { db, caller, now } = c.var
    const { webhook_id } = c.req.valid('param')
    return c.json({ webhook: await deleteWebhook(db, caller, webhook_id, now) })
  })
  .post(
    '/api/webhooks/:webhook_id/rotate',
    requireToken(),
    validate('param', WebhookId),
    async (c) => {
      const { db, settings, caller, now } = c.var
      return c.json(await rotateSecret(db, settings, caller, c.req.valid('param').webhook_id, now))
    },
  )
  .post(
    '/api/webhooks/:webhook_id/test',
    requireToken(),
    validate('param', WebhookId),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      const message = await sendTest(db, caller, webhook_id, now)
      wake(c, webhook_id)
      return c.json({ message })
    },
  )
  .get(
    '/api/webhooks/:webhook_id/messages',
    requireToken(),
    validate('param', WebhookId),
    validate('query', LogQuery),
    async (c) => {
      const { webhook_id } = c.req.valid('param')
      return c.json(await readLog(c.var.db, c.var.caller, webhook_id, c.req.valid('query')))
    },
  )
  .post(
    '/api/webhooks/:webhook_id/messages/:message_id/resend',
    requireToken(),
    validate('param', MessageId),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id: endpointId, message_id: id } = c.req.valid('param')
      const message = await resendMessage(db, caller, { endpointId, id }, now)
      wake(c, endpointId)
      return c.json({ message })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/replay',
    requireToken(),
    validate('param', WebhookId),
    validate('json', Replay),
    async (c) => {
      const { db, caller, now } = c.var
      const { webhook_id } = c.req.valid('param')
      const { since } = c.req.valid('json')
      const replayed = await replayMessages(db, caller, webhook_id, since, now)
      wake(c, webhook_id)
      return c.json({ replayed })
    },
  )

/** Wakes the consumer for an endpoint, after the response. */
const wake = <E extends App>({ env, executionCtx }: Context<E>, endpointId: string) =>
  executionCtx.waitUntil(wakeEndpoints(env.WEBHOOKS, [endpointId]))
