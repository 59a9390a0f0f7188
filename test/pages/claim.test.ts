import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { aShop, billingData, sold } from '../orders/shop.ts'
import { answerOf } from '../support/api.ts'
import { findRow } from '../support/makers.ts'
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

it('tells nobody else about the order, not even whether there is one', async () => {
  const { path } = await anOrderOfGuest()
  const { visitor } = await aSignedInVisitor()
  const [of, none] = [await pageOf(visitor.get(path)), await pageOf(visitor.get('/claim/999999'))]
  const { status, html } = of
  expect(status).toBe(403)
  expect(none).toEqual(of)
  expect(html).not.toContain('Moon')
  expect(html).toContain(
    'This order belongs to another account: sign in with the e-mail address or the wallet that you gave to the shop, or add it to this account in your settings.',
  )
  expect((await visitor.get('/claim/x')).status).toBe(404)
})
