/** Replicas lag: what they do not know yet must not make the Worker refuse anything. */

import { eq } from 'drizzle-orm'
import { expect, it, vi } from 'vitest'
import { listings as listingRows, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { emailLinks, tokens, users } from '../../src/db/schema/users.ts'
import { hashSecret, newSecret } from '../../src/identity/sign-in.ts'
import { billingData } from '../orders/shop.ts'
import { answerOf, callWith } from '../support/api.ts'
import { stopClock } from '../support/fake-time.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aSession,
  aToken,
  aUser,
  aWebhook,
  db,
  setRow,
} from '../support/makers.ts'
import { aLaggingReplica } from '../support/replica.ts'
import { aVisitor } from '../support/visitor.ts'

const ADDRESSES = '/api/public/user/me/deliveryAddresses'
const ORDERS = '/api/externalOrders'
const billing = { buyerBillingData: billingData }

const revokeAll = ({ id }: { id: number }) =>
  db.update(tokens).set({ revokedAt: '2026-01-01T00:00:00.000Z' }).where(eq(tokens.userId, id))

it('asks the primary about a token that the replica does not know', async () => {
  const user = await aUser()
  const { database: DB, copies } = await aLaggingReplica()
  const token = await aToken(user)
  expect((await callWith({ DB }, 'GET', ADDRESSES, { token })).status).toBe(200)
  expect(copies()).toEqual(['replica', 'primary'])
  expect((await callWith({ DB }, 'GET', ADDRESSES, { token: 'x' })).status).toBe(401)
  expect(copies()).toEqual([])
})

it('shows the parts of the instance to a master token that the replica does not know', async () => {
  const { database: DB } = await aLaggingReplica()
  const token = await aMasterToken()
  const health = await callWith({ DB }, 'GET', '/health', { token })
  expect(await health.json()).toMatchObject({ status: 'ok', components: { d1: { problem: null } } })
})

it('signs in a browser whose session the replica does not know', async () => {
  const user = await aUser()
  const { database: DB, copies } = await aLaggingReplica()
  const headers = { cookie: `token=${await aSession(user)}` }
  // The start page shows a visitor who is not signed in, instead of an error.
  const page = await callWith({ DB }, 'GET', '/', { headers })
  expect(await page.text()).toContain('Menu of')
  expect(copies()).toContain('primary')
})

it('finds what is new: orders, NFTs, listings, webhooks and orders by the number of the shop', async () => {
  const token = await aMasterToken()
  const buyer = await aUser()
  const nft = await anNft(await aUser())
  const { database: DB, copies } = await aLaggingReplica()
  const listing = await aListing(nft)
  const webhook = await aWebhook(buyer)
  const [order] = await placed({ DB }, token, {
    ...{ nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id },
    ...{ providerId: 'new 1', ...billing },
  })
  copies()
  for (const path of [
    `${ORDERS}/${order?.id}`,
    `/api/public/listings/${listing.id}`,
    `/api/webhooks/${webhook.id}`,
    `${ORDERS}?providerId=new%201`,
    `${ORDERS}?providerId=new%201&fields=summary`,
  ]) {
    const response = await callWith({ DB }, 'GET', path, { token })
    expect([path, response.status]).toEqual([path, 200])
    expect(JSON.stringify(await response.json())).toMatch(/"id":/)
    expect([path, copies()]).toEqual([path, ['replica', 'primary']])
  }
})

it('asks the primary before it says that something does not exist, and answers once', async () => {
  const token = await aMasterToken()
  const { database: DB, copies } = await aLaggingReplica()
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const answer = await answerOf(callWith({ DB }, 'GET', `${ORDERS}/999999`, { token }))
  expect(log.mock.calls).toHaveLength(1)
  log.mockRestore()
  expect(answer).toMatchObject({ status: 400, code: 'order_not_found' })
  expect(copies()).toEqual(['replica', 'primary'])
})

/** What a master token can order. The replica may be made before or after it. */
async function aSale(values: Parameters<typeof anNft>[1] = {}) {
  const nft = await anNft(await aUser(), values)
  const listing = await aListing(nft, { priceCents: 500 })
  const buyer = await aUser()
  const order = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  return { token: await aMasterToken(), nft, listing, buyer, order: { ...order, ...billing } }
}

/** Places orders, and returns them. */
async function placed(bindings: { DB: D1Database }, token: string, ...json: object[]) {
  type Answer = { orders: { id: number; totalPriceCents: number }[]; error: string | null }
  const { orders, error } = await answerOf<Answer>(
    callWith(bindings, 'POST', ORDERS, { token, json }),
  )
  expect(error).toBeNull()
  return orders
}

it('places orders with one trip to a replica and one to the primary', async () => {
  const { token, buyer, order } = await aSale()
  await anAddress(buyer, { kind: 'billing' })
  const { database: DB, copies, answers } = await aLaggingReplica()
  const json = [order]
  const first = await callWith({ DB }, 'POST', ORDERS, { token, json })
  expect(copies()).toEqual(['replica', 'primary'])
  // Also if the caller has just written: the guards of the second trip find what has changed. A
  // session that begins at the bookmark would wait until the replica has it.
  const bookmark = first.headers.get('x-d1-bookmark') ?? ''
  expect(bookmark).toMatch(/^[\da-f-]+\.\d{13}$/)
  const headers = { 'x-d1-bookmark': bookmark }
  await callWith({ DB }, 'POST', ORDERS, { token, json, headers })
  expect(answers).toMatchObject([
    { copy: 'replica', from: 'first-unconstrained' },
    { copy: 'primary' },
  ])
})

it.each([
  ['a price that has changed', async () => ({ priceCents: 700 }), 700],
  ['another seller', async () => ({ sellerId: (await aUser()).id }), 500],
])('places an order by the state of the primary: %s', async (_, change, cents) => {
  const { token, listing, order: input } = await aSale()
  const { database: DB, copies } = await aLaggingReplica()
  await setRow(listingRows, listing.id, await change())
  const [order] = await placed({ DB }, token, input)
  expect(order?.totalPriceCents).toBe(cents)
  expect(copies()).toEqual(['replica', 'primary', 'primary', 'primary'])
})

it('does not sell what the replica still has, and sells what it does not have yet', async () => {
  const { token, nft, order } = await aSale({ availableAmount: 1 })
  const json = [order]
  const { database: DB } = await aLaggingReplica()
  const setStock = (availableAmount: number) =>
    db.update(nfts).set({ availableAmount }).where(eq(nfts.id, nft.id))
  await setStock(0)
  const refused = answerOf(callWith({ DB }, 'POST', ORDERS, { token, json }))
  expect(await refused).toMatchObject({ status: 400, code: 'sold_out' })
  const soldOut = await aLaggingReplica()
  await setStock(1)
  await placed({ DB: soldOut.database }, token, order)
  expect(soldOut.copies()).toEqual(['replica', 'primary', 'primary'])
})

it('knows a buyer and a reservation that the replica does not have yet', async () => {
  const token = await aMasterToken()
  const nft = await anNft(await aUser())
  const listing = await aListing(nft)
  const { database: DB, copies } = await aLaggingReplica()
  const buyer = await aUser({ email: 'new@example.com' })
  const json = [{ listingId: listing.id, quantity: 1, ttl: 600 }]
  const reserving = callWith({ DB }, 'POST', '/api/reservations', { token, json })
  const { reservations } = await answerOf<{ reservations: { id: string }[] }>(reserving)
  copies()
  const order = { listingId: listing.id, nftId: nft.id, quantity: 1, ...billing }
  await placed(
    { DB },
    token,
    { ...order, buyerUserId: buyer.id, reservationId: reservations[0]?.id },
    { ...order, buyer: { email: 'new@example.com' } },
  )
  expect(copies()).toEqual(['replica', 'primary', 'primary'])
  // A user whom the replica does not know would be created again.
  await aUser({ email: 'newer@example.com' })
  await placed({ DB }, token, { ...order, buyer: { email: 'newer@example.com' } })
  expect(await db.$count(users, eq(users.email, 'newer@example.com'))).toBe(1)
})

it('repeats a call with the same Idempotency-Key from the primary, and places nothing twice', async () => {
  const { token, order } = await aSale()
  const { database: DB } = await aLaggingReplica()
  const headers = { 'idempotency-key': 'once' }
  const place = () => callWith({ DB }, 'POST', ORDERS, { token, json: [order], headers })
  const [first, second] = [await place(), await place()]
  expect(second.headers.get('idempotent-replayed')).toBe('true')
  expect(await second.json()).toEqual(await first.json())
})

it('returns an order by its number as the primary has it now, and compares it with that', async () => {
  const { token, order } = await aSale()
  const put = (bindings: Partial<Env>, json: object = order) =>
    callWith(bindings, 'PUT', `${ORDERS}/by-number/n1`, { token, json })
  const lacking = (await aLaggingReplica()).database
  const placing = put({ DB: lacking })
  const first = await answerOf<{ orders: { orderItems: { id: number }[] }[] }>(placing)
  expect(first.status).toBe(201)
  const repeated = await put({ DB: lacking })
  expect(repeated.status).toBe(200)
  // A shop that has lost the first answer reads its order from the primary as well.
  expect(repeated.headers.get('x-d1-bookmark')).toMatch(/^[\da-f-]+\.\d{13}$/)
  const different = answerOf(put({ DB: lacking }, { ...order, quantity: 2 }))
  expect(await different).toMatchObject({ code: 'order_differs' })

  const { database: DB, copies } = await aLaggingReplica()
  const updatedAt = '2031-01-01T00:00:00.000Z'
  await setRow(deliveries, first.orders[0]?.orderItems[0]?.id, { updatedAt })
  expect(await answerOf(put({ DB }))).toMatchObject({ orders: [{ updatedAt }] })
  expect(copies()).toEqual(['replica', 'primary'])
})

it('does not make a read wait for the state that the primary has just shown the caller', async () => {
  const token = await aMasterToken()
  const { database: DB, answers } = await aLaggingReplica()
  // Not found by the replica, so the primary answers.
  const first = await callWith({ DB }, 'GET', `${ORDERS}/999999`, { token })
  const bookmark = first.headers.get('x-d1-bookmark') ?? ''
  answers.splice(0)
  await callWith({ DB }, 'GET', `${ORDERS}/999999`, {
    token,
    headers: { 'x-d1-bookmark': bookmark },
  })
  // Otherwise the replica would first have to get what the primary had a moment ago.
  expect(bookmark).toBe('')
  expect(answers[0]).toEqual({ copy: 'replica', from: 'first-unconstrained' })
})

it.each(['without a session', 'with a session that has ended', 'with a session'])(
  'opens a sign-in link that the replica lacks: %s',
  async (kind) => {
    const user = await aUser()
    const cookie = `token=${await aSession(user)}`
    if (kind.includes('ended')) await revokeAll(user)
    const { database: DB } = await aLaggingReplica()
    const secret = newSecret()
    const at = new Date()
    const email = 'fresh@example.com'
    await db.insert(emailLinks).values({
      ...{ secretHash: hashSecret(secret), email, mailbox: email, client: 'x', identityHash: 'x' },
      ...{ createdAt: at.toISOString(), expiresAt: new Date(at.getTime() + 900_000).toISOString() },
    })
    const headers = { accept: 'text/html', ...(kind === 'without a session' ? {} : { cookie }) }
    const response = await callWith({ DB }, 'GET', `/sign-in/email?secret=${secret}`, { headers })
    expect([kind, response.status]).toEqual([kind, 200])
  },
)

const ADDRESS = '/api/public/deliveryAddress'
const STATE = '00000001-00000002-00000003-0123456789abcdef'

/** Reads with the bookmark of a write that was some milliseconds ago. */
async function readAfter(age: number | null) {
  const token = await aToken(await aUser())
  const { database: DB, answers } = await aLaggingReplica()
  stopClock()
  const bookmark = age === null ? STATE : `${STATE}.${Date.now() - age}`
  const headers = { 'x-d1-bookmark': bookmark }
  const response = await callWith({ DB }, 'GET', ADDRESSES, { token, headers })
  return { answers, bookmark, next: response.headers.get('x-d1-bookmark') ?? '' }
}

it('asks the primary within 10 seconds after a write, and keeps the bookmark', async () => {
  const { answers, bookmark, next } = await readAfter(9000)
  expect(answers).toEqual([{ copy: 'primary', from: 'first-primary' }])
  // A replica would wait until it has what the primary has just shown.
  expect(next).toBe(bookmark)
})

it.each([10_000, 3_600_000, -3_600_000, null])(
  'asks a replica %s ms after a write, at its bookmark',
  async (age) => {
    const { answers, next } = await readAfter(age)
    expect(answers).toEqual([{ copy: 'replica', from: STATE }])
    expect(next).not.toContain('.')
  },
)

it('returns the time of a write, and no cookie to a program', async () => {
  const token = await aToken(await aUser())
  const before = Date.now()
  const response = await callWith({}, 'POST', ADDRESS, { token, json: { city: 'Oslo' } })
  const [state, writtenAt] = response.headers.get('x-d1-bookmark')?.split('.') ?? []
  expect(state).toMatch(/^[\da-f]+(-[\da-f]+){3}$/)
  expect(Number(writtenAt)).toBeGreaterThanOrEqual(before)
  expect(response.headers.get('set-cookie')).toBeNull()
})

it('keeps the bookmark of a browser in a cookie for a minute', async () => {
  const session = await aSession(await aUser())
  const visitor = aVisitor(session)
  await visitor.get('/settings/profile')
  expect(visitor.cookies.has('bookmark')).toBe(false)
  const saved = await visitor.post('/settings/profile', { form: { name: 'Ada', username: '' } })
  expect(saved.headers.getSetCookie().find((cookie) => cookie.startsWith('bookmark='))).toMatch(
    /^bookmark=[\da-f-]+\.\d{13}; Max-Age=60; Path=\/; HttpOnly; Secure; SameSite=Lax$/,
  )
  const { database: DB, copies } = await aLaggingReplica()
  const read = (cookie: string) =>
    callWith({ DB }, 'GET', '/settings/profile', {
      headers: { cookie: `token=${session}; ${cookie}` },
    })
  expect((await read(`bookmark=${visitor.cookies.get('bookmark')}`)).status).toBe(200)
  expect(copies()).toEqual(['primary'])
  for (const cookie of ['bookmark=first-primary', 'bookmark=x', 'other=1']) await read(cookie)
  expect(copies()).toEqual(['replica', 'replica', 'replica'])
})
