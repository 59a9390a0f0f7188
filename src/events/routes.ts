/** The log of events, and the endpoints to which they are sent. */
import type { Context } from 'hono'
import type { App } from '../http/context.ts'
import { Endpoints } from '../http/endpoint.ts'
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

export const webhookRoutes = new Endpoints()
  .get(
    '/api/webhooks',
    { id: 'listWebhooks', access: 'token', reads: 'nearest', input: { query: WebhookQuery } },
    async (c, { query }) => c.json(await listWebhooks(c.var, query)),
  )
  .post(
    '/api/webhooks',
    { id: 'createWebhook', access: 'token', reads: 'primary', input: { json: NewWebhook } },
    async (c, { json }) => {
      const { role } = c.var.caller
      const created = await createWebhook(c.var, { ...json, role })
      wake(c, created.webhook)
      return c.json(created)
    },
  )
  .get(
    '/api/webhooks/:webhook_id',
    { id: 'getWebhook', access: 'token', reads: 'nearest', input: { param: WebhookId } },
    async (c, { param: { webhook_id: id } }) => {
      return c.json({ webhook: await readWebhook(c.var, id) })
    },
  )
  .put(
    '/api/webhooks/:webhook_id',
    {
      id: 'updateWebhook',
      access: 'token',
      reads: 'primary',
      input: { param: WebhookId, json: WebhookChanges },
    },
    async (c, { param: { webhook_id: id }, json }) => {
      const webhook = await updateWebhook(c.var, { id, ...json })
      wake(c, webhook)
      return c.json({ webhook })
    },
  )
  .delete(
    '/api/webhooks/:webhook_id',
    { id: 'deleteWebhook', access: 'token', reads: 'primary', input: { param: WebhookId } },
    async (c, { param: { webhook_id: id } }) => {
      return c.json({ webhook: await deleteWebhook(c.var, id) })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/rotate',
    { id: 'rotateWebhookSecret', access: 'token', reads: 'primary', input: { param: WebhookId } },
    async (c, { param }) => c.json(await rotateSecret(c.var, param.webhook_id)),
  )
  .post(
    '/api/webhooks/:webhook_id/test',
    { id: 'testWebhook', access: 'token', reads: 'primary', input: { param: WebhookId } },
    async (c, { param: { webhook_id: endpointId } }) => {
      const { message, role } = await sendTest(c.var, endpointId)
      wake(c, { id: endpointId, role })
      return c.json({ message })
    },
  )
  .get(
    '/api/webhooks/:webhook_id/messages',
    {
      id: 'listWebhookMessages',
      access: 'token',
      reads: 'nearest',
      input: { param: WebhookId, query: MessagesQuery },
    },
    async (c, { param: { webhook_id: id }, query }) => {
      return c.json(await readMessages(c.var, { id, ...query }))
    },
  )
  .post(
    '/api/webhooks/:webhook_id/messages/:message_id/resend',
    { id: 'resendWebhookMessage', access: 'token', reads: 'primary', input: { param: MessageId } },
    async (c, { param: { webhook_id: endpointId, message_id: id } }) => {
      const { message, role } = await resendMessage(c.var, { endpointId, id })
      wake(c, { id: endpointId, role })
      return c.json({ message })
    },
  )
  .post(
    '/api/webhooks/:webhook_id/replay',
    {
      id: 'replayWebhook',
      access: 'token',
      reads: 'primary',
      input: { param: WebhookId, json: Replay },
    },
    async (c, { param: { webhook_id: endpointId }, json }) => {
      const webhook = await replayEvents(c.var, { endpointId, ...json })
      wake(c, webhook)
      return c.json({ webhook })
    },
  )
  .get(
    '/api/events',
    {
      id: 'listEvents',
      access: 'token',
      reads: 'nearest',
      isStrict: true,
      input: { query: EventsQuery },
    },
    async (c, { query }) => c.json(await readEvents(c.var, query)),
  )

/** Wakes the consumer for an endpoint, after the response. */
const wake = <E extends App>({ env, executionCtx }: Context<E>, endpoint: DueEndpoint) =>
  executionCtx.waitUntil(wakeEndpoints(env, [endpoint]))
