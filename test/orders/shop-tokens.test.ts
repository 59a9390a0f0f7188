import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { webhookEndpoints } from '../../src/db/schema/webhooks.ts'
import { appendAlarms } from '../../src/events/append.ts'
import type { Order } from '../../src/orders/schema.ts'
import { call } from '../support/api.ts'
import {
  aMasterToken,
  anAddress,
  anAdministrator,
  aShopToken,
  aTransaction,
  aWebhook,
  db,
  setRow,
} from '../support/makers.ts'
import { aShop, billingData, callerOf, placed, placeError, times } from './shop.ts'

type Answer = { status: number; orders: Order[]; nextCursor?: string | null; code?: string }

async function read(token: string, path: string): Promise<Answer> {
  const response = await call('GET', `/api/externalOrders${path}`, { token })
  return { status: response.status, ...(await response.json<Omit<Answer, 'status'>>()) }
}

const idsOf = (orders: readonly { id: number }[]) => orders.map(({ id }) => id)

let shopCount = 0

/** Two shops of one administrator, each with an order, and one by a token for everything. */
async function twoShops() {
  const administrator = await anAdministrator()
  const shop = await aShop()
  const [own, other] = [
    await aShopToken(`Own ${++shopCount}`, administrator),
    await aShopToken(`Other ${shopCount}`, administrator),
  ]
  const inputs = times(2, (i) => ({ ...shop.input, providerId: `A-${i}` }))
  const ownOrders = await placed(own, inputs)
  const otherOrders = await placed(other, inputs)
  const [masterOrder] = await placed(shop.token, [shop.input])
  if (!masterOrder) throw new Error('no order was placed')
  const names = { own: `Own ${shopCount}`, other: `Other ${shopCount}` }
  return { ...shop, names, own, other, ownOrders, otherOrders, masterOrder }
}

/** Ends all tokens, so that others may have their names. */
const revokeTokens = () => db.update(tokens).set({ revokedAt: '2026-01-01T00:00:00.000Z' })

describe('a token for the orders of one shop', () => {
  it('holds, releases, checks, places and cancels for every seller, and repeats a number', async () => {
    const [first, second] = [await aShop(), await aShop()]
    const token = await aShopToken()
    const holds = [
      { listingId: first.listing.id, quantity: 1, ttl: 600 },
      { listingId: second.listing.id, quantity: 1, ttl: 600 },
    ]
    const held = await call('POST', '/api/reservations', { token, json: holds })
    const { reservations } = await held.json<{ reservations: { id: string }[] }>()
    expect(reservations).toHaveLength(2)
    const released = await call('DELETE', `/api/reservations/${reservations[1]?.id}`, { token })
    expect(released.status).toBe(204)
    const json = [{ ...first.input, reservationId: reservations[0]?.id }, second.input]
    expect((await call('POST', '/api/externalOrders/check', { token, json })).status).toBe(200)
    const [order] = await placed(token, json)
    const path = '/api/externalOrders/by-number/A%201'
    const statuses = []
    for (let i = 0; i < 2; i++)
      statuses.push((await call('PUT', path, { token, json: first.input })).status)
    expect(statuses).toEqual([201, 200])
    const cancelled = await call('POST', `/api/externalOrders/${order?.id}/cancel`, { token })
    expect(cancelled.status).toBe(200)
  })

  it('releases no reservation of another name, and cancels no order of one', async () => {
    const { own, other, otherOrders, masterOrder, listing } = await twoShops()
    const json = [{ listingId: listing.id, quantity: 1, ttl: 600 }]
    const held = await call('POST', '/api/reservations', { token: other, json })
    const { reservations } = await held.json<{ reservations: { id: string }[] }>()
    const path = `/api/reservations/${reservations[0]?.id}`
    expect((await call('DELETE', path, { token: own })).status).toBe(404)
    for (const { id } of [...otherOrders, masterOrder]) {
      const response = await call('POST', `/api/externalOrders/${id}/cancel`, { token: own })
      expect(response.status).toBe(400)
      expect(await response.json()).toMatchObject({ code: 'order_not_found' })
    }
    expect((await call('DELETE', path, { token: other })).status).toBe(204)
  })

  it('sees the orders of its name, and no others, in every list', async () => {
    const { own, names, ownOrders, otherOrders, masterOrder, seller, buyer } = await twoShops()
    const ids = idsOf(ownOrders)
    const newestFirst = ids.toReversed()
    for (const query of [
      '',
      `?source=${names.own}`,
      `?sellerId=${seller.id}`,
      `?buyerUserId=${buyer.id}`,
      '?deliveryStatus=pending',
      '?createdFrom=2026-01-01T00:00:00Z',
    ])
      expect(idsOf((await read(own, query)).orders), query).toEqual(newestFirst)
    expect(idsOf((await read(own, '?updatedFrom=2026-01-01T00:00:00Z')).orders)).toEqual(ids)
    expect(idsOf((await read(own, '?providerId=A-0')).orders)).toEqual([ids[0]])
    expect(idsOf((await read(own, '?fields=summary')).orders)).toEqual(newestFirst)
    expect((await read(own, `?source=${names.other}`)).orders).toEqual([])
    expect((await read(own, '?deliveryStatus=transferred')).orders).toEqual([])
    const page = await read(own, '?limit=1')
    expect(idsOf(page.orders)).toEqual([ids[1]])
    expect(idsOf((await read(own, `?limit=1&cursor=${page.nextCursor}`)).orders)).toEqual([ids[0]])
    expect(idsOf((await read(own, `/${ids}`)).orders)).toEqual(ids)
    for (const { id } of [...otherOrders, masterOrder]) {
      expect(await read(own, `/${id}`)).toMatchObject({ status: 400, code: 'order_not_found' })
      expect(await read(own, `/${id}/proof`)).toMatchObject({
        status: 400,
        code: 'order_not_found',
      })
    }
  })

  it('sees no order that its administrator has bought or sold elsewhere', async () => {
    const administrator = await anAdministrator()
    await anAddress(administrator)
    const shop = await aShop()
    const [order] = await placed(shop.token, [{ ...shop.input, buyerUserId: administrator.id }])
    const token = await aShopToken(undefined, administrator)
    expect((await read(token, '')).orders).toEqual([])
    expect((await read(token, `?buyerUserId=${administrator.id}`)).orders).toEqual([])
    expect(await read(token, `/${order?.id}`)).toMatchObject({ code: 'order_not_found' })
  })

  it('goes on with the orders of a token that had its name before', async () => {
    const shop = await aShop()
    const [order] = await placed(await aMasterToken('Continued'), [shop.input])
    await revokeTokens()
    const token = await aShopToken('Continued')
    expect(idsOf((await read(token, '')).orders)).toEqual([order?.id])
  })

  it('sees the buyer as a seller does, and nothing that only the buyer gets', async () => {
    const administrator = await anAdministrator()
    await anAddress(administrator)
    await db.update(users).set({ email: 'ada@example.com' }).where(eq(users.id, administrator.id))
    const shop = await aShop({ nft: { secretPhrase: 'open sesame' } })
    const token = await aShopToken(undefined, administrator)
    const [order] = await placed(token, [{ ...shop.input, buyerUserId: administrator.id }])
    const { id: transactionId } = await aTransaction({ blockHash: `0x${'b1'.repeat(32)}` })
    const [item] = order?.orderItems ?? []
    await setRow(orderItems, item?.id, { ethRecipient: administrator.ethereumPublicAddr })
    await setRow(deliveries, item?.id, {
      state: 'transferred',
      dueAt: null,
      deliveredAmount: 1,
      transactionId,
    })
    const [shown] = (await read(token, `/${order?.id}`)).orders
    expect(shown?.buyer).toMatchObject({
      id: administrator.id,
      ethereumPublicAddr: administrator.ethereumPublicAddr,
      email: '',
      provider: '',
      roleId: null,
      ipAddress: '',
    })
    expect(shown?.payprovWebhookToken).toBe('00000000-0000-0000-0000-000000000000')
    expect(shown?.orderItems[0]?.nft.secretPhrase).toBeNull()
    expect(await read(token, `/${order?.id}/proof`)).toMatchObject({ status: 200 })
  })

  it('adds nothing to the address book of a buyer, and does not learn who has one', async () => {
    const shop = await aShop()
    const token = await aShopToken()
    const email = 'known@example.com'
    await db.update(users).set({ email }).where(eq(users.id, shop.buyer.id))
    const goods = { listing: shop.listing.externalId, nft: shop.nft.externalId, quantity: 1 }
    const unknown = await placeError(token, [{ ...goods, buyer: { email: 'x@example.com' } }])
    const known = await placeError(token, [{ ...goods, buyer: { email } }])
    expect([known.status, known.code]).toEqual([400, 'no_billing_address'])
    expect(known.error).toBe(unknown.error)
    const [order] = await placed(token, [
      { ...goods, buyer: { email }, buyerBillingData: billingData },
    ])
    expect(order?.buyerId).toBe(shop.buyer.id)
    const [address] = await db
      .select()
      .from(addresses)
      .where(eq(addresses.id, order?.billingAddressId ?? 0))
    expect(address).toMatchObject({ userId: shop.buyer.id, origin: 'seller_order', city: 'Ulm' })
  })

  it('gets no components of /health', async () => {
    const body = await (await call('GET', '/health', { token: await aShopToken() })).json()
    expect(body).not.toHaveProperty('components')
  })

  it('is refused with another scope than the stored one', async () => {
    const token = await aShopToken()
    const { tokenId } = await callerOf(token)
    await db.update(tokens).set({ scope: 'write' }).where(eq(tokens.id, tokenId))
    expect((await read(token, '')).status).toBe(401)
  })
})

describe('the log of events', () => {
  it('has the events of its own orders only, and no alarms', async () => {
    const { own, names, ownOrders } = await twoShops()
    const alarm = { name: 'x', subject: '', detail: '', raisedAt: '', runbookUrl: '' }
    for (const statement of appendAlarms(db, [{ type: 'alarm.raised', data: alarm }], new Date()))
      await statement
    for (const query of ['', `?source=${names.own}`]) {
      const response = await call('GET', `/api/events${query}`, { token: own })
      const { events } = await response.json<{ events: { data: { orderId?: number } }[] }>()
      expect(events.map(({ data }) => data.orderId)).toEqual(idsOf(ownOrders))
    }
    const others = await call('GET', `/api/events?source=${names.other}`, { token: own })
    expect(await others.json()).toMatchObject({ events: [] })
  })
})

describe('webhooks', () => {
  const url = 'https://shop.example.com/hook'
  const hook = { url, events: ['order.created'] }

  const send = async (token: string, method: string, path: string, json?: unknown) => {
    const response = await call(method, `/api/webhooks${path}`, json ? { token, json } : { token })
    const body = await response.json<{ webhook: { id: string }; error?: string }>()
    return { status: response.status, ...body }
  }

  it('have their own name as the source', async () => {
    const token = await aShopToken('A "shop"')
    for (const sources of [undefined, null, ['A "shop"']]) {
      const { webhook } = await send(token, 'POST', '', { ...hook, sources })
      expect(webhook).toMatchObject({ role: 'master', sources: ['A "shop"'], url })
    }
    const refused = { status: 400, error: expect.stringMatching(/^sources: must be the name/) }
    for (const sources of [['Other'], ['A "shop"', 'Other']])
      expect(await send(token, 'POST', '', { ...hook, sources })).toMatchObject(refused)
  })

  it('keep it, whoever changes them', async () => {
    const token = await aShopToken('Kept')
    const { webhook } = await send(token, 'POST', '', hook)
    const path = `/${webhook.id}`
    const events = ['order.created', 'alarm.raised']
    for (const caller of [token, await aMasterToken()]) {
      for (const sources of [null, ['Other']])
        expect(await send(caller, 'PUT', path, { sources })).toMatchObject({ status: 400 })
      expect(await send(caller, 'PUT', path, { events })).toMatchObject({
        status: 400,
        error: 'events: must not have alarms: only endpoints of administrators get them',
      })
      const changed = await send(caller, 'PUT', path, { sources: ['Kept'], url: `${url}2` })
      expect(changed).toMatchObject({ status: 200, webhook: { sources: ['Kept'] } })
    }
    expect(await send(token, 'POST', '', { ...hook, events })).toMatchObject({ status: 400 })
  })

  it('are those of its name: it neither sees nor changes others', async () => {
    const administrator = await anAdministrator()
    const [own, other] = [
      await aShopToken('Mine', administrator),
      await aShopToken('Yours', administrator),
    ]
    const { webhook } = await send(own, 'POST', '', hook)
    const theirs = (await send(other, 'POST', '', hook)).webhook
    const all = await aWebhook(administrator, { role: 'master', sources: ['Mine'] })
    const user = await aWebhook(administrator)
    const response = await call('GET', '/api/webhooks', { token: own })
    expect(await response.json()).toMatchObject({ webhooks: [{ id: webhook.id }] })
    for (const { id } of [theirs, all, user]) {
      expect((await send(own, 'GET', `/${id}`)).status).toBe(404)
      expect((await send(own, 'PUT', `/${id}`, { url })).status).toBe(404)
      expect((await send(own, 'POST', `/${id}/rotate`)).status).toBe(404)
      expect((await send(own, 'DELETE', `/${id}`)).status).toBe(404)
    }
    await revokeTokens()
    const successor = await aShopToken('Mine')
    expect((await send(successor, 'GET', `/${webhook.id}`)).status).toBe(200)
  })

  it('get the events of its own orders only', async () => {
    const token = await aShopToken('Told')
    const { webhook } = await send(token, 'POST', '', hook)
    await setRow(webhookEndpoints, webhook.id, { verifiedAt: '2026-01-01T00:00:00.000Z' })
    const shop = await aShop()
    const [order] = await placed(token, [shop.input])
    await placed(await aShopToken(), [shop.input])
    await placed(shop.token, [shop.input])
    const response = await call('GET', `/api/webhooks/${webhook.id}/messages`, { token })
    const { messages } = await response.json<{ messages: { type: string; orderId: number }[] }>()
    expect(messages.map(({ type, orderId }) => [type, orderId])).toEqual([
      ['order.created', order?.id],
      ['webhook.test', null],
    ])
  })

  it('are counted by name, not with those of the administrator', async () => {
    const administrator = await anAdministrator()
    const token = await aShopToken('Counted', administrator)
    const master = await aMasterToken()
    for (let i = 0; i < 10; i++) expect((await send(token, 'POST', '', hook)).status).toBe(200)
    expect((await send(token, 'POST', '', hook)).status).toBe(409)
    expect((await send(master, 'POST', '', hook)).status).toBe(200)
    const other = await aShopToken('Not counted', administrator)
    expect((await send(other, 'POST', '', hook)).status).toBe(200)
  })
})
