import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { appendAlarms } from '../../src/events/append.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { aReservation, release } from '../reservations/holds.ts'
import { answerOf, call } from '../support/api.ts'
import {
  aMasterToken,
  anAddress,
  anAdministrator,
  aShopToken,
  aWebhook,
  db,
  findRow,
  setRow,
} from '../support/makers.ts'
import { aShop, billingData, callerOf, placed, placeError, sold, times } from './shop.ts'

type Answer = { orders: Order[]; nextCursor?: string | null; code?: string }

const read = (token: string, path: string) =>
  answerOf<Answer>(call('GET', `/api/externalOrders${path}`, { token }))

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
  const { order: masterOrder } = await sold(shop.token, shop.input)
  const names = { own: `Own ${shopCount}`, other: `Other ${shopCount}` }
  return { ...shop, names, own, other, ownOrders, otherOrders, masterOrder }
}

/** Ends all tokens, so that others may have their names. */
const revokeTokens = () => db.update(tokens).set({ revokedAt: '2026-01-01T00:00:00.000Z' })

describe('a token for the orders of one shop', () => {
  it('releases no reservation of another name, and cancels no order of one', async () => {
    const { own, other, otherOrders, masterOrder, listing } = await twoShops()
    const { id: reservationId } = await aReservation(other, { listingId: listing.id })
    expect((await release(own, reservationId)).status).toBe(404)
    for (const { id } of [...otherOrders, masterOrder]) {
      const cancelling = call('POST', `/api/externalOrders/${id}/cancel`, { token: own })
      const refused = { status: 400, code: 'order_not_found' }
      expect(await answerOf(cancelling)).toMatchObject(refused)
    }
    expect((await release(other, reservationId)).status).toBe(204)
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
    const none = { status: 400, code: 'order_not_found' }
    for (const { id } of [...otherOrders, masterOrder])
      expect(await read(own, `/${id}`)).toMatchObject(none)
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

  it('sees the buyer as a seller does, and nothing that only the buyer gets', async () => {
    const administrator = await anAdministrator()
    await anAddress(administrator)
    await setRow(users, administrator.id, { email: 'ada@example.com' })
    const { ethereumPublicAddr } = administrator
    const shop = await aShop({ nft: { secretPhrase: 'open sesame' } })
    const token = await aShopToken(undefined, administrator)
    const { order, item } = await sold(token, { ...shop.input, buyerUserId: administrator.id })
    await setRow(orderItems, item.id, { ethRecipient: ethereumPublicAddr })
    await setRow(deliveries, item.id, { state: 'transferred', dueAt: null, deliveredAmount: 1 })
    const hidden = { email: '', provider: '', roleId: null, ipAddress: '' }
    expect((await read(token, `/${order.id}`)).orders).toMatchObject([
      {
        buyer: { id: administrator.id, ethereumPublicAddr, ...hidden },
        payprovWebhookToken: '00000000-0000-0000-0000-000000000000',
        orderItems: [{ nft: { secretPhrase: null } }],
      },
    ])
  })

  it('adds nothing to the address book of a buyer, and does not learn who has one', async () => {
    const shop = await aShop()
    const token = await aShopToken()
    const email = 'known@example.com'
    await setRow(users, shop.buyer.id, { email })
    const goods = { listing: shop.listing.externalId, nft: shop.nft.externalId, quantity: 1 }
    const unknown = await placeError(token, [{ ...goods, buyer: { email: 'x@example.com' } }])
    const known = await placeError(token, [{ ...goods, buyer: { email } }])
    expect([known.status, known.code]).toEqual([400, 'no_billing_address'])
    expect(known.error).toBe(unknown.error)
    const input = { ...goods, buyer: { email }, buyerBillingData: billingData }
    const { buyerId, billingAddressId } = (await sold(token, input)).order
    expect(buyerId).toBe(shop.buyer.id)
    const own = { userId: buyerId, origin: 'seller_order', city: 'Ulm' }
    expect(await findRow(addresses, billingAddressId)).toMatchObject(own)
  })

  it('gets no components of /health', async () => {
    const body = await (await call('GET', '/health', { token: await aShopToken() })).json()
    expect(body).not.toHaveProperty('components')
  })

  it('is refused with another scope than the stored one', async () => {
    const token = await aShopToken()
    await setRow(tokens, (await callerOf(token)).tokenId, { scope: 'write' })
    expect((await read(token, '')).status).toBe(401)
  })
})

it('the log of events has the events of its own orders only, and no alarms', async () => {
  const { own, names, ownOrders } = await twoShops()
  const alarm = { name: 'x', subject: '', detail: '', raisedAt: '', runbookUrl: '' }
  for (const statement of appendAlarms(db, [{ type: 'alarm.raised', data: alarm }], new Date()))
    await statement
  const eventsOf = (query: string) => answerOf(call('GET', `/api/events${query}`, { token: own }))
  const events = idsOf(ownOrders).map((orderId) => ({ data: { orderId } }))
  for (const query of ['', `?source=${names.own}`])
    expect(await eventsOf(query)).toMatchObject({ events })
  expect(await eventsOf(`?source=${names.other}`)).toMatchObject({ events: [] })
})

describe('webhooks', () => {
  const url = 'https://shop.example.com/hook'
  const hook = { url, events: ['order.created'] }

  const send = (token: string, method: string, path: string, json?: unknown) =>
    answerOf<{ webhook: { id: string }; error?: string }>(
      call(method, `/api/webhooks${path}`, json ? { token, json } : { token }),
    )

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
      const answers = [
        await send(own, 'GET', `/${id}`),
        await send(own, 'PUT', `/${id}`, { url }),
        await send(own, 'POST', `/${id}/rotate`),
        await send(own, 'DELETE', `/${id}`),
      ]
      expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404])
    }
    await revokeTokens()
    const successor = await aShopToken('Mine')
    expect((await send(successor, 'GET', `/${webhook.id}`)).status).toBe(200)
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
