/** The log has what the OpenAPI document says of each event, and its examples are in the log. */

import { env } from 'cloudflare:workers'
import { asc } from 'drizzle-orm'
import { afterAll, expect, it, vi } from 'vitest'
import openapi from '../../docs/openapi.json'
import { eventBodies } from '../../scripts/build/openapi/events.ts'
import { batch } from '../../src/db/batch.ts'
import { events, webhookEvents } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { changeDeliveries, hasIdSql } from '../../src/delivery/transitions.ts'
import { selectEvents, toBody } from '../../src/events/event.ts'
import { raiseAlarms } from '../../src/monitoring/notify.ts'
import { aShop, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { problemWith } from '../support/document.ts'
import { aTransaction, db } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
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
  await moveTo(first, 'awaiting_wallet')
  const unclaimed = changeDeliveries(db, 'tell_unclaimed', hasIdSql([first]), new Date())
  await batch(db, { unclaimed })
  await moveTo(first, 'failed', explain('recipient_rejects'))
  await raiseAlarms(env, db, new Date())
  await moveTo(first, 'queued')
  const { id: transactionId } = await aTransaction()
  await moveTo(first, 'in_flight', { transactionId })
  await moveTo(first, 'transferred')
  const { id: cancellation } = await aTransaction()
  await moveTo(second, 'in_flight', { transactionId: cancellation })
  await moveTo(second, 'cancelled', explain('cancelled'))
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
  await expect(text).toMatchFileSnapshot('../../scripts/build/openapi/event-examples.json')
})
