/** The log has what the OpenAPI document says of each event. */
import { env } from 'cloudflare:workers'
import { asc, eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import openapi from '../../docs/openapi.json'
import { eventBodies } from '../../scripts/openapi/events.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events, webhookEvents } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { raiseAlarms } from '../../src/operations/notify.ts'
import { aShop, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { problemWith } from '../support/document.ts'
import { aTransaction, db } from '../support/makers.ts'

/** Makes every event happen. */
async function makeEvents(): Promise<void> {
  const { token, input } = await aShop()
  const orders = await placed(token, [
    { ...input, providerId: 'A-1001' },
    { ...input, quantity: 2 },
  ])
  const [first = 0, second = 0] = orders.flatMap(({ orderItems }) => orderItems.map(({ id }) => id))
  const change = (id: number, values: Partial<typeof deliveries.$inferInsert>) =>
    db.update(deliveries).set(values).where(eq(deliveries.id, id))
  const { buyerUserId: awaits } = input
  await change(first, { state: 'awaiting_wallet', awaits })
  await change(first, { state: 'failed', awaits: null, ...explain('recipient_rejects') })
  await raiseAlarms(env, db, new Date())
  await change(first, { state: 'queued', reasonCode: null, reason: null })
  const { id: transactionId } = await aTransaction()
  await change(first, { state: 'transferred', transactionId })
  await change(second, { state: 'cancelled', ...explain('cancelled') })
  await raiseAlarms(env, db, new Date())
  const hook = { url: 'https://shop.example.com/webhooks', events: ['order.created'] }
  await call('POST', '/api/webhooks', { token, json: hook })
}

it('describes every field of every event', async () => {
  await makeEvents()
  const rows = await db.select().from(events).orderBy(asc(events.id))
  expect([...new Set(rows.map(({ type }) => type))].sort()).toEqual([...webhookEvents].sort())
  for (const { type, body: text } of rows) {
    const body = JSON.parse(text)
    const { schema } = openapi.webhooks[type].post.requestBody.content['application/json']
    expect([body, problemWith(schema, body)]).toEqual([body, null])
    // The schemas of the document allow fields of later versions. Parsing removes them.
    expect(eventBodies[webhookEvents.indexOf(type)]?.parse(body)).toEqual(body)
  }
})
