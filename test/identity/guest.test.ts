/** Accounts that only an order has named, until somebody proves the address. */
import { eq } from 'drizzle-orm'
import { describe, expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { addresses, users } from '../../src/db/schema/users.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { linesOf } from '../catalogue/records.ts'
import {
  aShop,
  billingData,
  codesOf,
  type Failure,
  placed,
  racing,
  type Shop,
  sold,
} from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aToken,
  aUser,
  aWebhook,
  db,
  findRow,
  setRow,
} from '../support/makers.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  linkWallet,
  mailedLink,
  pageOf,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

type Values = Partial<typeof users.$inferInsert>

const guestByEmail = (values: Values = {}) =>
  aUser({ ethereumPublicAddr: '', provider: 'email', email: anEmail(), ...values })

const userById = (id: number) => findRow(users, id)

/** Sells a piece to the user, with a new billing address. Returns the ids of the order and its item. */
async function sellTo({ token, input }: Pick<Shop, 'token' | 'input'>, { id }: { id: number }) {
  const given = { ...input, buyerUserId: id, buyerBillingData: billingData }
  const { order, item } = await sold(token, given)
  return { orderId: order.id, itemId: item.id }
}

/** Who bought an order, whom its item waits for, and to whom it is delivered. */
async function stateOf({ orderId }: { orderId: number }) {
  const [row] = await db
    .select({
      buyerId: orders.buyerId,
      owner: addresses.userId,
      state: deliveries.state,
      awaits: deliveries.awaits,
      recipient: orderItems.ethRecipient,
    })
    .from(orders)
    .innerJoin(orderItems, eq(orderItems.orderId, orders.id))
    .innerJoin(deliveries, eq(deliveries.id, orderItems.id))
    .innerJoin(addresses, eq(addresses.id, orders.billingAddressId))
    .where(eq(orders.id, orderId))
  return row
}

/** Links an e-mail address, and returns the response of the form that confirms it. */
async function linkEmail(visitor: Visitor, email: string, env: Partial<Env> = {}) {
  await visitor.post('/settings/account/email', { form: { email } })
  const form = { secret: secretOf(mailedLink(visitor)) }
  return visitor.post('/settings/account/email/confirm', { form, env })
}

const idOf = async (signedIn: Response) => (await signedIn.json<{ userId: number }>()).userId

/** A closed account, without anything of the person. */
const closed = { email: '', ethereumPublicAddr: '', removedAt: expect.any(String) }

it('gives what it bought to a user who adds its e-mail address, and sends it to their wallet', async () => {
  const guest = await guestByEmail()
  const shop = await aShop()
  const sale = await sellTo(shop, guest)
  await anAddress(guest, { isDefault: true })
  expect(await stateOf(sale)).toMatchObject({ state: 'awaiting_wallet', awaits: guest.id })
  const visitor = aVisitor()
  const wallet = aWallet()
  const userId = await idOf(await signInByWallet(visitor, wallet))
  await anAddress({ id: userId }, { isDefault: true })

  const { queue, pending } = aRecordingQueue()
  const linked = await linkEmail(visitor, guest.email, { DELIVERIES: queue })
  expect(linked.headers.get('location')).toBe('/settings/account?notice=email-linked')
  expect(await stateOf(sale)).toEqual({
    buyerId: userId,
    owner: userId,
    state: 'queued',
    awaits: null,
    recipient: wallet.address,
  })
  expect(pending().map(({ chainId }) => chainId)).toEqual([31337])
  expect(await userById(guest.id)).toMatchObject(closed)
  expect(await userById(userId)).toMatchObject({ email: guest.email })
  const book = await db.select().from(addresses).where(eq(addresses.userId, userId))
  expect(book.map(({ isDefault }) => isDefault).sort()).toEqual([false, false, true])
  expect(await (await visitor.get('/orders')).text()).toContain(`id="order-${sale.orderId}"`)
})

it('tells whoever lists changes that its orders have another buyer', async () => {
  const guest = await guestByEmail()
  const shop = await aShop()
  const { orderId, itemId } = await sellTo(shop, guest)
  await setRow(deliveries, itemId, { state: 'transferred', awaits: null })
  const updatedFrom = new Date().toISOString()
  const visitor = aVisitor()
  const userId = await idOf(await signInByWallet(visitor, aWallet()))
  await linkEmail(visitor, guest.email)
  const query = new URLSearchParams({ updatedFrom, fields: 'summary' })
  const changed = call('GET', `/api/externalOrders?${query}`, { token: shop.token })
  expect(await answerOf(changed)).toMatchObject({
    orders: [{ id: orderId, buyerId: userId, status: 'transferred', sequence: 2 }],
  })
})

it('gives what it bought to a user who links its wallet, and queues what waited for one', async () => {
  const wallet = aWallet()
  const guest = await aUser({ ethereumPublicAddr: wallet.address })
  const visitor = aVisitor()
  const email = anEmail()
  await signInByEmail(visitor, email)
  const [user] = await db.select().from(users).where(eq(users.email, email))
  if (!user) throw new Error('no user')
  const shop = await aShop()
  const [own, ofGuest] = [await sellTo(shop, user), await sellTo(shop, guest)]
  await sellTo(shop, user)
  await sellTo(await aShop({ nft: { contractNetwork: 'not configured' } }), user)

  const { queue, pending } = aRecordingQueue()
  const linked = await linkWallet(visitor, wallet, { DELIVERIES: queue })
  expect(await linked.json()).toEqual({ userId: user.id, transfers: 2 })
  // One message for each chain.
  expect(pending().map(({ chainId }) => chainId)).toEqual([31337])
  const queued = { buyerId: user.id, state: 'queued', awaits: null, recipient: wallet.address }
  expect([await stateOf(own), await stateOf(ofGuest)]).toEqual([
    { ...queued, owner: user.id },
    { ...queued, owner: user.id },
  ])
  expect(await userById(guest.id)).toMatchObject(closed)
  // It is theirs in every way: what is not sent yet waits for the next wallet.
  expect((await visitor.post('/settings/account/wallet/unlink')).status).toBe(303)
  expect(await stateOf(ofGuest)).toMatchObject({ state: 'awaiting_wallet', awaits: user.id })
})

it.each<[string, Values, (user: { id: number; ethereumPublicAddr: string }) => Promise<unknown>]>([
  ['was signed in to', { lastAccessAt: '2026-01-01T00:00:00.000Z' }, async () => {}],
  ['is in the catalogue', { externalId: 'cleo' }, async () => {}],
  ['has a role', { roleId: 1 }, async () => {}],
  ['has a second address', { ethereumPublicAddr: `0x${'ab'.repeat(20)}` }, async () => {}],
  ['is closed', { removedAt: '2026-01-01T00:00:00.000Z' }, async () => {}],
  ['sells', {}, async (user) => aListing(await anNft(user))],
  [
    'has sold',
    {},
    async (user) => {
      const { id } = await aListing(await anNft(user))
      const { token, input, nft } = await aShop()
      await placed(token, [input])
      await db.update(orderItems).set({ sellerId: user.id }).where(eq(orderItems.nftId, nft.id))
      await db.run(`DELETE FROM listings WHERE id = ${id}`)
    },
  ],
  ['has a token', {}, (user) => aToken(user)],
  ['has a webhook', {}, (user) => aWebhook(user)],
])('is not taken over by a user who adds its address if it %s', async (_, values, change) => {
  const user = await guestByEmail(values)
  await change(user)
  const sale = await sellTo(await aShop(), await guestByEmail())
  await setRow(orders, sale.orderId, { buyerId: user.id })
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const { status, text } = await pageOf(linkEmail(visitor, user.email))
  expect(status).toBe(409)
  expect(text).toContain('This e-mail address belongs to another account.')
  expect(await userById(user.id)).toMatchObject({ email: user.email })
  expect(await stateOf(sale)).toMatchObject({ buyerId: user.id })
})

it('gets no order that is placed while it is taken over', async () => {
  const wallet = aWallet()
  const guest = await aUser({ ethereumPublicAddr: wallet.address })
  await anAddress(guest)
  const { token, input } = await aShop()
  const visitor = aVisitor()
  await signInByEmail(visitor)
  const ctx = await racing(token, () => linkWallet(visitor, wallet))
  const placing = placeOrders(ctx, { orders: [{ ...input, buyerUserId: guest.id }] })
  await expect(placing).rejects.toMatchObject({ code: 'buyer_not_found' })
  expect(await db.select().from(orders).where(eq(orders.buyerId, guest.id))).toEqual([])
})

describe('an import of its address', () => {
  const send = async (email: string, ethereumPublicAddr: string) => {
    const record = { type: 'user', id: email, name: 'Cleo', email, ethereumPublicAddr }
    const content = { token: await aMasterToken(), body: linesOf([record]) }
    const { result, ...failure } = await answerOf<Failure & { result?: { user: object } }>(
      call('POST', '/api/admin/catalogue', content),
    )
    return result?.user ?? codesOf(failure)
  }
  const updated = { created: 0, updated: 1, unchanged: 0 }

  it('gives it the rest of the record, and sends what waited for a wallet there', async () => {
    const guest = await guestByEmail()
    const sale = await sellTo(await aShop(), guest)
    const { address } = aWallet()
    expect(await send(guest.email, address)).toEqual(updated)
    const named = { name: 'Cleo', externalId: guest.email, ethereumPublicAddr: address }
    expect(await userById(guest.id)).toMatchObject(named)
    const queued = { state: 'queued', awaits: null, recipient: address }
    expect(await stateOf(sale)).toMatchObject(queued)
    expect(await send(guest.email, address)).toEqual({ ...updated, updated: 0, unchanged: 1 })
  })

  it('does not join two of them', async () => {
    const guest = await guestByEmail()
    const { address } = aWallet()
    await aUser({ ethereumPublicAddr: address })
    expect(await send(guest.email, address)).toEqual(['lines[1].ethereumPublicAddr identity_taken'])
  })

  it('gives no wallet to an account with a role, which an order has not made', async () => {
    const { email } = await guestByEmail({ roleId: 1 })
    expect(await send(email, aWallet().address)).toEqual([
      'lines[1].ethereumPublicAddr cannot_change',
    ])
  })
})
