/** A seller receives the events of orders. */
import type { Call } from './calls.ts'
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
  const own = { token, parameters: { webhook_id: webhook.id } }
  const messageId = await sendMessages(teller, own)
  await show(200, 'rotateWebhookSecret', 'rotated', 'The new secret', own)
  await show(409, 'rotateWebhookSecret', 'conflict', 'The old secret still signs', own)
  await show(200, 'getWebhook', 'webhook', 'One endpoint', own)
  const cursor = '00000000-0000-0000-0000-000000000000'
  const page = { token, parameters: { cursor, limit: 20 } }
  await show(200, 'listWebhooks', 'list', 'The endpoints of the seller', page)
  await refuseCallers(teller, own, body)
  const off = { ...own, body: { enabled: false } }
  await show(200, 'updateWebhook', 'disabled', 'Disable an endpoint', off)
  const disabled = 'The endpoint is disabled'
  await show(409, 'testWebhook', 'conflict', disabled, own)
  await show(409, 'resendWebhookMessage', 'conflict', disabled, {
    token,
    parameters: { ...own.parameters, message_id: messageId },
  })
  await show(200, 'deleteWebhook', 'deleted', 'Delete an endpoint', own)
  await show(404, 'getWebhook', 'not_found', 'The endpoint was deleted', own)
}

/** Returns the id of a message. */
async function sendMessages(teller: Teller, own: Call): Promise<string> {
  const { show, send } = teller
  const test = await show(200, 'testWebhook', 'test', 'Is sent at once', own)
  const { message } = test.body as { message: { id: string } }
  await untilDelivered(teller)
  const parameters = { ...own.parameters, message_id: message.id }
  await show(200, 'resendWebhookMessage', 'again', 'Is sent a second time', { ...own, parameters })
  await untilDelivered(teller)
  teller.wait(1)
  await send('testWebhook', own)
  await untilDelivered(teller)
  const first = { ...own.parameters, state: 'delivered', limit: 1 }
  const page = await show(
    200,
    'listWebhookMessages',
    'log',
    'The newest message that has arrived',
    {
      ...own,
      parameters: first,
    },
  )
  const { nextCursor } = page.body as { nextCursor: string }
  await show(200, 'listWebhookMessages', 'last_page', 'The message before, sent twice', {
    ...own,
    parameters: { ...first, cursor: nextCursor },
  })
  const replay = { ...own, body: { since: '2026-03-02T09:00:00.000Z' } }
  await show(200, 'replayWebhookMessages', 'replay', 'Everything of today', replay)
  await untilDelivered(teller)
  return message.id
}

/** Waits until every message has arrived, because the attempts are part of the log. */
const untilDelivered = (teller: Teller) =>
  until(teller, "NOT EXISTS (SELECT 1 FROM webhookMessages WHERE state <> 'delivered')")

/** Callers who may not create or change an endpoint. */
async function refuseCallers(
  teller: Teller,
  { parameters = {} }: Call,
  body: object,
): Promise<void> {
  const { show, tokens, issue, wait } = teller
  const cookie = `token=${await issue(2, 'session', { kind: 'session' })}`
  wait(11)
  const calls: [operationId: string, call: Call][] = [
    ['createWebhook', { body }],
    ['updateWebhook', { parameters, body }],
    ['deleteWebhook', { parameters }],
    ['rotateWebhookSecret', { parameters }],
  ]
  const headers = { origin: 'https://elsewhere.example' }
  const old = 'The sign-in was too long ago'
  for (const [id, call] of calls) {
    const readOnly = { ...call, token: tokens.reader }
    await show(403, id, 'forbidden', 'The token may only read', readOnly)
    const foreign = { ...call, cookie, headers }
    await show(403, id, 'cross_site', 'The request came from another site', foreign)
    await show(403, id, 'reauthentication_required', old, { ...call, cookie })
  }
}
