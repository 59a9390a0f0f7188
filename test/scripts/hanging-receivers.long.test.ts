/** Receivers that never answer, beside one of an administrator, with real queues. */
import type { ServerResponse } from 'node:http'
import { json } from 'node:stream/consumers'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, it, vi } from 'vitest'
import { createMasterToken, databaseSql } from '../../scripts/measure/bench/database.ts'
import { bindingsFor, serveWorker } from '../../scripts/measure/bench/worker.ts'
import { generateSigningKey } from '../../scripts/operate/keys/signing-key.ts'
import { PATIENCE } from '../support/patience.ts'
import { serve } from '../support/server.ts'

/** Milliseconds: less than the 15 seconds that an attempt takes to a receiver that hangs. */
const MAX_DELAY = 14_000

const hanging: ServerResponse[] = []
const received: string[] = []
const receiver = await serve(async (request, response) => {
  const { type, data } = (await json(request)) as { type: string; data: Record<string, string> }
  if (request.url === '/hangs') return void hanging.push(response)
  received.push(`${type} ${data.providerId}`)
  response.end(data.challenge)
})
const { host } = new URL(receiver)

const key = await generateSigningKey()
const issuer = { url: 'https://hanging.test', keys: [key] }
const token = await createMasterToken(issuer)
const at = new Date().toISOString()

/** Ten endpoints of each of the users 11 to 20, which are verified and never answer. */
const endpoints = Array.from({ length: 100 }, (_, i) => ({
  id: crypto.randomUUID(),
  userId: 11 + (i % 10),
}))
const hangingSql = endpoints.map(
  ({ id, userId }) => `INSERT INTO webhookEndpoints (id, userId, role, url, events, secretId,
    verifiedAt, position, logFrom, dueAt, createdAt, updatedAt) VALUES ('${id}', ${userId}, 'user',
    'http://${host}/hangs', '["order.created"]', 's', '${at}', 0, 0, '${at}', '${at}', '${at}')`,
)
const firstEvent = Date.parse(at) * 1000
const eventOf = (sellerId: number) =>
  `INSERT INTO events (id, type, at, sellerId, data)
    VALUES (${firstEvent + sellerId}, 'order.created', '${at}', ${sellerId}, '{}')`

const worker = await serveWorker({
  main: 'src/worker.ts',
  bindings: { ...(await bindingsFor(issuer)), LOOPBACK_HOSTS: host },
  sql: [
    ...databaseSql({ users: 100, nfts: 10, orders: 0 }),
    ...token.sql,
    ...hangingSql,
    ...Array.from({ length: 10 }, (_, i) => eventOf(11 + i)),
  ],
  isConsumer: true,
})

afterAll(async () => {
  for (const response of hanging) response.destroy()
  await worker[Symbol.asyncDispose]()
})

async function call(path: string, body?: unknown) {
  const response = await fetch(`${worker.url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token.jwt}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(await response.text())
}

it('10 endpoints of each of 10 users that hang delay no event of an administrator', async () => {
  await call('/api/webhooks', { url: `http://${host}/answers`, events: ['order.created'] })
  await vi.waitUntil(() => received.length === 1, MAX_DELAY)
  for (const { id } of endpoints) await call(`/api/webhooks/${id}/test`)
  // The local queue hands over one batch after the other.
  await vi.waitUntil(() => hanging.length >= 6, PATIENCE)
  for (let i = 0; i < 10; i++) {
    const providerId = `order-${i}`
    await call('/api/externalOrders', [
      { nftId: 2, listingId: 2, quantity: 1, buyerUserId: 50, providerId },
    ])
    await vi.waitUntil(() => received.includes(`order.created ${providerId}`), MAX_DELAY)
    await pause(1500)
  }
  expect(received).toHaveLength(11)
  expect(hanging.length).toBeGreaterThan(6)
}, 120_000)
