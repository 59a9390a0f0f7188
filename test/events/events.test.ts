import { env } from 'cloudflare:workers'
import { asc, eq, gt } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { batch } from '../../src/db/batch.ts'
import { connect } from '../../src/db/client.ts'
import type { DeliveryState, deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { events, webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { raw } from '../../src/db/statements.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { changeDeliveries, hasIdSql } from '../../src/delivery/transitions.ts'
import { selectEvents, takes, toBody } from '../../src/events/event.ts'
import type { WebhookWakeUp } from '../../src/events/wake.ts'
import { aShop, place, placed, sold } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { anAdministrator, aUser, db, setRow } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { moveTo } from '../support/transitions.ts'
import {
  aDueEvent,
  anEndpoint,
  anEvent,
  aTest,
  type Endpoint,
  endpointRow,
  hasEvents,
} from './endpoints.ts'

/** Replace the queues, so that nothing is sent. */
const queues = [env.WEBHOOKS, env.MASTER_WEBHOOKS].map((queue) => vi.spyOn(queue, 'sendBatch'))
beforeEach(() => {
  for (const sendBatch of queues) {
    sendBatch.mockReset()
    sendBatch.mockResolvedValue({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } })
  }
})

/** The events of an order, in the order of the log. */
async function eventsOf({ id }: { id: number }) {
  const rows = await selectEvents(db).where(eq(events.orderId, id)).orderBy(asc(events.id))
  return rows.map((row) => ({ ...row, body: toBody(row) }))
}

const typesOf = async (order: { id: number }) =>
  (await eventsOf(order)).map(({ type, sequence }) => [type, sequence])

/** An order of a buyer with a wallet, unless told. */
async function anOrder({ hasWallet = true } = {}) {
  const shop = await aShop()
  if (!hasWallet)
    await db.update(users).set({ ethereumPublicAddr: '' }).where(eq(users.id, shop.buyer.id))
  return { ...shop, ...(await sold(shop.token, shop.input)) }
}

type Change = Partial<typeof deliveries.$inferInsert> & { state: DeliveryState }

const change = ({ id }: { id: number }, { state, ...values }: Change) => moveTo(id, state, values)

it('an order that is placed wakes the endpoints for which the log had nothing, in no further trip', async () => {
  await db.delete(webhookEndpoints)
  const { token, input, seller, buyer } = await aShop()
  // The first use of a token is stored.
  await place(token, [input])
  const { id: first } = await anEndpoint({ userId: seller.id })
  const { id: second } = await anEndpoint({ userId: buyer.id })
  const { id: userId } = await anAdministrator()
  const { id: master } = await anEndpoint({ userId, role: 'master' })
  await anEndpoint({ userId: buyer.id, disabledAt: '2026-01-01', disabledReason: 'owner' })
  // A run sends to it.
  await anEndpoint({ userId: seller.id, leaseUntil: '9999-01-01' })
  await anEndpoint()
  const { database, trips } = measured(env.DB)
  const wakeUps = async () => {
    for (const sendBatch of queues) sendBatch.mockClear()
    const response = await callWith({ DB: database }, 'POST', '/api/externalOrders', {
      token,
      json: [input, input],
    })
    expect(response.status).toBe(200)
    return queues.map((sendBatch) =>
      sendBatch.mock.calls
        .flatMap(([messages]) =>
          [...messages].map(({ body }) => (body as WebhookWakeUp).endpointId),
        )
        .sort(),
    )
  }
  expect(await wakeUps()).toEqual([[first, second].sort(), [master]])
  expect(trips).toHaveLength(2)
  // They are due already.
  expect(await wakeUps()).toEqual([[], []])
})

it('an order that waits for a wallet appends order.awaiting_wallet as well', async () => {
  const { order } = await anOrder({ hasWallet: false })
  expect((await eventsOf(order)).map(({ type, data, sequence }) => [type, data, sequence])).toEqual(
    [
      ['order.created', expect.objectContaining({ status: 'awaiting_wallet' }), 0],
      ['order.awaiting_wallet', expect.objectContaining({ status: 'awaiting_wallet' }), 1],
    ],
  )
})

describe('a change of a delivery', () => {
  it('appends order.delivered again with a higher sequence after a reorganization', async () => {
    const { order, item } = await anOrder()
    for (const state of ['transferred', 'queued', 'in_flight', 'transferred'] as const)
      await change(item, { state, ...(state === 'queued' && { dueAt: item.createdAt }) })
    expect(await typesOf(order)).toEqual([
      ['order.created', 0],
      ['order.delivered', 2],
      ['order.delivered', 5],
    ])
  })

  it('into cancelled appends order.cancelled, once', async () => {
    const { order, item } = await anOrder()
    await change(item, { state: 'cancelled', requestedAction: 'cancel', ...explain('cancelled') })
    const data = { status: 'failed', failReason: 'cancelled', reasonCode: 'cancelled', sequence: 2 }
    expect((await eventsOf(order)).slice(1).map(({ body }) => body)).toMatchObject([
      { type: 'order.cancelled', data },
    ])
  })

  it('that failed appends order.retried when it is queued to be delivered, not to be cancelled', async () => {
    const { order, item } = await anOrder()
    const retried = { dueAt: item.createdAt }
    await change(item, { state: 'failed', ...explain('no_relayer') })
    await change(item, { state: 'queued', ...retried })
    await change(item, { state: 'failed', ...explain('no_relayer') })
    await change(item, { state: 'queued', requestedAction: 'cancel', ...retried })
    expect(await typesOf(order)).toEqual([
      ['order.created', 0],
      ['order.failed', 2],
      ['order.retried', 3],
      ['order.failed', 4],
    ])
    const [, , event] = await eventsOf(order)
    expect(event?.body.data).toMatchObject({ status: null, failReason: null, reasonCode: null })
  })

  it('that leaves state and reason as they are appends nothing, and one of the reason does', async () => {
    const { order, item } = await anOrder()
    await change(item, { state: 'failed', ...explain('token_moved_nothing') })
    await change(item, { state: 'failed', ...explain('token_moved_nothing') })
    await change(item, { state: 'failed', ...explain('transfer_failed') })
    expect(await typesOf(order)).toEqual([
      ['order.created', 0],
      ['order.failed', 2],
      ['order.failed', 4],
    ])
  })

  it('that is rolled back appends nothing', async () => {
    const { order, item } = await anOrder()
    const failure = raw(db)`INSERT INTO guard (failure) VALUES ('stop')`
    const written = batch(db, {
      changed: changeDeliveries(db, 'unlink_wallet', hasIdSql([item.id]), new Date()),
      failure,
    })
    await expect(written).rejects.toThrow('stop')
    expect(await typesOf(order)).toEqual([['order.created', 0]])
  })
})

it('a call appends an event for each of its orders, and none if it fails', async () => {
  const shop = await aShop()
  const before = await db.$count(events)
  await place(shop.token, [shop.input, { ...shop.input, quantity: 1000 }])
  expect(await db.$count(events)).toBe(before)
  for (const order of await placed(shop.token, [shop.input, shop.input]))
    expect(await typesOf(order)).toEqual([['order.created', 0]])
})

/** The events of the log that an endpoint gets. */
const eventsFor = async (endpoint: Endpoint) => {
  const isLater = gt(events.id, endpoint.position)
  const rows = await db.select().from(events).where(isLater).orderBy(asc(events.id))
  return rows.filter((event) => takes(endpoint, event)).map(({ type }) => type)
}

describe('an event is for', () => {
  it('the buyer, the seller and administrators, and for nobody else', async () => {
    const shop = await aShop()
    const { id: administrator } = await anAdministrator()
    const master = { role: 'master' } as const
    const told = await Promise.all([
      anEndpoint({ userId: shop.buyer.id }),
      anEndpoint({ userId: shop.seller.id }),
      anEndpoint({ ...master, userId: administrator }),
    ])
    const untold = await Promise.all([
      anEndpoint(),
      anEndpoint({ userId: administrator }),
      anEndpoint({ userId: shop.buyer.id, events: ['order.delivered', 'webhook.test'] }),
    ])
    await placed(shop.token, [shop.input])
    for (const endpoint of told) expect(await hasEvents(endpoint)).toBe(true)
    for (const endpoint of untold) expect(await hasEvents(endpoint)).toBe(false)
  })

  it.each([
    [['order.failed'], ['order.failed', 'order.cancelled']],
    [['order.cancelled'], ['order.cancelled']],
    [
      ['order.failed', 'order.cancelled'],
      ['order.failed', 'order.cancelled'],
    ],
    [['order.created', 'order.delivered'], []],
    [['order.retried'], ['order.retried']],
  ] as const)('who asks for %j: %j', async (events, got) => {
    const { id: sellerId } = await aUser()
    const endpoint = await anEndpoint({ userId: sellerId, events: [...events] })
    for (const type of ['order.failed', 'order.retried', 'order.cancelled'] as const)
      await anEvent({ type, sellerId })
    expect(await eventsFor(endpoint)).toEqual(got)
  })

  it('endpoints of some sources only if one of these tokens placed the order', async () => {
    const { id: sellerId } = await aUser()
    const endpoint = await anEndpoint({ userId: sellerId, sources: ['Shop', 'ERP'] })
    for (const source of ['user:Other', 'user:ERP', 'user:shop', 'master:Shop'])
      await anEvent({ sellerId, source })
    expect(await eventsFor(endpoint)).toHaveLength(2)
  })

  it('endpoints of all orders only if the source is a master token, which no user can imitate', async () => {
    const { id: userId } = await anAdministrator()
    const master = await anEndpoint({ userId, role: 'master', sources: ['Shop'] })
    await anEvent({ source: 'user:Shop' })
    expect(await hasEvents(master)).toBe(false)
    await anEvent({ type: 'alarm.raised' })
    await anEvent({ source: 'master:Shop' })
    expect(await eventsFor(master)).toEqual(['alarm.raised', 'order.created'])
    expect(await hasEvents(master)).toBe(true)
  })

  it('no endpoint if it is a test of another', async () => {
    const { id: userId } = await anAdministrator()
    const master = await anEndpoint({ userId, role: 'master' })
    await aTest(await anEndpoint({ userId, role: 'master' }))
    expect(await endpointRow(master)).toMatchObject({ dueAt: null })
    expect(await hasEvents(master)).toBe(false)
  })
})

describe('an endpoint for which the log had nothing', () => {
  it('begins at the event, and is due then', async () => {
    const { endpoint, event } = await aDueEvent()
    expect(await endpointRow(endpoint)).toMatchObject({
      position: event.id - 1,
      dueAt: JSON.parse(event.body).timestamp,
    })
    await anEvent({ sellerId: endpoint.userId })
    expect(await endpointRow(endpoint)).toMatchObject({ position: event.id - 1 })
  })

  it('is due before its next attempt, but not before its pause ends', async () => {
    const [at, soon, later] = [0, 60, 3600].map((seconds) =>
      new Date(Date.now() + seconds * 1000).toISOString(),
    )
    const waiting = await anEndpoint({ dueAt: later ?? null })
    await anEvent({ sellerId: waiting.userId, at: at ?? '' })
    expect(await endpointRow(waiting)).toMatchObject({ dueAt: at })
    const paused = await anEndpoint({ dueAt: later ?? null, pausedUntil: soon ?? null })
    await anEvent({ sellerId: paused.userId, at: at ?? '' })
    expect(await endpointRow(paused)).toMatchObject({ dueAt: soon })
  })

  it.each([
    ['disabled', { disabledAt: '2026-01-01', disabledReason: 'owner' }],
    ['not verified', { verifiedAt: null }],
  ] as const)('has the event to get, and is not due, while it is %s', async (_, values) => {
    const endpoint = await anEndpoint(values)
    await anEvent({ sellerId: endpoint.userId })
    expect(await endpointRow(endpoint)).toEqual(endpoint)
    expect(await hasEvents(endpoint)).toBe(true)
  })

  it('does not begin before events that it has got', async () => {
    const endpoint = await anEndpoint()
    const at = new Date().toISOString()
    const first = await anEvent({ sellerId: endpoint.userId, at })
    await setRow(webhookEndpoints, endpoint.id, { position: first.id, dueAt: null })
    await anEvent({ sellerId: endpoint.userId, at })
    expect(await endpointRow(endpoint)).toMatchObject({ position: first.id, dueAt: at })
  })
})

it('an event costs the same, however many endpoints others have', async () => {
  const rowsOfUnlinking = async () => {
    const { item } = await anOrder()
    const { database, trips } = measured(env.DB)
    const own = connect(database)
    await batch(own, {
      changed: changeDeliveries(own, 'unlink_wallet', hasIdSql([item.id]), new Date()),
    })
    return [trips[0]?.rowsRead, trips[0]?.rowsWritten]
  }
  await db.delete(webhookEndpoints)
  const before = await rowsOfUnlinking()
  for (let i = 0; i < 20; i++) await anEndpoint()
  expect(await rowsOfUnlinking()).toEqual(before)
})
