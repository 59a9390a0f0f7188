import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { users } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aListing, aMasterToken, anAddress, anNft, aToken, aUser, db } from '../support/makers.ts'
import { aRecordingQueue } from '../support/transfers/queue.ts'
import {
  anEmail,
  aVisitor,
  aWallet,
  linkWallet,
  mailedLink,
  offered,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

const ASK = '/settings/account/email'
const CONFIRM = '/settings/account/email/confirm'

const userOf = async (email: string) => {
  const [user] = await db.select().from(users).where(eq(users.email, email))
  return user
}

async function askForLink(visitor: Visitor, email: string): Promise<string> {
  await visitor.post(ASK, { form: { email } })
  return secretOf(mailedLink(visitor))
}

it('links a wallet to the signed-in user, who may then sign in with it', async () => {
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

it('starts the transfers that waited for the wallet', async () => {
  const buyer = aVisitor()
  const email = anEmail()
  await signInByEmail(buyer, email)
  const buyerUserId = (await userOf(email))?.id ?? 0
  await anAddress({ id: buyerUserId })
  const nft = await anNft(await aUser())
  const listing = await aListing(nft)
  const token = await aMasterToken()
  const placed = await call('POST', '/api/externalOrders', {
    token,
    json: [{ nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId }],
  })
  const { orders } = await placed.json<{ orders: [{ id: number; orderItems: [{ id: number }] }] }>()
  const [item] = orders[0].orderItems
  expect(item).toMatchObject({ status: 'awaiting_wallet', ethRecipient: null })

  const wallet = aWallet()
  const queue = aRecordingQueue()
  const linked = await linkWallet(buyer, wallet, { TRANSFERS: queue.queue })
  expect(linked.status).toBe(200)
  expect(queue.pending().map(({ transferId }) => transferId)).toEqual([item.id])
  const order = await call('GET', `/api/externalOrders/${orders[0].id}`, { token })
  expect(await order.json()).toMatchObject({
    orders: [{ orderItems: [{ ethRecipient: wallet.address, status: null }] }],
  })
})

it('links an e-mail address to the signed-in user, who may then sign in with it', async () => {
  const email = anEmail()
  const visitor = aVisitor()
  const { userId } = await (await signInByWallet(visitor)).json<{ userId: number }>()
  const secret = await askForLink(visitor, email)
  expect((await visitor.get(mailedLink(visitor))).status).toBe(200)
  expect(await userOf(email)).toBeUndefined()
  const response = await visitor.post(CONFIRM, { form: { secret } })
  expect(response.headers.get('location')).toBe('/settings/account?notice=email-linked')
  expect(await userOf(email)).toMatchObject({ id: userId, provider: 'wallet' })
  expect((await visitor.post(CONFIRM, { form: { secret } })).status).toBe(410)
})

it('says so when the wallet or the address belongs to another account', async () => {
  const wallet = aWallet()
  await aUser({ ethereumPublicAddr: wallet.address })
  const byEmail = aVisitor()
  await signInByEmail(byEmail)
  const refused = await linkWallet(byEmail, wallet)
  expect(refused.status).toBe(409)
  expect(await refused.json()).toEqual({
    code: 'conflict',
    error: 'this wallet belongs to another account',
  })

  const email = anEmail()
  await aUser({ email })
  const byWallet = aVisitor()
  await signInByWallet(byWallet)
  const secret = await askForLink(byWallet, email)
  const page = await byWallet.post(CONFIRM, { form: { secret } })
  expect(page.status).toBe(409)
  expect(await page.text()).toContain('This e-mail address belongs to another account.')
})

it('replaces neither a wallet nor an e-mail address', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  await linkWallet(visitor)
  const second = await linkWallet(visitor)
  expect(second.status).toBe(409)
  expect(await second.json()).toMatchObject({ error: 'your account has a wallet already' })
  const mails = visitor.mails.length
  expect((await visitor.post(ASK, { form: { email: anEmail() } })).status).toBe(409)
  expect(visitor.mails).toHaveLength(mails)
})

it('links an address only to the account that asked, in a browser that is signed in to it', async () => {
  const asking = aVisitor()
  await signInByWallet(asking)
  const email = anEmail()
  const secret = await askForLink(asking, email)
  const link = mailedLink(asking)

  const stranger = aVisitor()
  const sentToSignIn = await stranger.get(link)
  expect(sentToSignIn.status).toBe(303)
  expect(sentToSignIn.headers.get('location')).toBe(`/sign-in?redirect=${encodeURIComponent(link)}`)
  await signInByWallet(stranger)
  expect((await stranger.get(link)).status).toBe(410)
  expect((await stranger.post(CONFIRM, { form: { secret } })).status).toBe(410)
  // Nor does it sign anyone in.
  expect((await aVisitor().post('/sign-in/email/confirm', { form: { secret } })).status).toBe(410)
  expect((await asking.post(CONFIRM, { form: { secret } })).status).toBe(303)
})

it('does not take a message for signing in as one for linking', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor)
  const wallet = aWallet()
  const message = await offered(visitor, wallet, 'sign-in')
  const signature = await wallet.signMessage({ message })
  const response = await visitor.send('/settings/account/wallet', { message, signature })
  expect(response.status).toBe(401)
})

it('links nothing for an API token, which is not the person', async () => {
  const user = await aUser({ ethereumPublicAddr: '' })
  const visitor = aVisitor()
  visitor.cookies.set('token', await aToken(user))
  expect((await linkWallet(visitor)).status).toBe(403)
  expect((await visitor.post(ASK, { form: { email: anEmail() } })).status).toBe(403)
  expect(visitor.mails).toEqual([])
})
