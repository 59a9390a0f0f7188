/** A seller receives the events of orders. */
import { type Teller, until } from './teller.ts'

const events = ['order.created', 'order.delivered', 'order.failed']

export async function webhookChapter(teller: Teller): Promise<void> {
  const { show, tokens, world } = teller
  const token = tokens.seller
  const body = { url: `http://${world.pictureHost}/webhooks`, events }
  const created = await show(200, 'createWebhook', 'created', 'The new endpoint and its secret', {
    token,
    body,
  })
  const { webhook } = created.body as { webhook: { id: string } }
  const parameters = { webhook_id: webhook.id }
  const own = { token, parameters }
  const test = await show(200, 'testWebhook', 'test', 'Is sent at once', own)
  const { message } = test.body as { message: { id: string } }
  const log = { token, parameters: { ...parameters, limit: 1 } }
  await untilDelivered(teller)
  await show(200, 'listWebhookMessages', 'log', 'The test has arrived', log)
  const again = { token, parameters: { ...parameters, message_id: message.id } }
  await show(200, 'resendWebhookMessage', 'again', 'Is sent a second time', again)
  await untilDelivered(teller)
  const replay = { ...own, body: { since: '2026-03-02T09:00:00.000Z' } }
  await show(200, 'replayWebhookMessages', 'replay', 'Everything of today', replay)
  await untilDelivered(teller)
  await show(200, 'rotateWebhookSecret', 'rotated', 'The new secret', own)
  await show(200, 'getWebhook', 'webhook', 'One endpoint', own)
  await show(200, 'listWebhooks', 'list', 'The endpoints of the seller', { token })
  const off = { ...own, body: { enabled: false } }
  await show(200, 'updateWebhook', 'disabled', 'Disable an endpoint', off)
  await refuse(teller, parameters, again.parameters)
  await show(200, 'deleteWebhook', 'deleted', 'Delete an endpoint', own)
  await show(404, 'getWebhook', 'not_found', 'The endpoint was deleted', own)
}

/** Calls for a disabled endpoint, and wrong ones. */
async function refuse({ show, tokens }: Teller, webhook: object, message: object): Promise<void> {
  const token = tokens.seller
  const disabled = 'The endpoint is disabled'
  const own = { token, parameters: { ...webhook } }
  await show(409, 'testWebhook', 'conflict', disabled, own)
  await show(409, 'resendWebhookMessage', 'conflict', disabled, {
    token,
    parameters: { ...message },
  })
  const body = { url: 'http://shop.example.com/webhooks', events: ['alarm.raised'] }
  await show(400, 'createWebhook', 'invalid_input', 'Not https', { token, body })
}

/** Waits until every message has arrived, because the attempts are part of the log. */
const untilDelivered = (teller: Teller) =>
  until(teller, "NOT EXISTS (SELECT 1 FROM webhookMessages WHERE state <> 'delivered')")
