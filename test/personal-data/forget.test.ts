import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { listings } from '../../src/db/schema/catalogue.ts'
import { mintPermissions } from '../../src/db/schema/creators.ts'
import { burns, deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { addresses, tokens, users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { Order, PlacedOrder } from '../../src/orders/reading/schema.ts'
import { purgedBy } from '../avatars/cache.ts'
import { aShop, billingData, place, placed, placeError, sold } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { bodiesOf } from '../support/events.ts'
import {
  aMasterToken,
  anAddress,
  anAdministrator,
  aToken,
  aTransaction,
  aUser,
  db,
  findRow,
  setRow,
} from '../support/makers.ts'
import { moveTo } from '../support/transitions.ts'
import { aVisitor, signInByEmail } from '../support/visitor.ts'
import { aPerson, everything } from './person.ts'

const forget = (token: string, { id }: { id: number }, query = '') =>
  call('POST', `/api/admin/users/${id}/forget${query}`, { token })

it('leaves no text of the person in the database or the bucket', async () => {
  const { master, user, texts } = await aPerson()
  const personal = [...Object.values(texts), user.ethereumPublicAddr, user.identityHash]
  const before = await everything()
  expect(personal.filter((text) => !before.includes(text))).toEqual([])
  expect(await answerOf(forget(master, user))).toEqual({
    status: 200,
    id: user.id,
    removedAt: expect.stringMatching(/Z$/),
  })
  const after = await everything()
  expect(await db.$count(mintPermissions, eq(mintPermissions.userId, user.id))).toBe(0)
  // NFTs keep the wallet of their creator, which the chain has, too. The namespace of what the user
  // has sold has the hash, so that order numbers stay unique.
  const stays = personal.filter((text) => after.includes(text))
  expect(stays).toEqual([user.ethereumPublicAddr, user.identityHash])
  expect(after.split(user.ethereumPublicAddr)).toHaveLength(2)
  expect((await env.AVATARS.list({ prefix: `${user.id}/` })).objects).toEqual([])
})

it('only checks in a dry run', async () => {
  const { master, user } = await aPerson()
  const before = await everything()
  expect((await forget(master, user, '?dryRun=true')).status).toBe(200)
  expect(await everything()).toBe(before)
  expect((await forget(master, { id: 999_999 }, '?dryRun=true')).status).toBe(404)
})

it('keeps the books: orders with amounts, and the countries of their billing addresses', async () => {
  const { master, user, bought, sold } = await aPerson()
  const path = `/api/externalOrders/${[...bought, ...sold].map(({ id }) => id)}`
  const read = async () => {
    const { orders } = await answerOf<{ orders: Order[] }>(call('GET', path, { token: master }))
    return orders.map(({ buyer, orderItems: [item], ...order }) => ({
      ...order,
      item: { ...item, ethRecipient: null, listing: null },
    }))
  }
  const before = await read()
  await forget(master, user)
  expect(await read()).toEqual(before)
  const rows = await db.select().from(addresses).where(eq(addresses.userId, user.id))
  expect(rows.every(({ street, city, deletedAt }) => !street && !city && deletedAt)).toBe(true)
  const used = rows.filter(({ origin }) => origin === 'order')
  expect(used.map(({ country }) => country)).toEqual(['NO', 'NO', 'NO'])
  expect(rows.filter(({ kind }) => kind === 'delivery')).toMatchObject([{ country: null }])
})

it("removes the shop's own texts of the orders, also from their events; their numbers stay taken", async () => {
  const { token, input, buyer } = await aShop()
  const custom = { gift: 'for Kari' }
  const { order, item } = await sold(token, { ...input, custom, providerId: 'forgotten-1' })
  const customs = async () => (await bodiesOf(db, order.id)).map(({ data }) => data)
  expect(await customs()).toMatchObject([{ custom }])
  await moveTo(item.id, 'transferred')
  expect((await forget(await aMasterToken(), buyer)).status).toBe(200)
  const forgotten = { orderId: order.id, custom: null }
  expect(await customs()).toMatchObject([forgotten, forgotten])
  const json = { ...input, custom }
  const again = call('PUT', '/api/externalOrders/by-number/forgotten-1', { token, json })
  expect(await answerOf(again)).toMatchObject({ status: 200, orders: [{ id: order.id }] })
})

it('ends every token at once, and stops the sales of the person', async () => {
  const { master, user, token, listing, other } = await aPerson()
  const path = '/api/externalOrders'
  expect((await call('GET', path, { token })).status).toBe(200)
  await forget(master, user)
  expect((await call('GET', path, { token })).status).toBe(401)
  expect(await db.select().from(tokens).where(eq(tokens.userId, user.id))).toEqual([])
  expect((await findRow(listings, listing.id))?.active).toBe(false)
  const input = { ...other.input, listingId: listing.id, nftId: listing.nftId }
  expect(await placeError(other.token, [input])).toMatchObject({ code: 'listing_inactive' })
})

it('takes no more orders of the person, and keeps the keys of calls', async () => {
  const { master, user, input, key, keyed, today } = await aPerson()
  await forget(master, user)
  expect(await placeError(master, [input])).toMatchObject({ code: 'buyer_not_found' })
  const again = await place(master, keyed, { 'idempotency-key': key })
  expect(again.headers.get('idempotent-replayed')).toBe('true')
  const order = { id: today?.id, orderItems: [{ ethRecipient: null }] }
  expect(await answerOf(again)).toMatchObject({ orders: [order] })
})

it('forgets that the wallet of the person has burned gas, and not that others have', async () => {
  const { master, user } = await aPerson()
  const wallet = user.ethereumPublicAddr.toLowerCase()
  const of = (recipient: string) => ({
    ...{ chainId: 5, token: '0xa', recipient, times: 1 },
    updatedAt: '2026-01-01T00:00:00.000Z',
  })
  await db.insert(burns).values([of(wallet), of(''), of('0xb')])
  await forget(master, user)
  const left = (await db.select().from(burns)).map(({ recipient }) => recipient)
  expect(left.sort()).toEqual(['', '0xb'])
})

it('gives a new, empty account to whoever signs in with the same address', async () => {
  const { master, user, texts } = await aPerson()
  await forget(master, user)
  const visitor = aVisitor()
  await signInByEmail(visitor, texts.email)
  const [account] = await db.select().from(users).where(eq(users.email, texts.email))
  expect(account?.id).not.toBe(user.id)
  expect(account).toMatchObject({ name: null, removedAt: null })
  expect(await (await visitor.get('/orders')).text()).not.toContain('<li class="order"')
})

it('purges the pictures of the person from the cache, also when it is repeated', async () => {
  const { master, user } = await aPerson()
  for (let i = 0; i < 2; i++)
    expect(await purgedBy(() => forget(master, user))).toEqual([`/avatars/${user.id}/`])
  expect(await purgedBy(() => forget(master, user, '?dryRun=true'))).toEqual([])
})

it('closes the account even if its pictures cannot be removed, and removes them when repeated', async () => {
  const { master, user } = await aPerson()
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  vi.spyOn(env.AVATARS, 'delete').mockRejectedValueOnce(new Error('unavailable'))
  expect((await forget(master, user)).status).toBe(200)
  expect(String(errors.mock.calls[0])).toContain('"event":"avatar_not_removed"')
  const pictures = async () => (await env.AVATARS.list({ prefix: `${user.id}/` })).objects.length
  expect(await pictures()).toBe(1)
  await forget(master, user)
  expect(await pictures()).toBe(0)
})

const itemIdOf = (order: PlacedOrder | undefined) => order?.orderItems[0]?.id ?? 0
const deliveryOf = (id: number) => findRow(deliveries, id)

it('is refused to buyer and seller while a transaction carries an item', async () => {
  const { token, buyer, seller, input } = await aShop()
  const { id } = (await sold(token, input)).item
  const { id: transactionId } = await aTransaction({ items: [id], isOpen: true })
  await setRow(deliveries, id, { state: 'in_flight', dueAt: null, transactionId })
  for (const user of [buyer, seller]) {
    expect(await answerOf(forget(token, user))).toMatchObject({
      status: 409,
      code: 'conflict',
      error: 'NFTs are on their way to or from the user: wait for them, or cancel them',
    })
    expect(await findRow(users, user.id)).toEqual(user)
  }
  expect(await deliveryOf(id)).toMatchObject({ state: 'in_flight', requestedAction: 'deliver' })
})

it('is refused to a seller while an item is queued, or waits for the wallet of its buyer', async () => {
  const { token, seller, input } = await aShop()
  const { item } = await sold(token, input)
  expect((await forget(token, seller)).status).toBe(409)
  await setRow(deliveries, item.id, { state: 'transferred', dueAt: null })
  const guest = { buyerUserId: undefined, buyer: { email: 'guest@example.com' } }
  const waiting = await sold(token, { ...input, ...guest, buyerBillingData: billingData })
  expect(await deliveryOf(waiting.item.id)).toMatchObject({ state: 'awaiting_wallet' })
  expect((await forget(token, seller)).status).toBe(409)
})

it('cancels what waits to be delivered to the person, and waits for no chain', async () => {
  const { token, buyer, seller, input } = await aShop()
  const orders = await placed(token, [input, input, input, input])
  const [queued = 0, awaiting = 0, failed = 0, delivered = 0] = orders.map(itemIdOf)
  const none = { queuedAt: null, dueAt: null }
  await setRow(deliveries, awaiting, { ...none, state: 'awaiting_wallet', awaits: buyer.id })
  await setRow(deliveries, failed, { ...none, state: 'failed', ...explain('recipient_rejects') })
  await setRow(deliveries, delivered, { dueAt: null, state: 'transferred' })
  expect((await forget(token, buyer)).status).toBe(200)
  for (const id of [queued, awaiting])
    expect(await deliveryOf(id)).toMatchObject({
      state: 'queued',
      requestedAction: 'cancel',
      awaits: null,
      version: 1,
      dueAt: expect.any(String),
      queuedAt: expect.any(String),
    })
  expect(await deliveryOf(failed)).toMatchObject({ state: 'failed', requestedAction: 'deliver' })
  const act = (action: string) => call('POST', `/api/admin/transfers/${action}`, { token })
  // It would wait for ever for a wallet.
  expect(await answerOf(act(`${failed}/retry`))).toMatchObject({
    status: 409,
    error: 'the personal data of the buyer were removed: cancel the item',
  })
  expect(await answerOf(act('retry?status=failed'))).toMatchObject({ changed: 0 })
  expect(await answerOf(act(`${failed}/cancel`))).toMatchObject({ status: 200 })
  expect(await deliveryOf(delivered)).toMatchObject({ state: 'transferred', version: 0 })
  const items = await db.select().from(orderItems).where(eq(orderItems.sellerId, seller.id))
  expect(items.map(({ ethRecipient }) => ethRecipient)).toEqual([null, null, null, null])
})

it('is refused for administrators and unknown users', async () => {
  const administrator = await anAdministrator()
  const token = await aToken(administrator, 'master')
  expect(await answerOf(forget(token, administrator))).toMatchObject({
    code: 'conflict',
    error: 'the user is an administrator: take that role away first',
  })
  expect((await forget(token, { id: 999_999 })).status).toBe(404)
})

it('changes nothing of other people', async () => {
  const { master, user, other } = await aPerson()
  const itemsOfOther = () =>
    db
      .select({ item: orderItems })
      .from(orderItems)
      .innerJoin(orders, eq(orders.id, orderItems.orderId))
      .where(eq(orders.buyerId, other.buyer.id))
  const items = await itemsOfOther()
  const bystander = await aUser({ email: 'bystander@example.com', name: 'By Stander' })
  const address = await anAddress(bystander, { street: 'By street' })
  const stranger = await aToken(bystander)
  await forget(master, user)
  expect(await itemsOfOther()).toEqual(items)
  expect(await findRow(users, bystander.id)).toEqual(bystander)
  expect(await findRow(addresses, address.id)).toEqual(address)
  expect((await call('GET', '/api/externalOrders', { token: stranger })).status).toBe(200)
})
