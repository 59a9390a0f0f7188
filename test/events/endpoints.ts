/** Endpoints of webhooks, the receivers behind them, and the consumer, without a queue between. */

import { env } from 'cloudflare:workers'
import { eq, sql } from 'drizzle-orm'
import { expect, onTestFinished, vi } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import {
  events,
  webhookEndpoints,
  webhookEvents,
  webhookMessages,
} from '../../src/db/schema/webhooks.ts'
import { endpointColumns, toWebhook } from '../../src/events/read.ts'
import { appendTest } from '../../src/events/resend.ts'
import { randomHex } from '../../src/events/secret.ts'
import { sendWebhooks } from '../../src/events/sending/consumer.ts'
import type { WebhookWakeUp } from '../../src/events/wake.ts'
import { type call, callWith } from '../support/api.ts'
import { pass } from '../support/delivery/clock.ts'
import { type EventValues, insertEvents, type LoggedEvent, newestEvent } from '../support/events.ts'
import { aUser, aWebhook, db } from '../support/makers.ts'

type EndpointValues = Partial<typeof webhookEndpoints.$inferInsert>

let endpointCount = 0

/** A verified endpoint that subscribes to every event, by default of a new user. */
export async function anEndpoint(values: EndpointValues = {}) {
  const at = new Date().toISOString()
  const id = values.userId ?? (await aUser({ email: `hook-${++endpointCount}@example.com` })).id
  return aWebhook(
    { id },
    {
      url: `https://receiver-${++endpointCount}.example.com/hooks`,
      events: [...webhookEvents],
      secretId: randomHex(),
      verifiedAt: at,
      createdAt: at,
      updatedAt: at,
      ...values,
    },
  )
}

export type Endpoint = Awaited<ReturnType<typeof anEndpoint>>

/** Changes columns of an endpoint. */
export const change = ({ id }: { id: string }, values: EndpointValues) =>
  db.update(webhookEndpoints).set(values).where(eq(webhookEndpoints.id, id))

export const ago = (milliseconds: number) => new Date(Date.now() - milliseconds).toISOString()
export const fromNow = (milliseconds: number) => ago(-milliseconds)

/** The public id of an event. */
export const nameOf = ({ id }: { id: number }) => `evt_${id}`

/** The ids of the messages that were received. */
export const idsIn = (received: { headers: Headers }[]) =>
  received.map(({ headers }) => headers.get('webhook-id'))

/** Status, code and sentence of an error. */
export async function errorOf(response: Response): Promise<string> {
  const { code, error } = await response.json<{ code: string; error: string }>()
  return `${response.status} ${code}: ${error}`
}

/** Appends events to the log, by default of orders. Returns the newest. */
export async function anEvent(values: EventValues = {}, count = 1): Promise<LoggedEvent> {
  await db.batch([...insertEvents(db, values, count)])
  return newestEvent(db)
}

/** Appends events to the log. Returns all of them, oldest first. */
export async function someEvents(values: EventValues, count: number) {
  const { id } = await anEvent(values, count)
  return Array.from({ length: count }, (_, i) => ({ id: id - count + 1 + i }))
}

/** An endpoint with an event of its user that is due. */
export async function aDueEvent(values: EndpointValues = {}) {
  const endpoint = await anEndpoint(values)
  return { endpoint, event: await anEvent({ sellerId: endpoint.userId }) }
}

/** A test for an endpoint, that is due. */
export async function aTest({ id }: { id: string }, challenge = 'c0ffee') {
  await batch(db, { test: appendTest(db, id, { now: new Date() }) })
  const data = JSON.stringify({ message: 'This is a test.', challenge })
  const newest = sql`id = (SELECT max(id) FROM events)`
  await db
    .update(events)
    .set({ data: sql`${data}` })
    .where(newest)
  return newestEvent(db)
}

/** A request for an event to be sent again. */
export const resendPath = (endpoint: { id: string }, event: { id: number }) =>
  `/api/webhooks/${endpoint.id}/messages/${nameOf(event)}/resend`

export const endpointRow = async ({ id }: { id: string }) => {
  const [row] = await db.select().from(webhookEndpoints).where(eq(webhookEndpoints.id, id))
  if (!row) throw new Error('the endpoint is gone')
  return row
}

/** Whether an endpoint has events to get, as the API says. */
export async function hasEvents({ id }: { id: string }): Promise<boolean> {
  const rows = await db
    .select(endpointColumns)
    .from(webhookEndpoints)
    .where(eq(webhookEndpoints.id, id))
  return rows.some((row) => toWebhook(row).hasEvents)
}

/** A test that was just made, as the API shows it to the owner. */
export const testMessage = (createdAt: unknown) => ({
  id: expect.stringMatching(/^evt_\d{16}$/),
  type: 'webhook.test',
  orderId: null,
  state: 'pending',
  dueAt: createdAt,
  createdAt,
  attempts: [],
  payload: {
    type: 'webhook.test',
    timestamp: createdAt,
    data: { message: 'This is a test. Answer with the challenge as the body.' },
  },
})

/** The row of the message about an event, with its attempts; undefined if there is none. */
export async function messageRow({ id }: { id: number }, endpoint?: { id: string }) {
  const rows = await db.select().from(webhookMessages).where(eq(webhookMessages.eventId, id))
  const row = endpoint ? rows.find(({ endpointId }) => endpointId === endpoint.id) : rows[0]
  return row && { ...row, attempts: JSON.parse(row.attempts) as Attempt[] }
}

type Attempt = { at: string; duration: number; status: number | null; error: string | null }

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

/** Accepts messages, and lets six seconds pass with each hundredth. Returns the requests. */
export function receiveSlowly(): Received[] {
  let count = 0
  return receive(() => {
    if (++count % 100 === 0) pass(6)
    return new Response()
  })
}

type Mail = { to: string; subject: string; text: string }
type WakeUp = WebhookWakeUp & { delaySeconds: number }

/** What is bound to the consumer: queues and a mailbox that record what they get. */
export function recordingBindings() {
  const mails: Mail[] = []
  const wakeUps: WakeUp[] = []
  const masterWakeUps: WakeUp[] = []
  const recordIn = (list: WakeUp[]) =>
    ({
      async sendBatch(messages: Iterable<MessageSendRequest<WebhookWakeUp>>) {
        for (const { body, delaySeconds = 0 } of messages) list.push({ ...body, delaySeconds })
      },
    }) as unknown as Queue
  const EMAIL = { send: async (mail: Mail) => void mails.push(mail) } as unknown as SendEmail
  const bindings = {
    WEBHOOKS: recordIn(wakeUps),
    MASTER_WEBHOOKS: recordIn(masterWakeUps),
    EMAIL,
  }
  return { bindings, mails, wakeUps, masterWakeUps }
}

/** Sends a request that succeeds, and returns which endpoints it has woken. */
export async function sent(...[method, path, content]: Parameters<typeof call>) {
  const { bindings, wakeUps, masterWakeUps } = recordingBindings()
  const response = await callWith(bindings, method, path, content)
  expect(response.status).toBe(200)
  return { response, wakeUps, masterWakeUps }
}

/** A database whose batches are sent by `run`, or are not. */
export const databaseOf = (run: (send: () => Promise<D1Result[]>) => Promise<D1Result[]>) =>
  Object.assign(Object.create(env.DB), {
    prepare: (query: string) => env.DB.prepare(query),
    batch: (statements: D1PreparedStatement[]) => run(() => env.DB.batch(statements)),
  })

/** Runs the consumer once for these endpoints, as if the queue had named them. */
export async function consume(endpoints: { id: string }[], overrides: Partial<Env> = {}) {
  const { bindings, ...recorded } = recordingBindings()
  const batch = {
    messages: endpoints.map(({ id }) => ({ body: { endpointId: id } })),
    ackAll() {},
  } as unknown as MessageBatch<WebhookWakeUp>
  await sendWebhooks(batch, { ...env, ...bindings, ...overrides })
  return recorded
}
