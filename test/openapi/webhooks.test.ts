/** The log has what the OpenAPI document says of each event, and its examples are in the log. */

import { env } from 'cloudflare:workers'
import { asc } from 'drizzle-orm'
import { afterAll, expect, it, vi } from 'vitest'
import openapi from '../../docs/openapi.json'
import { eventBodies } from '../../scripts/build/openapi/events.ts'
import { batch } from '../../src/db/batch.ts'
import { events, webhookEvents } from '../../src/db/schema/webhooks.ts'
import { explain, type Reason } from '../../src/delivery/reasons.ts'
import {
  type ChangeName,
  changeDeliveries,
  hasIdSql,
  transitions,
} from '../../src/delivery/transitions.ts'
import { selectEvents, toBody } from '../../src/events/event.ts'
import { raiseAlarms } from '../../src/monitoring/alarms/notify.ts'
import { aShop, placed } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import { problemWith } from '../support/document.ts'
import { aTransaction, db } from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { stable } from './stable.ts'

// A later time than that of D1's clock, as in examples.test.ts.
vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2126-03-02T09:00:00.000Z') })
afterAll(() => void vi.useRealTimers())

/** The steps of the engine that have events, with the reasons of their ends. */
const reasonsOf: Record<string, Reason | undefined> = {
  deliver: undefined,
  fail: explain('recipient_rejects'),
  cancel: explain('cancelled'),
}
const isChange = (name: string): name is ChangeName => !(name in reasonsOf)

/** Makes every event happen. */
async function makeEvents(): Promise<void> {
  const { token, input } = await aShop()
  const told = Object.entries(transitions).filter(([, { event }]) => event)
  const open: number[] = []
  for (const [i, [name, { from, to }]] of told.entries()) {
    const [order] = await placed(token, [{ ...input, providerId: `A-${1001 + i}` }])
    const item = order?.orderItems[0]?.id ?? 0
    if (to !== 'transferred' && to !== 'cancelled') open.push(item)
    if (isChange(name)) {
      const [state] = from ?? []
      if (state && state !== 'queued') await moveTo(item, state, explain('recipient_rejects'))
      await batch(db, { told: changeDeliveries(db, name, hasIdSql([item]), new Date()) })
    } else {
      const { id: transactionId } = await aTransaction()
      await moveTo(item, 'in_flight', { transactionId })
      await moveTo(item, to ?? 'in_flight', reasonsOf[name])
    }
  }
  await raiseAlarms(env, db, new Date())
  for (const item of open) await moveTo(item, 'transferred')
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
