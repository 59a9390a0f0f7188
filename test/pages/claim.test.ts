import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { aShop, billingData, sold } from '../orders/shop.ts'
import { answerOf } from '../support/api.ts'
import { findRow, setRow } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  linkWallet,
  mailedLink,
  pageOf,
  secretOf,
  type Visitor,
} from '../support/visitor.ts'

/** An order of a guest who has only given an e-mail address to the shop. */
async function anOrderOfGuest() {
  const email = anEmail()
  const { token, input } = await aShop({ nft: { title: 'Moon' } })
  const { buyerUserId: _, ...order } = input
  const guests = { ...order, buyer: { email }, buyerBillingData: billingData }
  const { order: placedOrder, item } = await sold(token, guests)
  const { id, buyerId } = placedOrder
  return { id, itemId: item.id, path: `/claim/${id}`, email, buyerId }
}

/** Asks for a sign-in link on the page that the path leads to, and opens it. */
async function followToSignIn(visitor: Visitor, path: string, email: string) {
  const { location } = await pageOf(visitor.get(path))
  const { html } = await pageOf(visitor.get(location ?? ''))
  const redirect = /name="redirect" value="([^"]*)"/.exec(html)?.[1] ?? ''
  await visitor.post('/sign-in/email', { form: { email, redirect } })
  const form = { secret: secretOf(mailedLink(visitor)), redirect }
  return visitor.post('/sign-in/email/confirm', { form })
}

it('leads a guest from the link to the wallet, and what was bought is sent', async () => {
  const { id, itemId, path, email, buyerId } = await anOrderOfGuest()
  const visitor = aVisitor()
  const leadsTo = async (location: string) =>
    expect(await pageOf(visitor.get(path))).toMatchObject({ status: 303, location })
  await leadsTo(`/sign-in?redirect=${encodeURIComponent(path)}&notice=required`)
  const signedIn = await pageOf(followToSignIn(visitor, path, email))
  expect(signedIn.location).toBe(`https://marketplace.test${path}`)
  await leadsTo('/settings/account')
  expect((await pageOf(visitor.get('/settings/account'))).html).toContain('Link a wallet')
  const linked = { userId: buyerId, transfers: 1 }
  expect(await answerOf(linkWallet(visitor))).toMatchObject(linked)
  expect(await findRow(deliveries, itemId)).toMatchObject({ state: 'queued' })
  await leadsTo(`/orders/${id}`)
})

it('leads who has another account to sign in with that of the order, and to add a way only if there is room', async () => {
  const { path, email } = await anOrderOfGuest()
  const { user, visitor } = await aSignedInVisitor()
  expect((await pageOf(visitor.get(path))).html).toContain('Add to this account')
  await setRow(users, user.id, { email: anEmail() })
  expect((await pageOf(visitor.get(path))).html).not.toContain('Add to this account')
  const signedOut = await pageOf(visitor.post('/sign-out', { form: { redirect: path } }))
  const { html } = await pageOf(visitor.get(signedOut.location ?? ''))
  expect(html).toContain(`name="redirect" value="https://marketplace.test${path}"`)
  expect((await pageOf(followToSignIn(visitor, path, email))).location).toBe(
    `https://marketplace.test${path}`,
  )
})

it('tells nobody else about the order, not even whether there is one', async () => {
  const { path } = await anOrderOfGuest()
  const { visitor } = await aSignedInVisitor()
  const [of, none] = [await pageOf(visitor.get(path)), await pageOf(visitor.get('/claim/999999'))]
  const { status, html } = of
  expect(status).toBe(403)
  expect({ ...none, html: none.html.replaceAll('/claim/999999', path) }).toEqual(of)
  expect(html).not.toContain('Moon')
  expect(html).toContain('This order belongs to another account')
  expect((await visitor.get('/claim/x')).status).toBe(404)
})
