import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orderItems } from '../../src/db/schema/orders.ts'
import { aShop, billingData, placed } from '../orders/shop.ts'
import { db } from '../support/makers.ts'
import {
  anEmail,
  aSignedInVisitor,
  aVisitor,
  linkWallet,
  mailedLink,
  secretOf,
  type Visitor,
} from '../support/visitor.ts'

/** An order of a guest who has only given an e-mail address to the shop. */
async function anOrderOfGuest() {
  const email = anEmail()
  const { token, input } = await aShop({ nft: { title: 'Moon' } })
  const { buyerUserId: _, ...order } = input
  const [placedOrder] = await placed(token, [
    { ...order, buyer: { email }, buyerBillingData: billingData },
  ])
  const { id, buyerId } = placedOrder ?? { id: 0, buyerId: 0 }
  return { id, path: `/claim/${id}`, email, buyerId }
}

const locationOf = ({ status, headers }: Response) => [status, headers.get('location')]

/** Asks for a sign-in link on the page that the path leads to, and opens it. */
async function followToSignIn(visitor: Visitor, path: string, email: string) {
  const signIn = await visitor.get(path)
  const html = await (await visitor.get(signIn.headers.get('location') ?? '')).text()
  const redirect = /name="redirect" value="([^"]*)"/.exec(html)?.[1] ?? ''
  await visitor.post('/sign-in/email', { form: { email, redirect } })
  const form = { secret: secretOf(mailedLink(visitor)), redirect }
  return visitor.post('/sign-in/email/confirm', { form })
}

it('leads a guest from the link to the wallet, and what was bought is sent', async () => {
  const { id, path, email, buyerId } = await anOrderOfGuest()
  const visitor = aVisitor()
  const signedOut = await visitor.get(path)
  expect(locationOf(signedOut)).toEqual([
    303,
    `/sign-in?redirect=${encodeURIComponent(path)}&notice=required`,
  ])
  const signedIn = await followToSignIn(visitor, path, email)
  expect(locationOf(signedIn)).toEqual([303, `https://marketplace.test${path}`])
  expect(locationOf(await visitor.get(path))).toEqual([303, '/settings/account'])
  expect(await (await visitor.get('/settings/account')).text()).toContain('Link a wallet')
  const linked = await linkWallet(visitor)
  expect(await linked.json()).toEqual({ userId: buyerId, transfers: 1 })
  const [row] = await db
    .select({ state: deliveries.state })
    .from(deliveries)
    .innerJoin(orderItems, eq(orderItems.id, deliveries.id))
    .where(eq(orderItems.orderId, id))
  expect(row).toEqual({ state: 'queued' })
  expect(locationOf(await visitor.get(path))).toEqual([303, `/orders/${id}`])
})

it('tells nobody else about the order, not even whether there is one', async () => {
  const { path } = await anOrderOfGuest()
  const { visitor } = await aSignedInVisitor()
  const [of, none] = await Promise.all([visitor.get(path), visitor.get('/claim/999999')])
  expect([of.status, none.status]).toEqual([403, 403])
  const html = await of.text()
  expect(html).toBe(await none.text())
  expect(html).not.toContain('Moon')
  expect(html).toContain(
    'This order belongs to another account: sign in with the e-mail address or the wallet that you gave to the shop, or add it to this account in your settings.',
  )
  expect((await visitor.get('/claim/x')).status).toBe(404)
})
