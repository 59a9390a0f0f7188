/** Endpoints of webhooks, the receivers behind them, and the consumer, without a queue between. */
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { onTestFinished, vi } from 'vitest'
import {
  webhookAttempts,
  webhookEndpoints,
  webhookEvents,
  webhookMessages,
} from '../../src/db/schema/webhooks.ts'
import { sendWebhooks } from '../../src/webhooks/consumer.ts'
import type { WebhookWakeUp } from '../../src/webhooks/outbox.ts'
import { newSecretId } from '../../src/webhooks/signature.ts'
import { aUser, db } from '../support/makers.ts'

type EndpointValues = Partial<typeof webhookEndpoints.$inferInsert>

let endpointCount = 0

/** An endpoint that subscribes to every event, by default of a new user. */
export async function anEndpoint(values: EndpointValues = {}) {
  const at = new Date().toISOString()
  const [endpoint] = await db
    .insert(webhookEndpoints)
    .values({
      id: crypto.randomUUID(),
      userId: values.userId ?? (await aUser({ email: `hook-${++endpointCount}@example.com` })).id,
      role: 'user',
      url: `https://receiver-${++endpointCount}.example.com/hooks`,
      events: [...webhookEvents],
      secretId: newSecretId(),
      createdAt: at,
      updatedAt: at,
      ...values,
    })
    .returning()
  if (!endpoint) throw new Error('no endpoint was written')
  return endpoint
}

export type Endpoint = Awaited<ReturnType<typeof anEndpoint>>

let messageCount = 0

/** A message that is due. */
export async function aMessage(
  { id: endpointId }: { id: string },
  values: Partial<typeof webhookMessages.$inferInsert> = {},
) {
  const at = new Date().toISOString()
  const [message] = await db
    .insert(webhookMessages)
    .values({
      id: `msg_${(++messageCount).toString(16).padStart(32, '0')}`,
      endpointId,
      type: 'webhook.test',
      payload: JSON.stringify({ type: 'webhook.test', timestamp: at, data: { message: 'ü' } }),
      state: 'pending',
      dueAt: at,
      createdAt: at,
      updatedAt: at,
      ...values,
    })
    .returning()
  if (!message) throw new Error('no message was written')
  return message
}

export const endpointRow = async ({ id }: { id: string }) => {
  const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  if (!row) throw new Error('the endpoint is gone')
  return row
}

export const messageRow = async ({ id }: { id: string }) => {
  const [row] = await db.select().from(webhookMessages).where(eq(webhookMessages.id, id))
  return row
}

export const attemptRows = ({ id }: { id: string }) =>
  db
    .select({ status: webhookAttempts.status, error: webhookAttempts.error })
    .from(webhookAttempts)
    .where(eq(webhookAttempts.messageId, id))
    .orderBy(webhookAttempts.id)

type Received = { url: string; headers: Headers; body: string }

/**
 * Answers the requests of the Worker instead of the Internet, until the end of the test. Returns
 * the requests.
 */
export function receive(
  answer: (request: Received) => Response | Promise<Response> = () => new Response(),
): Received[] {
  const received: Received[] = []
  const spy = vi.spyOn(globalThis, 'fetch').mockImplementation(async (input, init) => {
    const request = new Request(input as string, init as RequestInit)
    const { url, headers } = request
    const got = { url, headers, body: await request.text() }
    received.push(got)
    return answer(got)
  })
  onTestFinished(() => spy.mockRestore())
  return received
}

type Mail = { to: string; subject: string; text: string }
type WakeUp = WebhookWakeUp & { delaySeconds: number }

/** What is bound to the consumer: a queue and a mailbox that record what they get. */
export function recordingBindings() {
  const mails: Mail[] = []
  const wakeUps: WakeUp[] = []
  const WEBHOOKS = {
    async sendBatch(messages: Iterable<MessageSendRequest<WebhookWakeUp>>) {
      for (const { body, delaySeconds = 0 } of messages) wakeUps.push({ ...body, delaySeconds })
    },
  } as unknown as Queue
  const EMAIL = { send: async (mail: Mail) => void mails.push(mail) } as unknown as SendEmail
  return { bindings: { WEBHOOKS, EMAIL }, mails, wakeUps }
}

/** Runs the consumer once for these endpoints, as if the queue had named them. */
export async function consume(endpoints: { id: string }[], overrides: Partial<Env> = {}) {
  const { bindings, mails, wakeUps } = recordingBindings()
  const batch = {
    messages: endpoints.map(({ id }) => ({ body: { endpointId: id } })),
    ackAll() {},
  } as unknown as MessageBatch<WebhookWakeUp>
  await sendWebhooks(batch, { ...env, ...bindings, ...overrides })
  return { mails, wakeUps }
}
