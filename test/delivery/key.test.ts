/** The delivery keys of orders. They identify a delivery on the chain, whatever happens to D1. */
import { describe, expect, it } from 'vitest'
import { deliveries, instance } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { hashKeySecret, makeKeys } from '../../src/delivery/key.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import {
  aShop,
  callerOf,
  dbWithHooks,
  ordersOf,
  placed,
  recordWakeUps,
  settings,
} from '../orders/shop.ts'
import { callWith } from '../support/api.ts'
import { aMasterToken, db } from '../support/makers.ts'

const sendBatch = recordWakeUps()

/** The secret of the tests: the byte 7, 32 times. */
const SECRET = '07'.repeat(32)
const OTHER_SECRET = '08'.repeat(32)

/** Returns the keys of the buyer's deliveries, oldest first. */
async function keysOf(buyer: { id: number }): Promise<string[]> {
  const ids = (await ordersOf(buyer)).map(({ orderItems }) => orderItems.id)
  const rows = await db.select().from(deliveries).orderBy(deliveries.id)
  return rows.filter(({ id }) => ids.includes(id)).map(({ key }) => key)
}

/** Forgets all orders, as a restore of the database does. */
async function loseOrders() {
  await db.delete(deliveries)
  await db.delete(orderItems)
  await db.delete(orders)
}

describe('makeKeys', () => {
  // Computed with `openssl dgst -sha256 -mac HMAC -macopt hexkey:0707…` of the JSON.
  it('returns the HMAC-SHA-256 of the namespace and the order number', async () => {
    const source = { namespace: 'master:bücher "x"', providerId: '№ 7' }
    expect(await makeKeys(SECRET, [source])).toEqual([
      '0x9e612f3712c0d63767515dd559d2ccb9fc4ebda9545c573e418a6ea5074ba10a',
    ])
    expect(await makeKeys(OTHER_SECRET, [source])).not.toEqual(await makeKeys(SECRET, [source]))
  })

  it('returns another key for another namespace, however it is divided', async () => {
    const keys = await makeKeys(SECRET, [
      { namespace: 'master:a', providerId: 'b' },
      { namespace: 'master:ab', providerId: '' },
      { namespace: 'master:a","b', providerId: '' },
      { namespace: 'user:1:a', providerId: 'b' },
    ])
    expect(new Set(keys).size).toBe(4)
  })
})

it('an order has the same key when it is lost and placed again, also in another position', async () => {
  const { buyer, input } = await aShop()
  const token = await aMasterToken('shop')
  const inputs = [
    { ...input, providerId: 'order-1' },
    { ...input, providerId: 'order-2' },
  ]
  await placed(token, inputs)
  const [first = '', second = ''] = await keysOf(buyer)
  expect(first).toBe('0x6f2fe8e27b0b9eff6b4aaffc9f59ba54fc193536679c5b132c1af311f8d75a2c')
  await loseOrders()
  await placed(await aMasterToken('shop'), [input, ...inputs.toReversed()])
  const [random, ...again] = await keysOf(buyer)
  expect(again).toEqual([second, first])
  expect([first, second]).not.toContain(random)
})

describe('DELIVERY_KEY_SECRET', () => {
  const placeWith = (secret: string, token: string, input: object) =>
    callWith({ DELIVERY_KEY_SECRET: secret }, 'POST', '/api/externalOrders', {
      token,
      json: [input],
    })

  it('is remembered as its hash when the first order is placed', async () => {
    const { token, input } = await aShop()
    await db.delete(instance)
    for (let i = 0; i < 2; i++) await placed(token, [input])
    expect(await db.select().from(instance)).toEqual([
      {
        id: 1,
        // Computed with sha256sum of the 32 bytes.
        deliverySecretHash: '4bb06f8e4e3a7715d201d573d0aa423762e55dabd61a2c02278fa56cc6d294e0',
        publicUrl: 'https://marketplace.test',
        mailPosition: 0,
      },
    ])
    expect(hashKeySecret('AB'.repeat(32))).toBe(hashKeySecret('ab'.repeat(32)))
  })

  it('gives 503 and writes nothing if it is another one, until the first is back', async () => {
    const { token, buyer, input } = await aShop()
    await placed(token, [input])
    sendBatch.mockClear()
    const response = await placeWith(OTHER_SECRET, token, { ...input, providerId: '7' })
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({
      orders: null,
      code: 'not_ready',
      error: 'the secret DELIVERY_KEY_SECRET is not the one that this instance began with',
    })
    expect(await ordersOf(buyer)).toHaveLength(1)
    expect(sendBatch).not.toHaveBeenCalled()
    expect((await placeWith(SECRET, token, { ...input, providerId: '7' })).status).toBe(200)
    expect(await ordersOf(buyer)).toHaveLength(2)
  })

  it('decides between two first orders that are placed at once with different ones', async () => {
    const { token, buyer, input } = await aShop()
    await db.delete(instance)
    const caller = await callerOf(token)
    const place = (secret: string, database = db) =>
      placeOrders(
        {
          db: database,
          caller,
          settings: { ...settings, DELIVERY_KEY_SECRET: secret },
          now: new Date(),
        },
        { orders: [input] },
      )
    const racing = dbWithHooks({ beforeWrite: () => place(SECRET) })
    await expect(place(OTHER_SECRET, racing)).rejects.toMatchObject({ code: 'not_ready' })
    expect(await ordersOf(buyer)).toHaveLength(1)
  })
})
