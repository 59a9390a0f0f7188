/** The page where the link of an order leads, until what was bought is on its way. */
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems, orders } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { aShop, billingData, claimPathOf, sold } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import { aListing, anNft, aToken, aUser, db, findRow, setRow } from '../support/makers.ts'
import {
  ageSession,
  anEmail,
  aSignedInVisitor,
  aVisitor,
  aWallet,
  htmlAt,
  mailedLink,
  pageOf,
  requestMessage,
  secretOf,
  signInByEmail,
  signInByWallet,
  type Visitor,
} from '../support/visitor.ts'

/** An order of a guest who has only given an e-mail address to the shop. */
async function anOrderOfGuest() {
  const email = anEmail()
  const { token, input } = await aShop({ nft: { title: 'Moon' } })
  const { buyerUserId: _, ...order } = input
  const given = { providerId: `WALK-${email}`, buyer: { email }, buyerBillingData: billingData }
  const { order: placed, item } = await sold(token, { ...order, ...given })
  const { id, buyerId } = placed
  return { id, itemId: item.id, path: await claimPathOf(id), email, buyerId, token }
}

/** Clicks on the one button of the page, and opens the link that is mailed. Returns where it leads. */
async function confirmEmail(visitor: Visitor, path: string) {
  const secret = secretOf(path)
  const form = path.replace(/\?.*/, '/email')
  const asked = await pageOf(visitor.post(form, { form: { secret } }))
  const link = mailedLink(visitor)
  const { html } = await pageOf(visitor.get(link))
  const redirect = /name="redirect" value="([^"]*)"/.exec(html)?.[1] ?? ''
  const confirmed = { secret: secretOf(link), redirect }
  const { location } = await pageOf(visitor.post('/sign-in/email/confirm', { form: confirmed }))
  return { asked: asked.location, location }
}

/** Signs with a wallet on the page, and returns the answer. */
async function claimWith(visitor: Visitor, { id }: { id: number }, wallet = aWallet()) {
  const message = await requestMessage(visitor, wallet, 'link')
  const signature = await wallet.signMessage({ message })
  return answerOf(visitor.postJson(`/claim/${id}/wallet`, { message, signature }))
}

const itemOf = async (itemId: number) => ({
  ...(await findRow(deliveries, itemId)),
  recipient: (await findRow(orderItems, itemId))?.ethRecipient,
})

it('leads a guest from the link over one mail to the wallet, and what was bought is sent', async () => {
  const order = await anOrderOfGuest()
  const { id, itemId, path, email, buyerId } = order
  const visitor = aVisitor()
  const page = await pageOf(visitor.get(path))
  expect(page.status).toBe(200)
  const masked = `${email[0]}…@example.com`
  expect(page.html).toContain(`<title>Receive order WALK-${email} · Marketplace</title>`)
  expect(page.text).toContain(`Moon 1 piece Order WALK-${email}`)
  expect(page.text).toContain(`This order was sent to ${masked} : we send a link there`)
  expect(page.html).not.toContain('id="wallets"')
  expect(page.html).not.toContain(`>${email}`)

  const { asked, location } = await confirmEmail(visitor, path)
  expect(asked).toBe(`${path}&notice=sent`)
  expect((await pageOf(aVisitor().get(`${asked}`))).text).toContain(
    `A link is on its way to ${masked} .`,
  )
  expect(location).toBe(`https://marketplace.test/claim/${id}`)
  await ageSession(visitor, 59)
  expect(await htmlAt(visitor, `/claim/${id}`)).toContain(`data-target="/claim/${id}/wallet"`)
  const wallet = aWallet()
  expect(await claimWith(visitor, order, wallet)).toEqual({ status: 200 })
  expect(await itemOf(itemId)).toMatchObject({ state: 'queued', recipient: wallet.address })
  expect(await findRow(users, buyerId)).toMatchObject({ email, ethereumPublicAddr: wallet.address })
  expect(await pageOf(visitor.get(path))).toMatchObject({ status: 303, location: `/orders/${id}` })
  // The mail with the link; that of the delivery follows.
  expect(visitor.mails).toHaveLength(1)
})

it('tells by a mail of its own of the wallet, if the buyer wants no mails about orders', async () => {
  const order = await anOrderOfGuest()
  const visitor = aVisitor()
  await confirmEmail(visitor, order.path)
  await visitor.post('/settings/account/mails', { form: { wanted: 'no' } })
  await claimWith(visitor, order)
  expect(visitor.mails.at(-1)?.subject).toBe('A wallet was linked (marketplace.test)')
})

it('shows who has no secret the sign-in alone, whether or not there is such an order', async () => {
  const { path, id, token, buyerId } = await anOrderOfGuest()
  const without = async (visitor: Visitor, claim: string) => {
    const { status, html } = await pageOf(visitor.get(claim))
    return { status, html: html.replaceAll(/(claim(?:%(?:25)*2F|\/))\d+/g, '$1N') }
  }
  const { visitor: other } = await aSignedInVisitor()
  for (const visitor of [aVisitor(), aVisitor(await aToken({ id: buyerId })), other]) {
    for (const guess of [
      `/claim/${id}`,
      `/claim/${id}?secret=${'0'.repeat(32)}`,
      path.slice(0, -1),
    ]) {
      const shown = await without(visitor, guess)
      expect(shown).toMatchObject({ status: 200, html: expect.stringContaining('Send me a link') })
      expect(await without(visitor, guess.replace(/\d+/, '999999'))).toEqual(shown)
    }
    // Nor is a mail sent to the buyer.
    await visitor.post(`/claim/${id}/email`, { form: { secret: '0'.repeat(32) } })
    expect(visitor.mails).toEqual([])
  }
  expect((await other.get('/claim/x')).status).toBe(404)
  await call('POST', `/api/admin/users/${buyerId}/forget`, { token })
  expect(await without(other, path)).toEqual(await without(other, path.replace(/\d+/, '999999')))
})

it('tells who is signed in as somebody else whose order it is, and leads back after a sign-out', async () => {
  const order = await anOrderOfGuest()
  const { visitor } = await aSignedInVisitor({ name: 'Ada' })
  const { html, text } = await pageOf(visitor.get(order.path))
  expect(text).toContain(
    `You are signed in as Ada. This order belongs to ${order.email[0]}…@example.com . Sign out`,
  )
  const redirect = `https://marketplace.test/claim/${order.id}`
  expect(html).toContain(`<input type="hidden" name="redirect" value="${redirect}"/>`)
  const { location } = await pageOf(visitor.post('/sign-out', { form: { redirect } }))
  expect(location).toBe(`/sign-in?${new URLSearchParams({ redirect, notice: 'signed-out' })}`)
  expect((await pageOf(visitor.get(order.path))).text).not.toContain('You are signed in')
  await signInByEmail(visitor, order.email)
  expect((await pageOf(visitor.get(order.path))).text).not.toContain('You are signed in')
})

it('gives nothing to who has the link, but not the mailbox', async () => {
  const order = await anOrderOfGuest()
  const { visitor } = await aSignedInVisitor({ ethereumPublicAddr: '', email: anEmail() })
  await signInByEmail(visitor)
  expect(await htmlAt(visitor, order.path)).not.toContain('id="wallets"')
  expect(await claimWith(visitor, order)).toMatchObject({ status: 200 })
  expect(await itemOf(order.itemId)).toMatchObject({ state: 'awaiting_wallet', recipient: null })
})

it('joins the guest to the account that the wallet has', async () => {
  const order = await anOrderOfGuest()
  const { visitor, user, wallet } = await aSignedInVisitor()
  await anNft(user)
  expect((await confirmEmail(visitor, order.path)).location).toContain(`/claim/${order.id}`)
  expect(await claimWith(visitor, order, wallet)).toEqual({ status: 200 })
  expect(await itemOf(order.itemId)).toMatchObject({ state: 'queued', recipient: wallet.address })
  expect(await findRow(orders, order.id)).toMatchObject({ buyerId: user.id })
  const { email } = order
  expect(await findRow(users, user.id)).toMatchObject({ email, ethereumPublicAddr: wallet.address })
  const closed = { email: '', removedAt: expect.any(String) }
  expect(await findRow(users, order.buyerId)).toMatchObject(closed)
  expect(await htmlAt(visitor, `/orders/${order.id}`)).toContain('Moon')
  expect(await answerOf(signInByWallet(aVisitor(), wallet))).toMatchObject({ userId: user.id })
})

it.each([
  [
    'the account of the wallet has an e-mail address',
    async ({ owner }: Accounts) => {
      await setRow(users, owner.id, { email: anEmail() })
    },
  ],
  [
    'the buyer sells',
    async ({ buyer }: Accounts) => {
      await aListing(await anNft({ ...buyer, ethereumPublicAddr: '' }))
    },
  ],
])('joins no accounts if %s', async (_, prepare) => {
  const order = await anOrderOfGuest()
  const wallet = aWallet()
  const owner = await aUser({
    ethereumPublicAddr: wallet.address,
    lastAccessAt: '2026-01-01T00:00:00.000Z',
  })
  const visitor = aVisitor()
  await confirmEmail(visitor, order.path)
  await prepare({ owner, buyer: { id: order.buyerId } })
  const conflict = { status: 409, code: 'wallet_taken' }
  expect(await claimWith(visitor, order, wallet)).toMatchObject(conflict)
  const [buyer] = await db.select().from(users).where(eq(users.email, order.email))
  expect(buyer).toMatchObject({ id: order.buyerId, removedAt: null })
})

type Accounts = { owner: { id: number }; buyer: { id: number } }
