import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { webhookMessages } from '../../src/db/schema/webhooks.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { aShop, place, placed } from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { anAdministrator, aTransaction, aUser, db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { anEndpoint } from './endpoints.ts'

/** Replaces the queue, so that nothing is sent. */
const sendBatch = vi.spyOn(env.WEBHOOKS, 'sendBatch')
beforeEach(() => {
  sendBatch.mockReset()
  sendBatch.mockResolvedValue({ metadata: { metrics: { backlogCount: 0, backlogBytes: 0 } } })
})

/** The messages to an endpoint with their payload, in the order of their sequence. */
async function messagesTo({ id }: { id: string }) {
  const rows = await db.select().from(webhookMessages).where(eq(webhookMessages.endpointId, id))
  return rows
    .map(({ payload, ...row }) => ({ ...row, payload: JSON.parse(payload) }))
    .sort((a, b) => a.payload.data.sequence - b.payload.data.sequence)
}

const eventsTo = async (endpoint: { id: string }) =>
  (await messagesTo(endpoint)).map(({ type, payload }) => [type, payload.data.sequence])

/** An order of a buyer with a wallet, unless told. The endpoints were there before. */
async function anOrder({ hasWallet = true } = {}) {
  const shop = await aShop()
  if (!hasWallet)
    await db.update(users).set({ ethereumPublicAddr: '' }).where(eq(users.id, shop.buyer.id))
  const endpoint = await anEndpoint({ userId: shop.buyer.id })
  const [order] = await placed(shop.token, [{ ...shop.input, providerId: 'shop-1' }])
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  return { ...shop, endpoint, order, item }
}

type Change = Partial<typeof deliveries.$inferInsert>

/** Changes a delivery as a run does. */
const change = async ({ id }: { id: number }, values: Change) => {
  const [row] = await db.select().from(deliveries).where(eq(deliveries.id, id))
  const version = (row?.version ?? 0) + 1
  const updatedAt = new Date().toISOString()
  const changed = { dueAt: null, awaits: null, ...values, version, updatedAt }
  await db.update(deliveries).set(changed).where(eq(deliveries.id, id))
}

it('an order that is placed writes order.created, due at once', async () => {
  const { endpoint, order, item, seller, buyer, nft, listing } = await anOrder()
  expect(await messagesTo(endpoint)).toEqual([
    {
      id: expect.stringMatching(/^msg_[0-9a-f]{32}$/),
      endpointId: endpoint.id,
      type: 'order.created',
      orderId: order.id,
      state: 'pending',
      attempts: 0,
      dueAt: order.createdAt,
      createdAt: order.createdAt,
      updatedAt: order.createdAt,
      payload: {
        type: 'order.created',
        timestamp: order.createdAt,
        data: {
          orderId: order.id,
          orderItemId: item.id,
          providerId: 'shop-1',
          nftId: nft.id,
          listingId: listing.id,
          quantity: 1,
          buyerId: buyer.id,
          sellerId: seller.id,
          status: null,
          txId: null,
          failReason: null,
          reasonCode: null,
          sequence: 0,
        },
      },
    },
  ])
})

it('an order that is placed wakes the endpoints that are told, in no further trip', async () => {
  const { token, input, seller, buyer } = await aShop()
  const { id: first } = await anEndpoint({ userId: seller.id })
  const { id: second } = await anEndpoint({ userId: buyer.id })
  await anEndpoint({ userId: buyer.id, disabledAt: '2026-01-01', disabledReason: 'owner' })
  // The first use of a token is stored.
  await place(token, [input])
  sendBatch.mockClear()
  const { database, trips } = measured(env.DB)
  const response = await callWith({ DB: database }, 'POST', '/api/externalOrders', {
    token,
    json: [input, input],
  })
  expect(response.status).toBe(200)
  expect(trips).toHaveLength(2)
  const woken = sendBatch.mock.calls.flatMap(([messages]) => [...messages].map(({ body }) => body))
  const byId = (a: unknown, b: unknown) => JSON.stringify(a).localeCompare(JSON.stringify(b))
  expect(woken.sort(byId)).toEqual([{ endpointId: first }, { endpointId: second }].sort(byId))
})

it('an order that waits for a wallet writes order.awaiting_wallet as well', async () => {
  const { endpoint } = await anOrder({ hasWallet: false })
  const messages = await messagesTo(endpoint)
  expect(
    messages.map(({ payload }) => [payload.type, payload.data.status, payload.data.sequence]),
  ).toEqual([
    ['order.created', 'awaiting_wallet', 0],
    ['order.awaiting_wallet', 'awaiting_wallet', 1],
  ])
})

describe('a change of a delivery', () => {
  it('into transferred writes order.delivered with the transaction', async () => {
    const { endpoint, item } = await anOrder()
    const { id: transactionId, hash } = await aTransaction()
    await change(item, { state: 'in_flight', transactionId })
    await change(item, { state: 'transferred' })
    const [, delivered, ...others] = await messagesTo(endpoint)
    expect(delivered).toMatchObject({ type: 'order.delivered', state: 'pending' })
    expect(delivered?.payload.data).toMatchObject({
      status: 'transferred',
      txId: hash,
      failReason: null,
      sequence: 3,
    })
    expect(others).toEqual([])
  })

  it('writes order.delivered again with a higher sequence after a reorganization', async () => {
    const { endpoint, item } = await anOrder()
    for (const state of ['transferred', 'queued', 'in_flight', 'transferred'] as const)
      await change(item, { state, ...(state === 'queued' && { dueAt: item.createdAt }) })
    expect(await eventsTo(endpoint)).toEqual([
      ['order.created', 0],
      ['order.delivered', 2],
      ['order.delivered', 5],
    ])
  })

  it('into failed writes order.failed with the reason', async () => {
    const { endpoint, item } = await anOrder()
    const { reason, reasonCode } = explain('recipient_rejects', 'not today')
    await change(item, { state: 'failed', reasonCode, reason })
    const [, failed] = await messagesTo(endpoint)
    expect(failed?.payload).toMatchObject({
      type: 'order.failed',
      data: { status: 'failed', failReason: reason, reasonCode, sequence: 2 },
    })
  })

  it.each([
    [['order.failed'], true],
    [['order.cancelled'], true],
    [['order.failed', 'order.cancelled'], true],
    [['order.created', 'order.delivered'], false],
  ] as const)('into cancelled writes order.cancelled once for %j: %s', async (events, isSent) => {
    const { item, buyer } = await anOrder()
    const endpoint = await anEndpoint({ userId: buyer.id, events: [...events] })
    await change(item, { state: 'cancelled', requestedAction: 'cancel', ...explain('cancelled') })
    const messages = (await messagesTo(endpoint)).map(({ payload }) => payload)
    const data = { status: 'failed', failReason: 'cancelled', reasonCode: 'cancelled', sequence: 2 }
    expect(messages).toMatchObject(isSent ? [{ type: 'order.cancelled', data }] : [])
  })

  it('into awaiting_wallet writes order.awaiting_wallet', async () => {
    const { endpoint, item, buyer } = await anOrder()
    await change(item, { state: 'failed', ...explain('no_relayer') })
    await change(item, {
      state: 'awaiting_wallet',
      awaits: buyer.id,
      reasonCode: null,
      reason: null,
    })
    expect(await eventsTo(endpoint)).toEqual([
      ['order.created', 0],
      ['order.failed', 2],
      ['order.awaiting_wallet', 3],
    ])
  })

  it('that leaves the state as it is writes nothing', async () => {
    const { endpoint, item } = await anOrder()
    await change(item, { state: 'failed', ...explain('transfer_failed') })
    await change(item, { state: 'failed', ...explain('recipient_rejects') })
    expect(await eventsTo(endpoint)).toEqual([
      ['order.created', 0],
      ['order.failed', 2],
    ])
  })

  it('that is rolled back writes nothing', async () => {
    const { endpoint, item } = await anOrder()
    const update = env.DB.prepare(
      "UPDATE deliveries SET state = 'transferred', dueAt = NULL WHERE id = ?",
    )
    const failure = env.DB.prepare("INSERT INTO guard (failure) VALUES ('stop')")
    await expect(env.DB.batch([update.bind(item.id), failure])).rejects.toThrow('stop')
    expect(await eventsTo(endpoint)).toEqual([['order.created', 0]])
  })
})

describe('a message is written', () => {
  it('for the buyer, the seller and administrators, and for nobody else', async () => {
    const shop = await aShop()
    const { id: administrator } = await anAdministrator()
    const master = { role: 'master' } as const
    const told = await Promise.all([
      anEndpoint({ userId: shop.buyer.id }),
      anEndpoint({ userId: shop.seller.id }),
      anEndpoint({ ...master, userId: administrator }),
    ])
    const removedAt = new Date().toISOString()
    const untold = await Promise.all([
      anEndpoint(),
      anEndpoint({ userId: administrator }),
      anEndpoint({ userId: shop.buyer.id, events: ['order.delivered', 'webhook.test'] }),
      anEndpoint({ ...master, userId: (await aUser()).id }),
      anEndpoint({ ...master, userId: (await aUser({ roleId: 1, removedAt })).id }),
    ])
    await placed(shop.token, [shop.input])
    for (const endpoint of told) expect(await messagesTo(endpoint)).toHaveLength(1)
    for (const endpoint of untold) expect(await messagesTo(endpoint)).toEqual([])
  })

  it('once for an administrator who is buyer and seller', async () => {
    const user = await anAdministrator()
    const shop = await aShop({ listing: { sellerId: user.id } })
    const endpoints = [
      await anEndpoint({ userId: user.id }),
      await anEndpoint({ userId: user.id, role: 'master' }),
    ]
    await placed(shop.token, [
      {
        ...shop.input,
        buyerUserId: user.id,
        buyerBillingData: { city: 'Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' },
      },
    ])
    for (const endpoint of endpoints) expect(await messagesTo(endpoint)).toHaveLength(1)
  })

  it('as failed for a disabled endpoint, so that a replay finds it', async () => {
    const shop = await aShop()
    const disabledAt = new Date().toISOString()
    const endpoint = await anEndpoint({
      userId: shop.buyer.id,
      disabledAt,
      disabledReason: 'failing',
    })
    await placed(shop.token, [shop.input])
    expect(await messagesTo(endpoint)).toMatchObject([
      { state: 'failed', dueAt: null, attempts: 0 },
    ])
  })

  it('for each order of a call, and none for a call that fails', async () => {
    const shop = await aShop()
    const endpoint = await anEndpoint({ userId: shop.seller.id })
    await place(shop.token, [shop.input, { ...shop.input, quantity: 1000 }])
    expect(await messagesTo(endpoint)).toEqual([])
    const two = await placed(shop.token, [shop.input, shop.input])
    const messages = await messagesTo(endpoint)
    expect(messages.map(({ orderId }) => orderId).sort()).toEqual(two.map(({ id }) => id).sort())
  })
})

it('costs the same however many endpoints others have', async () => {
  const rowsOfFailure = async () => {
    const { item } = await anOrder()
    const { database, trips } = measured(env.DB)
    await database
      .prepare("UPDATE deliveries SET state = 'failed', dueAt = NULL, version = 1 WHERE id = ?")
      .bind(item.id)
      .run()
    return [trips[0]?.rowsRead, trips[0]?.rowsWritten]
  }
  const before = await rowsOfFailure()
  for (let i = 0; i < 20; i++) await anEndpoint()
  expect(await rowsOfFailure()).toEqual(before)
})
