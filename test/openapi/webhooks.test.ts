/** The log has what the OpenAPI document says of each event, and its examples are in the log. */
import { env } from 'cloudflare:workers'
import { asc, eq, sql } from 'drizzle-orm'
import { afterAll, expect, it, vi } from 'vitest'
import openapi from '../../docs/openapi.json'
import { eventBodies } from '../../scripts/openapi/events.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { events, webhookEvents } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { selectEvents, toBody } from '../../src/events/body.ts'
import { raiseAlarms } from '../../src/operations/notify.ts'
import { aShop, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { problemWith } from '../support/document.ts'
import { aTransaction, db } from '../support/makers.ts'
import { stable } from './stable.ts'

// A later time than that of D1's clock, as in examples.test.ts.
vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2126-03-02T09:00:00.000Z') })
afterAll(() => void vi.useRealTimers())

/** Makes every event happen. */
async function makeEvents(): Promise<void> {
  const { token, input } = await aShop()
  const orders = await placed(token, [
    { ...input, providerId: 'A-1001' },
    { ...input, quantity: 2 },
  ])
  const [first = 0, second = 0] = orders.flatMap(({ orderItems }) => orderItems.map(({ id }) => id))
  const change = (id: number, values: Partial<typeof deliveries.$inferInsert>) =>
    db
      .update(deliveries)
      .set({ ...values, version: sql`${deliveries.version} + 1` })
      .where(eq(deliveries.id, id))
  const { buyerUserId: awaits } = input
  await change(first, { state: 'awaiting_wallet', awaits })
  await change(first, { state: 'failed', awaits: null, ...explain('recipient_rejects') })
  await raiseAlarms(env, db, new Date())
  await change(first, { state: 'queued', reasonCode: null, reason: null })
  const { id: transactionId } = await aTransaction()
  await change(first, { state: 'in_flight', transactionId })
  await change(first, { state: 'transferred' })
  const { id: cancellation } = await aTransaction()
  await change(second, { state: 'in_flight', transactionId: cancellation })
  await change(second, { state: 'cancelled', ...explain('cancelled') })
  await raiseAlarms(env, db, new Date())
  const hook = { url: 'https://shop.example.com/webhooks', events: ['order.created'] }
  await call('POST', '/api/webhooks', { token, json: hook })
}

it('describes every field of every event, and has an example of each', async () => {
  await makeEvents()
  const rows = (await selectEvents(db).orderBy(asc(events.id))).map(toBody)
  expect([...new Set(rows.map(({ type }) => type))].sort()).toEqual([...webhookEvents].sort())
  for (const body of rows) {
    const { type } = body
    const { schema } = openapi.webhooks[type].post.requestBody.content['application/json']
    expect([body, problemWith(schema, body)]).toEqual([body, null])
    // The schemas of the document allow fields of later versions. Parsing removes them.
    expect(eventBodies[webhookEvents.indexOf(type)]?.parse(body)).toEqual(body)
  }
  const lines = webhookEvents.map(
    (name) => `"${name}": ${JSON.stringify(rows.find(({ type }) => type === name))}`,
  )
  const text = stable(`{\n${lines.join(',\n')}\n}\n`)
    .replaceAll('2126-', '2026-')
    .replaceAll(/\btest \d+"/g, 'Shop"')
    .replaceAll('marketplace.test', 'marketplace.example.com')
  await expect(text).toMatchFileSnapshot('../../scripts/openapi/event-examples.json')
})
