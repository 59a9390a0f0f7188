import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries, transactions } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { PlacedOrder } from '../../src/orders/reading/schema.ts'
import { aShop, billingData, placed, sold } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import {
  aListing,
  anAddress,
  anNft,
  aTransaction,
  aUser,
  db,
  findRow,
  setRow,
} from '../support/makers.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  linkWallet,
  locationOf,
  mailedLink,
  pageOf,
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
  const linked = await answerOf(linkWallet(visitor, wallet))
  const user = await userOf(email)
  expect(linked).toEqual({ status: 200, userId: user?.id, transfers: 0 })
  expect(user).toMatchObject({ ethereumPublicAddr: wallet.address, provider: 'email' })
  const signedIn = await answerOf(signInByWallet(aVisitor(), wallet))
  expect(signedIn).toEqual({ status: 200, userId: user?.id })
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
  expect(await answerOf(linkWallet(byEmail, wallet))).toMatchObject({
    status: 409,
    code: 'wallet_taken',
    error: 'this wallet belongs to another account',
  })

  const email = anEmail()
  await aUser({ email, lastAccessAt })
  const byWallet = aVisitor()
  await signInByWallet(byWallet)
  const secret = await requestLink(byWallet, email)
  const { status, text } = await pageOf(byWallet.post(CONFIRM, { form: { secret } }))
  expect(status).toBe(409)
  expect(text).toContain('This e-mail address belongs to another account.')
})

it('does not replace a wallet or an e-mail address', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  await linkWallet(visitor)
  const refused = { status: 409, error: 'your account already has a wallet' }
  expect(await answerOf(linkWallet(visitor))).toMatchObject(refused)
  const mails = visitor.mails.length
  expect((await visitor.post(REQUEST, { form: { email: anEmail() } })).status).toBe(409)
  expect(visitor.mails).toHaveLength(mails)
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
  const signIn = `/sign-in?redirect=${encodeURIComponent(link)}&notice=required`
  expect(await locationOf(stranger.get(link))).toBe(signIn)
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

const UNLINK_WALLET = '/settings/account/wallet/unlink'
const UNLINK_EMAIL = '/settings/account/email/unlink'

/** A visitor who can sign in with both. */
async function aVisitorWithBoth() {
  const [visitor, wallet, email] = [aVisitor(), aWallet(), anEmail()]
  await signInByEmail(visitor, email)
  await linkWallet(visitor, wallet)
  const user = await userOf(email)
  if (!user) throw new Error('no user')
  return { visitor, wallet, email, user }
}

it('unlinks a wallet, which then signs in to an account of its own', async () => {
  const { visitor, wallet, user } = await aVisitorWithBoth()
  const unlinked = '/settings/account?notice=wallet-unlinked'
  expect(await locationOf(visitor.post(UNLINK_WALLET))).toBe(unlinked)
  const { userId } = await answerOf(signInByWallet(aVisitor(), wallet))
  expect(userId).not.toBe(user.id)
})

it('unlinks an e-mail address, which then signs in to an account of its own', async () => {
  const { visitor, wallet, email, user } = await aVisitorWithBoth()
  const unlinked = '/settings/account?notice=email-unlinked'
  expect(await locationOf(visitor.post(UNLINK_EMAIL))).toBe(unlinked)
  expect(await userOf(email)).toBeUndefined()
  const signedIn = await answerOf(signInByWallet(aVisitor(), wallet))
  expect(signedIn).toMatchObject({ userId: user.id })
  const stranger = aVisitor()
  await signInByEmail(stranger, email)
  const other = await userOf(email)
  expect(other?.id).not.toBe(user.id)
  expect(other?.identityHash).toMatch(new RegExp(`^${user.identityHash}-[0-9a-f]{16}$`))
})

/** An item that a visitor with both buys or sells. */
async function anItemOf(part: 'buyer' | 'seller') {
  const { visitor, wallet, user } = await aVisitorWithBoth()
  const { token, input } = await aShop()
  const { id: listingId, nftId } = await aListing(await anNft(user))
  const asBuyer = { buyerUserId: user.id, buyerBillingData: billingData }
  const own = part === 'buyer' ? asBuyer : { nftId, listingId }
  const { item } = await sold(token, { ...input, ...own })
  const set = (values: Partial<typeof deliveries.$inferInsert>) =>
    setRow(deliveries, item.id, values)
  const read = async () => ({
    ...(await findRow(deliveries, item.id)),
    recipient: (await findRow(orderItems, item.id))?.ethRecipient,
  })
  return { visitor, wallet, itemId: item.id, set, read }
}

it.each(['buyer', 'seller'] as const)(
  'keeps the wallet of a %s while a transaction carries an item',
  async (part) => {
    const { visitor, itemId, set } = await anItemOf(part)
    await set({ state: 'in_flight', dueAt: null })
    const { id } = await aTransaction({ items: [itemId], isOpen: true })
    const { status, text } = await pageOf(visitor.post(UNLINK_WALLET))
    expect(status).toBe(409)
    expect(text).toContain('NFTs are on their way to or from this wallet')

    await set({ state: 'transferred' })
    await setRow(transactions, id, { isOpen: false })
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
    waitingSince: '2026-01-01T00:00:00.000Z',
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
    waitingSince: null,
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
  await anAddress(user)
  const { token, input } = await aShop()
  const own = { ...input, buyerUserId: user.id }
  const orders = await placed(token, [own, own])
  const [first = 0, second = 0] = orders.map(({ orderItems: [item] }) => item?.id ?? 0)
  for (const id of [first, second]) await setRow(deliveries, id, { state: 'failed', dueAt: null })
  const shown = async () => {
    const path = `/api/externalOrders/${orders.map(({ id }) => id)}`
    const read = await answerOf<{ orders: PlacedOrder[] }>(call('GET', path, { token }))
    return read.orders.map(({ orderItems: [item] }) => [item?.ethRecipient, item?.status])
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
    ].map((subject) => [email, `${subject} (marketplace.test)`]),
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
