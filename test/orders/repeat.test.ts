import { and, eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { idempotencyKeys, nfts, transfers } from '../../src/db/schema.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { placeOrders } from '../../src/orders/place.ts'
import { repeatable } from '../../src/orders/repeat.ts'
import { aMasterToken, db } from '../support/makers.ts'
import {
  aShop,
  callerOf,
  meddledDb,
  ordersOf,
  place,
  refusal,
  sendBatch,
  stockOf,
  times,
} from './shop.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })
const billingData = { city: 'Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' }

it('answers the same call with the same bytes, whatever has happened since', async () => {
  const { token, buyer, nft, element } = await aShop()
  const elements = [
    { ...element, buyerBillingData: billingData },
    { ...element, quantity: 2 },
  ]
  const first = await place(token, elements, keyed('same'))
  expect(first.headers.get('idempotent-replayed')).toBeNull()
  const text = await first.text()
  const { orders: answer } = JSON.parse(text) as { orders: PlacedOrder[] }

  const itemId = answer[0]?.orderItems[0]?.id ?? 0
  await db
    .update(transfers)
    .set({ status: 'failed', txId: '0x1', reason: 'late' })
    .where(eq(transfers.id, itemId))
  await db.update(nfts).set({ title: 'Renamed', availableAmount: 0 }).where(eq(nfts.id, nft.id))
  const again = await place(token, elements, keyed('same'))
  expect(again.status).toBe(200)
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  expect(await again.text()).toBe(text)
  expect(await ordersOf(buyer)).toHaveLength(2)
  expect(sendBatch).toHaveBeenCalledTimes(1)
})

it('refuses the same key with another body, even of the same meaning', async () => {
  const { token, element } = await aShop()
  expect((await place(token, [element], keyed('one'))).status).toBe(200)
  const { nftId, ...rest } = element
  for (const other of [[{ ...element, quantity: 2 }], [{ ...rest, nftId }], [element, element]])
    expect(await refusal(token, other, keyed('one'))).toMatchObject({
      status: 422,
      orders: null,
      code: 'idempotency_key_reused',
    })
})

it('places the orders of 50 identical calls at once a single time', async () => {
  const { token, buyer, nft, element } = await aShop()
  const responses = await Promise.all(times(50, () => place(token, [element], keyed('rush'))))
  const texts = await Promise.all(responses.map((response) => response.text()))
  const answers = responses.map(({ status, headers }, i) => ({
    status,
    isReplay: headers.has('idempotent-replayed'),
    text: texts[i],
  }))
  const first = answers.filter(({ status, isReplay }) => status === 200 && !isReplay)
  expect(first).toHaveLength(1)
  for (const { status, isReplay, text } of answers)
    if (isReplay) expect(text).toBe(first[0]?.text)
    else if (status !== 200) expect(status).toBe(409)
  expect(await ordersOf(buyer)).toHaveLength(1)
  expect(await stockOf(nft)).toBe(9)
})

it('keeps the keys of one user apart from those of another', async () => {
  const { token, buyer, element } = await aShop()
  const another = await aMasterToken()
  for (const whose of [token, another])
    expect((await place(whose, [element], keyed('mine'))).headers.has('idempotent-replayed')).toBe(
      false,
    )
  expect(await ordersOf(buyer)).toHaveLength(2)
})

it('keeps no refusal: the call may be mended and repeated', async () => {
  const { token, nft, element } = await aShop({ nft: { amount: 1, availableAmount: 0 } })
  expect((await place(token, [element], keyed('mended'))).status).toBe(400)
  await db.update(nfts).set({ availableAmount: 1 }).where(eq(nfts.id, nft.id))
  const response = await place(token, [element], keyed('mended'))
  expect(response.status).toBe(200)
  expect(response.headers.has('idempotent-replayed')).toBe(false)
})

it('forgets after 24 hours, its own key and those of others', async () => {
  const { token, buyer, element } = await aShop()
  const { userId } = await callerOf(token)
  await place(token, [element], keyed('old'))
  await place(token, [element], keyed('older'))
  const age = (key: string, hours: number) =>
    db
      .update(idempotencyKeys)
      .set({ createdAt: new Date(Date.now() - hours * 3_600_000).toISOString() })
      .where(and(eq(idempotencyKeys.userId, userId), eq(idempotencyKeys.key, key)))
  await age('old', 23.9)
  const replayed = await place(token, [element], keyed('old'))
  expect(replayed.headers.has('idempotent-replayed')).toBe(true)
  await age('old', 24.1)
  await age('older', 25)
  const anew = await place(token, [element], keyed('old'))
  expect(anew.status).toBe(200)
  expect(anew.headers.has('idempotent-replayed')).toBe(false)
  expect(await ordersOf(buyer)).toHaveLength(3)
  const kept = await db.select().from(idempotencyKeys).where(eq(idempotencyKeys.userId, userId))
  expect(kept.map(({ key }) => key)).toEqual(['old'])
})

it('answers again what was committed when the reply of the database was lost', async () => {
  const { token, buyer, element } = await aShop()
  const caller = await callerOf(token)
  const body = await new Response(JSON.stringify([element])).arrayBuffer()
  const call = await repeatable(caller.userId, 'lost', body)
  const severed = meddledDb({
    after: () => {
      throw new Error('D1_ERROR: Network connection lost.')
    },
  })
  await expect(placeOrders(severed, caller, [element], call, new Date())).rejects.toThrow('lost')
  const repeated = await place(token, [element], keyed('lost'))
  expect(repeated.status).toBe(200)
  expect(repeated.headers.get('idempotent-replayed')).toBe('true')
  const { orders: answer } = await repeated.json<{ orders: PlacedOrder[] }>()
  const stored = await ordersOf(buyer)
  expect(stored.map(({ orders }) => orders.id)).toEqual(answer.map(({ id }) => id))
  expect(stored.map(({ orderItems }) => orderItems.id)).toEqual([answer[0]?.orderItems[0]?.id])
})

it.each(['', 'x'.repeat(256)])('takes no key of a length that is none: %j', async (key) => {
  const { token, element } = await aShop()
  expect(await refusal(token, [element], keyed(key))).toMatchObject({
    status: 400,
    error: 'idempotency-key: must be 1 to 255 characters',
  })
})

it('takes a key of 255 characters, and places twice without one', async () => {
  const { token, buyer, element } = await aShop()
  expect((await place(token, [element], keyed('x'.repeat(255)))).status).toBe(200)
  await place(token, [element])
  await place(token, [element])
  expect(await ordersOf(buyer)).toHaveLength(3)
})

it('places nothing when the answer would be too large to keep', async () => {
  const { token, buyer, element } = await aShop({
    nft: { payload: { amountType: 'limited', description: 'x'.repeat(1_950_000) } },
  })
  expect(await refusal(token, [element], keyed('large'))).toMatchObject({
    status: 413,
    orders: null,
    code: 'payload_too_large',
  })
  expect(await ordersOf(buyer)).toEqual([])
  expect((await place(token, [element])).status).toBe(200)
})
