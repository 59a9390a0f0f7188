import { eq, like } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { idempotencyKeys } from '../../src/db/schema/orders.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import type { Order, PlacedOrder } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
import { aMasterToken, aToken, aUser, db, setRow } from '../support/makers.ts'
import {
  aShop,
  billingData,
  contextOf,
  dbWithHooks,
  ordersOf,
  place,
  placed,
  placeError,
  racing,
  recordWakeUps,
  stockOf,
  times,
} from './shop.ts'

const sendBatch = recordWakeUps()

const withKey = (key: string) => ({ 'idempotency-key': key })
const isReplay = ({ headers }: Response) => headers.get('idempotent-replayed') === 'true'

it('returns the same answer again, byte for byte, as long as nothing has changed', async () => {
  const { token, buyer, input } = await aShop()
  const inputs = [
    { ...input, buyerBillingData: billingData, custom: { cart: '1' } },
    { ...input, quantity: 2, providerId: 'number' },
  ]
  const longest = withKey('x'.repeat(255))
  const first = await place(token, inputs, longest)
  expect(first.headers.has('idempotent-replayed')).toBe(false)
  const second = await place(token, inputs, longest)
  expect(second.status).toBe(200)
  expect(isReplay(second)).toBe(true)
  expect(await second.text()).toBe(await first.text())
  expect(await ordersOf(buyer)).toHaveLength(2)
  expect(sendBatch).toHaveBeenCalledTimes(1)
})

it('returns the orders as they are now, without their buyer, in the order of the call', async () => {
  const { token, nft, listing, input } = await aShop({ nft: { amount: 20 } })
  const inputs = times(20, (i) => ({ ...input, quantity: 1, custom: { position: String(i) } }))
  const first = await placed(token, inputs, withKey('now'))
  const failed = { state: 'failed', ...explain('transfer_failed') } as const
  await setRow(deliveries, first[0]?.orderItems[0]?.id, failed)
  await setRow(nfts, nft.id, { title: 'Renamed' })
  await setRow(listings, listing.id, { active: false })
  const second = await place(token, inputs, withKey('now'))
  expect(isReplay(second)).toBe(true)
  const { orders } = await second.json<{ orders: PlacedOrder[] }>()
  expect(orders.map(({ id }) => id)).toEqual(first.map(({ id }) => id))
  expect(orders[0]).toMatchObject({
    failReason: expect.any(String),
    orderItems: [{ status: 'failed', nft: { title: 'Renamed', availableAmount: 0 } }],
  })
  const path = `/api/externalOrders/${first.map(({ id }) => id)}`
  const now = await answerOf<{ orders: Order[] }>(call('GET', path, { token }))
  expect(orders).toEqual(now.orders.map(({ buyer: _, ...order }) => order))
})

it('compares what was parsed, and returns 422 if the key was used with other orders', async () => {
  const { token, input } = await aShop()
  expect((await place(token, [input], withKey('one'))).status).toBe(200)
  const otherBodies = [[{ ...input, quantity: 2 }], [{ ...input, providerId: '1' }], [input, input]]
  for (const inputs of otherBodies)
    expect(await placeError(token, inputs, withKey('one'))).toMatchObject({
      status: 422,
      orders: null,
      code: 'idempotency_key_reused',
    })
  // The order of keys, blanks and null do not matter.
  const { nftId, ...rest } = input
  const headers = { ...withKey('one'), 'content-type': 'application/json' }
  const body = JSON.stringify([{ ...rest, nftId, unknown: 1, providerId: null }], null, 2)
  const response = await call('POST', '/api/externalOrders', { token, headers, body })
  expect(response.status).toBe(200)
  expect(isReplay(response)).toBe(true)
})

it('places the orders of 50 identical calls once', async () => {
  const { token, buyer, nft, input } = await aShop()
  const responses = await Promise.all(times(50, () => place(token, [input], withKey('parallel'))))
  const results = await Promise.all(
    responses.map(async (response) => ({
      status: response.status,
      isReplay: isReplay(response),
      text: await response.text(),
    })),
  )
  const first = results.filter(({ status, isReplay }) => status === 200 && !isReplay)
  expect(first).toHaveLength(1)
  for (const { status, isReplay, text } of results)
    if (isReplay) expect(text).toBe(first[0]?.text)
    else if (status !== 200) expect(status).toBe(409)
  expect(await ordersOf(buyer)).toHaveLength(1)
  expect(await stockOf(nft)).toBe(9)
})

it('lets two users use the same key', async () => {
  const { token, buyer, input } = await aShop()
  for (const jwt of [token, await aMasterToken()])
    expect(isReplay(await place(jwt, [input], withKey('shared')))).toBe(false)
  expect(await ordersOf(buyer)).toHaveLength(2)
})

it('returns 403 instead of the orders to a seller who has lost the listing', async () => {
  const { seller, listing, input } = await aShop()
  const token = await aToken(seller)
  expect((await place(token, [input], withKey('lost listing'))).status).toBe(200)
  const sellBy = ({ id }: { id: number }) =>
    db.update(listings).set({ sellerId: id }).where(eq(listings.id, listing.id))
  await sellBy(await aUser())
  for (const inputs of [[input], [input, input]])
    expect(await placeError(token, inputs, withKey('lost listing'))).toMatchObject({
      status: 403,
      code: 'not_your_listing',
      error: 'orders[0].listingId: only the seller may place orders for this listing',
    })
  await sellBy(seller)
  expect(isReplay(await place(token, [input], withKey('lost listing')))).toBe(true)
})

it('does not store errors, so a corrected call may use the same key', async () => {
  const { token, nft, input } = await aShop({ nft: { amount: 1, availableAmount: 0 } })
  expect((await place(token, [input], withKey('corrected'))).status).toBe(400)
  await db.update(nfts).set({ availableAmount: 1 }).where(eq(nfts.id, nft.id))
  const response = await place(token, [input], withKey('corrected'))
  expect(response.status).toBe(200)
  expect(isReplay(response)).toBe(false)
})

it('takes a key anew that is older than 24 hours', async () => {
  const { token, buyer, input } = await aShop()
  for (const key of ['used again', 'not used again']) await place(token, [input], withKey(key))
  const setAge = async (key: string, hours: number) => {
    const createdAt = new Date(Date.now() - hours * 3_600_000).toISOString()
    const day = createdAt.slice(0, 10)
    await db.update(idempotencyKeys).set({ createdAt, day }).where(eq(idempotencyKeys.key, key))
  }
  await setAge('used again', 23.9)
  expect(isReplay(await place(token, [input], withKey('used again')))).toBe(true)

  await setAge('used again', 24.1)
  await setAge('not used again', 25)
  const response = await place(token, [input], withKey('used again'))
  expect(response.status).toBe(200)
  expect(isReplay(response)).toBe(false)
  expect(await ordersOf(buyer)).toHaveLength(3)
  expect(isReplay(await place(token, [input], withKey('used again')))).toBe(true)
  // The cron run deletes the old ones.
  const rows = await db
    .select()
    .from(idempotencyKeys)
    .where(like(idempotencyKeys.key, '%used again'))
  expect(rows.map(({ key }) => key).sort()).toEqual(['not used again', 'used again', 'used again'])
})

it('replays orders that were written although the response of the database was lost', async () => {
  const { token, buyer, input } = await aShop()
  const brokenDb = dbWithHooks({
    afterWrite: () => {
      throw new Error('D1_ERROR: Network connection lost.')
    },
  })
  const call = { orders: [input], key: 'lost' }
  await expect(placeOrders(await contextOf(token, brokenDb), call)).rejects.toThrow('lost')
  const response = await place(token, [input], withKey('lost'))
  expect(response.status).toBe(200)
  expect(isReplay(response)).toBe(true)
  const { orders } = await response.json<{ orders: PlacedOrder[] }>()
  const rows = await ordersOf(buyer)
  expect(rows.map(({ orders }) => orders.id)).toEqual(orders.map(({ id }) => id))
  expect(rows.map(({ orderItems }) => orderItems.id)).toEqual([orders[0]?.orderItems[0]?.id])
})

it('returns 400 if the key is too long or has a character that is refused', async () => {
  const { token, input } = await aShop()
  for (const [key, message] of [
    ['x'.repeat(256), 'must be 1 to 255 characters'],
    // The platform decodes what is not UTF-8 to U+FFFD, so two keys would be one.
    ['caf\ufffd', 'must not have U+FFFD at position 4'],
    ['a\tb', 'must not have U+0009 at position 2'],
  ] as const)
    expect(await placeError(token, [input], withKey(key))).toMatchObject({
      status: 400,
      error: `idempotency-key: ${message}`,
    })
})

it('returns the orders if the same call with a provider id is placed meanwhile', async () => {
  const { token, buyer, input } = await aShop()
  const inputs = [{ ...input, providerId: 'shop-1' }]
  let first: PlacedOrder[] | undefined
  const ctx = await racing(token, async () => {
    first = await placed(token, inputs, withKey('same'))
  })
  const { orders, isReplay } = await placeOrders(ctx, { orders: inputs, key: 'same' })
  expect(isReplay).toBe(true)
  expect(orders).toEqual(first)
  expect(await ordersOf(buyer)).toHaveLength(1)
})

it('places orders once for a call that began before midnight and is overtaken by its repetition', async () => {
  const { token, buyer, input } = await aShop()
  const call = { orders: [input], key: 'midnight' }
  // The first call hangs between its two trips; the shop gives up and repeats it after midnight.
  const repeated = await contextOf(token, db, new Date('2026-11-24T00:00:05.000Z'))
  const ctx = await racing(token, () => placeOrders(repeated, call))
  const now = new Date('2026-11-23T23:59:59.000Z')
  const { isReplay } = await placeOrders({ ...ctx, now }, call)
  expect([isReplay, (await ordersOf(buyer)).length]).toEqual([true, 1])
})

it('finds the key of an isolate whose clock is two seconds ahead', async () => {
  const { token, buyer, input } = await aShop()
  for (const at of ['2026-11-24T00:00:01.000Z', '2026-11-23T23:59:59.000Z'])
    await placeOrders(await contextOf(token, db, new Date(at)), { orders: [input], key: 'skew' })
  expect(await ordersOf(buyer)).toHaveLength(1)
})
