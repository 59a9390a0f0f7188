import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { users } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aListing, aMasterToken, anAddress, anNft, aToken, aUser, db } from '../support/makers.ts'
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
  expect((await linkWallet(visitor, wallet)).status).toBe(200)
  const user = await userOf(email)
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
  const placed = await call('POST', '/api/externalOrders', {
    token,
    json: [input, input],
  })
  const { orders } = await placed.json<{ orders: { id: number }[] }>()
  const waiting = { orderItems: [{ status: 'awaiting_wallet', ethRecipient: null }] }
  expect(orders).toMatchObject([waiting, waiting])

  const wallet = aWallet()
  const queue = aRecordingQueue()
  const linked = await linkWallet(buyer, wallet, { DELIVERIES: queue.queue })
  expect(linked.status).toBe(200)
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
  await aUser({ ethereumPublicAddr: wallet.address })
  const byEmail = aVisitor()
  await signInByEmail(byEmail)
  const rejected = await linkWallet(byEmail, wallet)
  expect(rejected.status).toBe(409)
  expect(await rejected.json()).toEqual({
    code: 'conflict',
    error: 'this wallet belongs to another account',
  })

  const email = anEmail()
  await aUser({ email })
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

it('links an address only in a session of the user who requested the link', async () => {
  const owner = aVisitor()
  await signInByWallet(owner)
  const email = anEmail()
  const secret = await requestLink(owner, email)
  const link = mailedLink(owner)

  const stranger = aVisitor()
  const sentToSignIn = await stranger.get(link)
  expect(sentToSignIn.status).toBe(303)
  expect(sentToSignIn.headers.get('location')).toBe(`/sign-in?redirect=${encodeURIComponent(link)}`)
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
