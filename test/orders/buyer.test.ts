/** Orders that name their buyer by an e-mail address, a wallet or an id. */
import { desc, eq } from 'drizzle-orm'
import { beforeEach, expect, it, vi } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { addresses, users } from '../../src/db/schema/users.ts'
import { hashIdentity } from '../../src/identity/namespace.ts'
import { placeOrders } from '../../src/orders/placing/place.ts'
import { answerOf, call } from '../support/api.ts'
import { anAddress, aToken, aUser, db, findRow, setRow } from '../support/makers.ts'
import { anEmail, aVisitor, aWallet, signInByEmail, signInByWallet } from '../support/visitor.ts'
import {
  aShop,
  billingData,
  ordersOf,
  place,
  placed,
  placeError,
  problemsOf,
  racing,
  recordWakeUps,
  sold,
  times,
} from './shop.ts'

const sendBatch = recordWakeUps()
beforeEach(() => void vi.spyOn(console, 'log').mockImplementation(() => {}))

const PLACE =
  'city, street, country and postal (unless country is the ISO code of one without postal codes)'

/** A shop whose input has billing data and no buyer. */
async function anOpenShop() {
  const shop = await aShop()
  const { buyerUserId: _, ...rest } = shop.input
  const input = { ...rest, buyerBillingData: billingData }
  return { ...shop, rest, input, to: (buyer: object) => ({ ...input, buyer }) }
}

const userOf = (id = 0) => findRow(users, id)

it('creates a user without a sign-in for an e-mail address that nobody has', async () => {
  const { token, to } = await anOpenShop()
  const email = anEmail()
  const response = await place(token, [to({ email: ` ${email.toUpperCase()} ` })])
  const text = await response.text()
  expect(response.status).toBe(200)
  expect(text.toLowerCase()).not.toContain(email)
  const [order] = JSON.parse(text).orders
  const user = await userOf(order.buyerId)
  expect(user).toEqual({
    ...(await aUser()),
    id: order.buyerId,
    email,
    provider: 'email',
    identityHash: hashIdentity('email', email),
    ethereumPublicAddr: '',
    approved: false,
    approvedAt: null,
    createdAt: order.createdAt,
    updatedAt: order.createdAt,
  })
  expect(order.orderItems[0]).toMatchObject({ status: 'awaiting_wallet', ethRecipient: null })
  expect(await findRow(deliveries, order.orderItems[0].id)).toMatchObject({
    state: 'awaiting_wallet',
    awaits: order.buyerId,
  })
  const [address] = await db.select().from(addresses).where(eq(addresses.userId, order.buyerId))
  expect(address).toMatchObject({ id: order.billingAddressId, ...billingData, origin: 'order' })
  expect(sendBatch).not.toHaveBeenCalled()
})

it('gives the account to whoever proves the address first', async () => {
  const { token, to } = await anOpenShop()
  const [email, wallet] = [anEmail(), aWallet()]
  const [byEmail, byWallet] = await placed(token, [to({ email }), to({ wallet: wallet.address })])
  const [reader, owner] = [aVisitor(), aVisitor()]
  await signInByEmail(reader, email)
  expect((await signInByWallet(owner, wallet)).status).toBe(200)
  for (const [visitor, order] of [
    [reader, byEmail],
    [owner, byWallet],
  ] as const) {
    const headers = { cookie: `token=${visitor.cookies.get('token')}` }
    const list = call('GET', '/api/externalOrders', { headers })
    expect(await answerOf(list)).toMatchObject({ orders: [{ id: order?.id }] })
  }
  const again = await placed(token, [to({ email }), to({ wallet: wallet.address })])
  expect(again.map(({ buyerId }) => buyerId)).toEqual([byEmail?.buyerId, byWallet?.buyerId])
})

it('gives the key of a wallet what was ordered for it on all chains', async () => {
  const { token, to } = await anOpenShop()
  const wallet = aWallet()
  const order = () => sold(token, to({ wallet: wallet.address }))
  const { order: elsewhere } = await order()
  await setRow(users, elsewhere.buyerId, { walletChainId: 10 })
  const { order: here } = await order()
  expect(here.buyerId).not.toBe(elsewhere.buyerId)
  const owner = aVisitor()
  const signedIn = await signInByWallet(owner, wallet)
  expect(await signedIn.json()).toMatchObject({ userId: elsewhere.buyerId })
  const account = { walletChainId: 0, identityHash: hashIdentity('wallet', wallet.address) }
  expect(await userOf(elsewhere.buyerId)).toMatchObject(account)
  const orders = await ordersOf({ id: elsewhere.buyerId })
  expect(orders.map(({ orders }) => orders.id).sort()).toEqual([elsewhere.id, here.id].sort())
  expect(await userOf(here.buyerId)).toMatchObject({ removedAt: expect.any(String) })
})

it('delivers at once to a wallet that nobody has', async () => {
  const { token, to } = await anOpenShop()
  const { address } = aWallet()
  const { order, item } = await sold(token, to({ wallet: address.toLowerCase() }))
  expect(item).toMatchObject({ status: null, ethRecipient: address })
  expect(await userOf(order.buyerId)).toMatchObject({
    ...{ provider: 'wallet', email: '', ethereumPublicAddr: address, walletChainId: 31337 },
    ...{
      identityHash: hashIdentity('wallet', `31337:${address}`),
      lastAccessAt: null,
      externalId: null,
    },
  })
  expect(await findRow(deliveries, item.id)).toMatchObject({ state: 'queued', awaits: null })
  expect(sendBatch).toHaveBeenCalledTimes(1)
})

it('creates each new user of a call once, and gives each order its own', async () => {
  const { token, buyer, address, rest, to } = await anOpenShop()
  const [first, second, third] = [anEmail(), aWallet().address, anEmail()]
  const result = await placed(token, [
    to({ email: first }),
    { ...rest, buyerUserId: buyer.id },
    to({ wallet: second }),
    { ...rest, buyer: { email: first.toUpperCase() } },
    to({ email: third }),
    { ...rest, buyer: { wallet: second } },
  ])
  const [newest] = await db.select({ id: users.id }).from(users).orderBy(desc(users.id))
  const id = newest?.id ?? 0
  const buyers = [id - 2, buyer.id, id - 1, id - 2, id, id - 1]
  expect(result.map(({ buyerId }) => buyerId)).toEqual(buyers)
  expect(await userOf(id - 2)).toMatchObject({ email: first })
  expect(await userOf(id - 1)).toMatchObject({ ethereumPublicAddr: second })
  expect(await userOf(id)).toMatchObject({ email: third })
  const addressIds = result.map(({ billingAddressId }) => billingAddressId)
  const [a = 0] = addressIds
  expect(addressIds).toEqual([a, address.id, a + 1, a, a + 2, a + 1])
  expect(await findRow(addresses, a + 1)).toMatchObject({ userId: id - 1 })
  // As they are stored.
  for (const { id, buyerId, billingAddressId, orderItems: [item] = [] } of result) {
    expect(await findRow(orders, id)).toMatchObject({ buyerId, billingAddressId })
    const { ethRecipient } = item ?? {}
    expect(await findRow(orderItems, item?.id)).toMatchObject({ ethRecipient })
  }
})

it('finds a user by id, e-mail address or wallet, with the billing address', async () => {
  const { token, rest } = await anOpenShop()
  const email = anEmail()
  const lastAccessAt = new Date().toISOString()
  const buyer = await aUser({ email, ethereumPublicAddr: aWallet().address, lastAccessAt })
  const address = await anAddress(buyer)
  const wallet = buyer.ethereumPublicAddr
  const count = await db.$count(users)
  for (const given of [{ userId: buyer.id }, { email: email.toUpperCase() }, { wallet }]) {
    const [order] = await placed(token, [{ ...rest, buyer: given }])
    expect(order).toMatchObject({
      buyerId: buyer.id,
      billingAddressId: address.id,
      orderItems: [{ ethRecipient: wallet }],
    })
  }
  expect(await db.$count(users)).toBe(count)
})

it('takes a contract on the chain of the NFT before the key, and one of another chain last, which cannot have it', async () => {
  const { token, to } = await anOpenShop()
  const { address: ethereumPublicAddr } = aWallet()
  const order = async () => {
    const [{ buyerId } = { buyerId: 0 }] = await placed(token, [to({ wallet: ethereumPublicAddr })])
    const [newest] = (await ordersOf({ id: buyerId })).toSorted((a, b) => b.orders.id - a.orders.id)
    return [buyerId, newest?.orderItems.recipientChainId]
  }
  const [guest] = await order()
  // Each as if it had signed in, the likelier ones later.
  for (const walletChainId of [10, 0]) {
    const { id } = await aUser({
      ...{ ethereumPublicAddr, walletChainId, identityHash: crypto.randomUUID() },
      lastAccessAt: new Date().toISOString(),
    })
    expect(await order()).toEqual([id, walletChainId])
  }
  await setRow(users, guest ?? 0, { lastAccessAt: new Date().toISOString() })
  expect(await order()).toEqual([guest, 31337])
})

it('returns 400 if the buyer has the wrong form, or an order has two buyers or none', async () => {
  const { token, input, to } = await anOpenShop()
  const [email, wallet] = [anEmail(), aWallet().address]
  // The second is an example of EIP-55, with a wrong checksum.
  const wallets = ['0x1', '0x5AAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', `0x${'0'.repeat(40)}`]
  const oneOf = 'buyer: must have exactly one of userId, email and wallet'
  const cases: [order: object, problem: string][] = [
    [to({}), oneOf],
    [to({ userId: 1, email }), oneOf],
    [to({ email: 'nobody' }), 'buyer.email: must be an e-mail address'],
    [to({ wallet: wallets[0] }), 'buyer.wallet: must be an address'],
    [
      to({ wallet: `eth:${wallet}` }),
      'buyer.wallet: must be an address without the name of a chain, such as `eth:`',
    ],
    [to({ wallet: wallets[1] }), 'buyer.wallet: has a wrong checksum (EIP-55)'],
    [
      to({ wallet: wallets[2] }),
      'buyer.wallet: must not be the zero address or a precompile, which nobody owns',
    ],
    [{ ...to({ email }), buyerUserId: 1 }, 'buyer: must not be given together with buyerUserId'],
    [input, 'buyerUserId: is required, or buyer in its place'],
  ]
  const orders = cases.map(([order]) => order)
  expect(await problemsOf(token, orders)).toEqual(
    cases.map(([, problem], i) => `orders[${i}].${problem}`),
  )
})

it('returns 400 for a new person without billing data, and creates nobody', async () => {
  const { token, seller, rest, to } = await anOpenShop()
  const email = anEmail()
  const message = `must have ${PLACE}, as the buyer has no billing address`
  const error = { status: 400, error: `orders[0].buyerBillingData: ${message}` }
  const known = await aUser({ email: anEmail(), ethereumPublicAddr: '' })
  for (const address of [email, known.email])
    expect(await placeError(token, [{ ...rest, buyer: { email: address } }])).toMatchObject(error)
  // Billing data of a user token is for its own order only.
  const sellerToken = await aToken(seller)
  expect(
    await placeError(sellerToken, [to({ email }), { ...rest, buyer: { email } }]),
  ).toMatchObject({ issues: [{ path: 'orders[1].buyerBillingData' }] })
  expect(await db.$count(users, eq(users.email, email))).toBe(0)
  const { order } = await sold(sellerToken, to({ email }))
  expect(await findRow(addresses, order.billingAddressId)).toMatchObject({ origin: 'seller_order' })
})

it('creates one user for calls that name a new address at the same time', async () => {
  const [email, wallet] = [anEmail(), aWallet().address]
  for (const [buyer, isBuyer] of [
    [{ email }, eq(users.email, email)],
    [{ wallet }, eq(users.ethereumPublicAddr, wallet)],
  ] as const) {
    const { token, to } = await anOpenShop()
    const responses = await Promise.all(times(8, () => place(token, [to(buyer)])))
    for (const { status } of responses) expect([200, 409]).toContain(status)
    const rows = await db.select().from(users).where(isBuyer)
    expect(rows).toHaveLength(1)
    const count = responses.filter(({ status }) => status === 200).length
    expect(await ordersOf({ id: rows[0]?.id ?? 0 })).toHaveLength(count)
  }
})

/** Places an order. Before its transaction, `change` runs. */
async function placeDuring(token: string, input: object, change: () => PromiseLike<unknown>) {
  const ctx = await racing(token, change)
  return (await placeOrders(ctx, { orders: [input as never] })).orders[0]
}

it('finds the user who signs in with the address during the call', async () => {
  const { token, to } = await anOpenShop()
  const email = anEmail()
  const order = await placeDuring(token, to({ email }), () => signInByEmail(aVisitor(), email))
  const user = await userOf(order?.buyerId)
  expect(user).toMatchObject({ email, lastAccessAt: expect.any(String) })
})

it('does not sell to a user who loses the address during the call', async () => {
  const { token, to } = await anOpenShop()
  const email = anEmail()
  const former = await aUser({ email, ethereumPublicAddr: aWallet().address })
  const unlink = () => db.update(users).set({ email: '' }).where(eq(users.id, former.id))
  const order = await placeDuring(token, to({ email }), unlink)
  expect(order?.buyerId).not.toBe(former.id)
  expect(await userOf(order?.buyerId)).toMatchObject({ email })
  expect(await ordersOf(former)).toEqual([])
})

it('creates another user for an address that its user has unlinked, or of a forgotten person', async () => {
  const { token, to } = await anOpenShop()
  const [email, unlinkedEmail] = [anEmail(), anEmail()]
  const former = await aUser({ email, ethereumPublicAddr: '' })
  await call('POST', `/api/admin/users/${former.id}/forget`, { token })
  expect((await sold(token, to({ email }))).order.buyerId).not.toBe(former.id)
  const unlinked = await aUser({ email: unlinkedEmail, ethereumPublicAddr: '' })
  await setRow(users, unlinked.id, { email: '' })
  const { order } = await sold(token, to({ email: unlinkedEmail }))
  expect((await userOf(order.buyerId))?.identityHash).toMatch(
    new RegExp(`^${unlinked.identityHash}-[0-9a-f]{16}$`),
  )
})

it('does not tell a seller whether an address has an account with a billing address', async () => {
  const { seller, rest, input } = await anOpenShop()
  const token = await aToken(seller)
  const email = anEmail()
  await anAddress(await aUser({ email }))
  const message = `must have ${PLACE}, as this token does not use those of others`
  for (const buyer of [{ email }, { email: anEmail() }]) {
    const check = (order: object) =>
      call('POST', '/api/externalOrders/check', { token, json: [{ ...order, buyer }] })
    expect(await answerOf(check(rest))).toMatchObject({
      code: 'no_billing_address',
      error: `orders[0].buyerBillingData: ${message}`,
    })
    expect((await check(input)).status).toBe(200)
  }
})

/** Places an order to a buyer, and returns the locale of the buyer. */
async function localeOf(buyer: object): Promise<string | undefined> {
  const { token, to } = await anOpenShop()
  const [order] = await placed(token, [to(buyer)])
  return (await userOf(order?.buyerId))?.locale
}

it.each([
  [undefined, 'en'],
  ['en_US.UTF-8', 'en-US'],
  ['sr_RS@latin', 'sr-RS'],
  ['de\r\nBcc: all@example.com', 'en'],
  [7, 'en'],
])('gives a new buyer with the locale %s the locale %s', async (locale, stored) => {
  expect(await localeOf({ email: anEmail(), locale })).toBe(stored)
  expect(await localeOf({ wallet: aWallet().address, locale })).toBe(stored)
})

it('takes the first locale that a call names for a new buyer', async () => {
  const { token, to } = await anOpenShop()
  const email = anEmail()
  const buyers = [{ email }, { email, locale: 'it' }, { email, locale: 'fr' }]
  const sold = await placed(token, buyers.map(to))
  expect((await userOf(sold[0]?.buyerId))?.locale).toBe('it')
})

it('never changes the locale of a buyer who has an account', async () => {
  const email = anEmail()
  expect(await localeOf({ email, locale: 'fr' })).toBe('fr')
  // A guest, whom a shop has named.
  expect(await localeOf({ email, locale: 'es' })).toBe('fr')
  await signInByEmail(aVisitor(), email)
  expect(await localeOf({ email, locale: 'es' })).toBe('fr')
  const user = await aUser({ email: anEmail(), locale: 'it' })
  expect(await localeOf({ userId: user.id, locale: 'es' })).toBe('it')
  const { id } = await aUser({ email: anEmail() })
  expect(await localeOf({ userId: id, locale: 'es' })).toBe('en')
})
