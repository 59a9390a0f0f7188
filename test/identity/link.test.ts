import { eq, inArray } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries, transactions } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import { call } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aToken,
  aTransaction,
  aUser,
  db,
} from '../support/makers.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  linkWallet,
  mailedLink,
  requestMessage,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const logged = recordLogs()

const REQUEST = '/settings/account/email'
const CONFIRM = '/settings/account/email/confirm'

const userOf = async (email: string) => {
  const [user] = await db.select().from(users).where(eq(users.email, email))
  return user
}

async function requestLink(visitor: Visitor, email: string): Promise<string> {
  await visitor.post(REQUEST, { form: { email } })
  return secretOf(mailedLink(visitor))
}

it('links a wallet, which can then sign in', async () => {
  const email = anEmail()
  const wallet = aWallet()
  const visitor = aVisitor()
  await signInByEmail(visitor, email)
  const linked = await linkWallet(visitor, wallet)
  expect(linked.status).toBe(200)
  const user = await userOf(email)
  expect(await linked.json()).toEqual({ userId: user?.id, transfers: 0 })
  expect(user).toMatchObject({ ethereumPublicAddr: wallet.address, provider: 'email' })
  const signedIn = await signInByWallet(aVisitor(), wallet)
  expect(await signedIn.json()).toEqual({ userId: user?.id })
})

it('starts the deliveries that waited for the wallet, with one message for each chain', async () => {
  const buyer = aVisitor()
  const email = anEmail()
  await signInByEmail(buyer, email)
  const buyerUserId = (await userOf(email))?.id ?? 0
  await anAddress({ id: buyerUserId })
  const nft = await anNft(await aUser())
  const listing = await aListing(nft)
  const token = await aMasterToken()
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId }
  const elsewhere = await anNft(await aUser(), { contractNetwork: 'not configured' })
  const failing = { ...input, nftId: elsewhere.id, listingId: (await aListing(elsewhere)).id }
  const placed = await call('POST', '/api/externalOrders', {
    token,
    json: [input, input],
  })
  await call('POST', '/api/externalOrders', { token, json: [failing] })
  const { orders } = await placed.json<{ orders: { id: number }[] }>()
  const waiting = { orderItems: [{ status: 'awaiting_wallet', ethRecipient: null }] }
  expect(orders).toMatchObject([waiting, waiting])

  const wallet = aWallet()
  const queue = aRecordingQueue()
  const linked = await linkWallet(buyer, wallet, { DELIVERIES: queue.queue })
  expect(await linked.json()).toEqual({ userId: buyerUserId, transfers: 2 })
  expect(queue.pending().map(({ chainId }) => chainId)).toEqual([31337])
  const ids = orders.map(({ id }) => id).join()
  const read = await call('GET', `/api/externalOrders/${ids}`, { token })
  const queued = { orderItems: [{ ethRecipient: wallet.address, status: null }] }
  expect(await read.json()).toMatchObject({ orders: [queued, queued] })
})

it('links an e-mail address after confirmation', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const { userId } = await (await signInByWallet(visitor)).json<{ userId: number }>()
  const secret = await requestLink(visitor, email)
  expect((await visitor.get(mailedLink(visitor))).status).toBe(200)
  expect(await userOf(email)).toBeUndefined()
  const response = await visitor.post(CONFIRM, { form: { secret } })
  expect(response.headers.get('location')).toBe('/settings/account?notice=email-linked')
  expect(await userOf(email)).toMatchObject({ id: userId, provider: 'wallet' })
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(410)
})

it('rejects a wallet or an address of another account', async () => {
  const wallet = aWallet()
  const lastAccessAt = '2026-01-01T00:00:00.000Z'
  await aUser({ ethereumPublicAddr: wallet.address, lastAccessAt })
  const byEmail = aVisitor()
  await signInByEmail(byEmail)
  const rejected = await linkWallet(byEmail, wallet)
  expect(rejected.status).toBe(409)
  expect(await rejected.json()).toMatchObject({
    code: 'conflict',
    error: 'this wallet belongs to another account',
  })

  const email = anEmail()
  await aUser({ email, lastAccessAt })
  const byWallet = aVisitor()
  await signInByWallet(byWallet)
  const secret = await requestLink(byWallet, email)
  const page = await byWallet.post(CONFIRM, { form: { secret } })
  expect(page.status).toBe(409)
  expect(await page.text()).toContain('This e-mail address belongs to another account.')
})

it('does not replace a wallet or an e-mail address', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  await linkWallet(visitor)
  const second = await linkWallet(visitor)
  expect(second.status).toBe(409)
  expect(await second.json()).toMatchObject({ error: 'your account already has a wallet' })
  const mails = visitor.mails.length
  expect((await visitor.post(REQUEST, { form: { email: anEmail() } })).status).toBe(409)
  expect(visitor.mails).toHaveLength(mails)
})

it('returns 429 if an account requests a fourth link within 15 minutes', async () => {
  const visitor = aVisitor()
  await signInByWallet(visitor)
  const request = (email: string) => visitor.post(REQUEST, { form: { email } })
  for (let i = 0; i < 3; i++) expect((await request(anEmail())).status).toBe(303)
  const mails = visitor.mails.length
  const refused = await request(anEmail())
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('900')
  expect(await refused.text()).toContain(
    'Your account has requested 3 links in 15 minutes; wait before you ask for another one.',
  )
  expect(visitor.mails).toHaveLength(mails)
  const other = aVisitor()
  await signInByWallet(other)
  expect((await other.post(REQUEST, { form: { email: anEmail() } })).status).toBe(303)
})

it('sends all accounts together six links for a mailbox in 15 minutes', async () => {
  const [local = '', domain = ''] = anEmail().split('@')
  const responses = []
  let mails = 0
  for (let i = 0; i < 8; i++) {
    const visitor = aVisitor()
    await signInByWallet(visitor)
    const form = { email: `${local}+${i}@${domain}` }
    const { status, headers } = await visitor.post(REQUEST, { form })
    responses.push([status, headers.get('location')])
    mails += visitor.mails.length
  }
  expect(responses).toEqual(Array(8).fill([303, '/settings/account?notice=link-sent']))
  expect(mails).toBe(6)
  // Signing in with that mailbox still works.
  const owner = aVisitor()
  expect((await signInByEmail(owner, `${local}@${domain}`)).status).toBe(303)
})

it('links an address only in a session of the user who requested the link', async () => {
  const owner = aVisitor()
  await signInByWallet(owner)
  const email = anEmail()
  const secret = await requestLink(owner, email)
  const link = mailedLink(owner)

  const stranger = aVisitor()
  const sentToSignIn = await stranger.get(link)
  expect(sentToSignIn.status).toBe(303)
  expect(sentToSignIn.headers.get('location')).toBe(
    `/sign-in?redirect=${encodeURIComponent(link)}&notice=required`,
  )
  await signInByWallet(stranger)
  expect((await stranger.get(link)).status).toBe(410)
  expect((await stranger.post(CONFIRM, { form: { secret } })).status).toBe(410)
  // It is not a sign-in link.
  expect((await aVisitor().post('/sign-in/email/confirm', { form: { secret } })).status).toBe(410)
  expect((await owner.post(CONFIRM, { form: { secret } })).status).toBe(303)
})

it('rejects a message for signing in', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  const wallet = aWallet()
  const message = await requestMessage(visitor, wallet, 'sign-in')
  const signature = await wallet.signMessage({ message })
  const response = await visitor.postJson('/settings/account/wallet', { message, signature })
  expect(response.status).toBe(401)
})

it('rejects an API token', async () => {
  const user = await aUser({ ethereumPublicAddr: '' })
  const visitor = aVisitor()
  visitor.cookies.set('token', await aToken(user))
  expect((await linkWallet(visitor)).status).toBe(403)
  expect((await visitor.post(REQUEST, { form: { email: anEmail() } })).status).toBe(403)
  expect(visitor.mails).toEqual([])
})

const UNLINK_WALLET = '/settings/account/wallet/unlink'
const UNLINK_EMAIL = '/settings/account/email/unlink'

/** A visitor who can sign in with both. */
async function aVisitorWithBoth() {
  const [visitor, wallet, email] = [aVisitor(), aWallet(), anEmail()]
  await signInByEmail(visitor, email)
  await linkWallet(visitor, wallet)
  return { visitor, wallet, email, user: await userOf(email) }
}

it('unlinks a wallet, which then signs in to an account of its own', async () => {
  const { visitor, wallet, email, user } = await aVisitorWithBoth()
  const response = await visitor.post(UNLINK_WALLET)
  expect(response.headers.get('location')).toBe('/settings/account?notice=wallet-unlinked')
  expect(await userOf(email)).toMatchObject({ id: user?.id, ethereumPublicAddr: '' })
  const signedIn = await (await signInByWallet(aVisitor(), wallet)).json<{ userId: number }>()
  expect(signedIn.userId).not.toBe(user?.id)
})

it('unlinks an e-mail address, which then signs in to an account of its own', async () => {
  const { visitor, wallet, email, user } = await aVisitorWithBoth()
  const response = await visitor.post(UNLINK_EMAIL)
  expect(response.headers.get('location')).toBe('/settings/account?notice=email-unlinked')
  expect(await userOf(email)).toBeUndefined()
  const signedIn = await (await signInByWallet(aVisitor(), wallet)).json()
  expect(signedIn).toEqual({ userId: user?.id })
  const stranger = aVisitor()
  await signInByEmail(stranger, email)
  const other = await userOf(email)
  expect(other?.id).not.toBe(user?.id)
  expect(other?.identityHash).toMatch(new RegExp(`^${user?.identityHash}-[0-9a-f]{16}$`))
})

it('does not unlink the only way to sign in, or one that there is not', async () => {
  const byEmail = aVisitor()
  await signInByEmail(byEmail)
  const only = await byEmail.post(UNLINK_EMAIL)
  expect(only.status).toBe(409)
  expect(await only.text()).toContain('This is your only way to sign in: link a wallet first.')
  const none = await byEmail.post(UNLINK_WALLET)
  expect(none.status).toBe(409)
  expect(await none.text()).toContain('Your account does not have a wallet.')
})

/** An item that a visitor with both buys or sells. */
async function anItemOf(part: 'buyer' | 'seller') {
  const { visitor, wallet, user } = await aVisitorWithBoth()
  if (!user) throw new Error('no user')
  const [buyer, seller] = part === 'buyer' ? [user, await aUser()] : [await aUser(), user]
  await anAddress(buyer)
  const nft = await anNft(seller)
  const listing = await aListing(nft)
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  const token = await aMasterToken()
  const placed = await call('POST', '/api/externalOrders', { token, json: [input] })
  const { orders } = await placed.json<{ orders: { orderItems: { id: number }[] }[] }>()
  const itemId = orders[0]?.orderItems[0]?.id ?? 0
  const set = (values: Partial<typeof deliveries.$inferInsert>) =>
    db.update(deliveries).set(values).where(eq(deliveries.id, itemId))
  const read = async () => {
    const [row] = await db
      .select({ delivery: deliveries, recipient: orderItems.ethRecipient })
      .from(deliveries)
      .innerJoin(orderItems, eq(orderItems.id, deliveries.id))
      .where(eq(deliveries.id, itemId))
    return { ...row?.delivery, recipient: row?.recipient }
  }
  return { visitor, wallet, itemId, set, read }
}

it.each(['buyer', 'seller'] as const)(
  'keeps the wallet of a %s while a transaction carries an item',
  async (part) => {
    const { visitor, itemId, set } = await anItemOf(part)
    await set({ state: 'in_flight', dueAt: null })
    const { id } = await aTransaction({ items: [itemId], isOpen: true })
    const refused = await visitor.post(UNLINK_WALLET)
    expect(refused.status).toBe(409)
    expect(await refused.text()).toContain('NFTs are on their way to or from this wallet')

    await set({ state: 'transferred' })
    await db.update(transactions).set({ isOpen: false }).where(eq(transactions.id, id))
    expect((await visitor.post(UNLINK_WALLET)).status).toBe(303)
  },
)

it('keeps the wallet of a seller while an item is queued', async () => {
  const { visitor, set } = await anItemOf('seller')
  expect((await visitor.post(UNLINK_WALLET)).status).toBe(409)
  await set({ state: 'transferred', dueAt: null })
  expect((await visitor.post(UNLINK_WALLET)).status).toBe(303)
})

it('lets a queued item follow its buyer to the next wallet', async () => {
  const { visitor, wallet, set, read } = await anItemOf('buyer')
  await set({
    ...explain('holder_not_approved'),
    failingSince: '2026-01-01T00:00:00.000Z',
    dueAt: '2999-01-01T00:00:00.000Z',
  })
  expect(await read()).toMatchObject({ state: 'queued', recipient: wallet.address })
  expect((await visitor.post(UNLINK_WALLET)).status).toBe(303)
  expect(await read()).toMatchObject({
    state: 'awaiting_wallet',
    recipient: null,
    version: 1,
    queuedAt: null,
    dueAt: null,
    failingSince: null,
    reasonCode: null,
  })
  const other = aWallet()
  expect((await linkWallet(visitor, other)).status).toBe(200)
  expect(await read()).toMatchObject({
    state: 'queued',
    recipient: other.address,
    version: 2,
    queuedAt: expect.any(String),
    dueAt: expect.any(String),
  })
})

it('goes on cancelling an item whose buyer unlinks the wallet', async () => {
  const { visitor, wallet, set, read } = await anItemOf('buyer')
  await set({ requestedAction: 'cancel' })
  const before = await read()
  expect((await visitor.post(UNLINK_WALLET)).status).toBe(303)
  expect(await read()).toEqual(before)
  expect(before).toMatchObject({ state: 'queued', recipient: wallet.address })
})

it('does not deliver a failed item to a wallet that was unlinked since', async () => {
  const { visitor, wallet, user } = await aVisitorWithBoth()
  if (!user) throw new Error('no user')
  await anAddress(user)
  const nft = await anNft(await aUser())
  const listing = await aListing(nft)
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: user.id }
  const token = await aMasterToken()
  const placed = await call('POST', '/api/externalOrders', { token, json: [input, input] })
  const { orders } = await placed.json<{ orders: { orderItems: { id: number }[] }[] }>()
  const ids = orders.map(({ orderItems: [item] }) => item?.id ?? 0)
  const [first = 0, second = 0] = ids
  const failed = { state: 'failed' as const, dueAt: null }
  await db.update(deliveries).set(failed).where(inArray(deliveries.id, ids))
  const shown = async () => {
    const path = `/api/externalOrders/${orders.map((order) => Object(order).id).join()}`
    const { orders: read } = await (await call('GET', path, { token })).json<{
      orders: { orderItems: { ethRecipient: string | null; status: string | null }[] }[]
    }>()
    return read.map(({ orderItems: [item] }) => [item?.ethRecipient, item?.status])
  }
  expect(await shown()).toEqual(Array(2).fill([wallet.address, 'failed']))
  expect((await visitor.post(UNLINK_WALLET)).status).toBe(303)
  expect(await shown()).toEqual(Array(2).fill([null, 'failed']))

  const retry = (id: number) => call('POST', `/api/admin/transfers/${id}/retry`, { token })
  expect((await retry(first)).status).toBe(200)
  expect(await shown()).toEqual([
    [null, 'awaiting_wallet'],
    [null, 'failed'],
  ])
  const other = aWallet()
  expect((await linkWallet(visitor, other)).status).toBe(200)
  expect((await retry(second)).status).toBe(200)
  expect(await shown()).toEqual(Array(2).fill([other.address, null]))
})

it('mails the owner what has changed', async () => {
  const { visitor, email } = await aVisitorWithBoth()
  await visitor.post(UNLINK_WALLET)
  await linkWallet(visitor)
  await visitor.post(UNLINK_EMAIL)
  await visitor.post(REQUEST, { form: { email } })
  await visitor.post(CONFIRM, { form: { secret: secretOf(mailedLink(visitor)) } })
  expect(visitor.mails.map(({ to, subject }) => [to, subject])).toEqual(
    [
      'Your sign-in link',
      'A wallet was linked',
      'A wallet was unlinked',
      'A wallet was linked',
      'This e-mail address was unlinked',
      'Confirm your e-mail address',
      'An e-mail address was linked',
    ].map((subject) => [email, `${subject} for marketplace.test`]),
  )
  expect(visitor.mails.at(-1)?.text).toContain('https://marketplace.test/settings/sessions')
})

it('answers although the mail about it cannot be sent', async () => {
  const { visitor } = await aVisitorWithBoth()
  const EMAIL = { send: () => Promise.reject(new Error('no such domain')) }
  const response = await visitor.post(UNLINK_WALLET, { env: { EMAIL } })
  expect(response.status).toBe(303)
  expect(logged('mail_failed')).toEqual([
    { mail: 'wallet-unlinked', error: 'Error: no such domain' },
  ])
})
