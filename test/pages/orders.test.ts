import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain, sentences } from '../../src/delivery/reasons.ts'
import { aShop, billingData, placed, type Shop, settings } from '../orders/shop.ts'
import { aListing, aMasterToken, anNft, aTransaction, aUser, db } from '../support/makers.ts'
import {
  aSignedInVisitor,
  aVisitor,
  linkWallet,
  signInByEmail,
  type Visitor,
} from '../support/visitor.ts'

const HASH = `0x${'ab'.repeat(32)}`

/** The text of an element, with single spaces. */
const textOf = (html: string) =>
  html
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** Reads the page of orders: its HTML, its text, and the text of each order. */
async function read(visitor: Visitor, query = '', overrides: Partial<Env> = {}) {
  const response = await visitor.get(`/orders${query}`, { env: overrides })
  expect(response.status).toBe(200)
  const html = await response.text()
  const list = /<ol class="rows".*?<\/ol><p class="actions"/s.exec(html)?.[0] ?? ''
  const orders = list
    .split('<li class="order"')
    .slice(1)
    .map((row) => textOf(`<li ${row}`))
  return { html, text: textOf(html), orders }
}

/** Places an order of the visitor's user, and puts its delivery into a state. */
async function anOrder(
  shop: Pick<Shop, 'input'>,
  buyer: { id: number },
  { quantity = 1, ...delivery }: Partial<typeof deliveries.$inferInsert> & { quantity?: number },
) {
  const input = {
    ...shop.input,
    quantity,
    buyerUserId: buyer.id,
    providerId: 'SHOP-7',
    buyerBillingData: billingData,
  }
  const [order] = await placed(await aMasterToken(), [input])
  const [item] = order?.orderItems ?? []
  const awaits = delivery.state === 'awaiting_wallet' ? buyer.id : null
  await db
    .update(deliveries)
    .set({ ...delivery, awaits })
    .where(eq(deliveries.id, item?.id ?? 0))
  return order?.id ?? 0
}

it('shows a delivered order with its price, its times and its transaction', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const shop = await aShop({ nft: { title: 'Blue & green' } })
  const { id: transactionId } = await aTransaction({ hash: HASH })
  await anOrder(shop, user, { state: 'transferred', transactionId, quantity: 2 })
  const { html, orders } = await read(visitor)
  expect(orders).toHaveLength(1)
  expect(orders[0]).toMatch(/^Blue &amp; green 2 pieces €20.00 Order SHOP-7 Transaction 0x(ab){32}/)
  expect(orders[0]).toMatch(/Paid , done just now Sent , done \d+ months ago Delivered , done/)
  expect(html).not.toContain('http-equiv="refresh"')
  expect(html).toContain('data-live="false"')
})

it('links to the transaction on the explorer of its network', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { id: transactionId } = await aTransaction({ hash: HASH.replaceAll('ab', 'cd') })
  await anOrder(await aShop(), user, { state: 'in_flight', transactionId })
  const localhost = { ...settings.NETWORKS.localhost, explorerUrl: 'https://explorer.example/' }
  const { html, orders } = await read(visitor, '', { NETWORKS: { localhost } })
  expect(html).toContain(`href="https://explorer.example/tx/0x${'cd'.repeat(32)}"`)
  expect(orders[0]).toContain('On its way , under way')
})

it('is reloaded while something is on its way, also by a browser without scripts', async () => {
  const { visitor, user } = await aSignedInVisitor()
  await anOrder(await aShop(), user, { state: 'queued' })
  const { html, orders } = await read(visitor)
  expect(orders[0]).toContain('Being sent , under way Delivered , not yet')
  expect(html).toContain('<noscript><meta http-equiv="refresh" content="10"/></noscript>')
  expect(html).toContain('data-live="true"')
})

it('says what is missing, and what is on its way once a wallet is linked', async () => {
  const visitor = aVisitor()
  await signInByEmail(visitor, 'without-a-wallet@example.com')
  const [user] = await db
    .select()
    .from(users)
    .where(eq(users.email, 'without-a-wallet@example.com'))
  const shop = await aShop()
  for (const _ of [1, 2])
    await anOrder(shop, user ?? { id: 0 }, { state: 'awaiting_wallet', dueAt: null })
  const before = await read(visitor)
  expect(before.text).toContain('2 NFTs wait until you link a wallet. Link a wallet')
  expect(before.orders[0]).toContain('Needs a wallet , not yet')
  expect(before.orders[0]).toContain('Link a wallet to receive this.')
  await linkWallet(visitor)
  const after = await read(visitor, '?notice=wallet-linked&transfers=2')
  expect(after.text).toContain('The wallet is linked. 2 NFTs are on their way.')
  expect(after.text).not.toContain('Link a wallet')
  expect(after.orders[1]).toContain('Being sent')
})

it.each([
  ['gas_limit_exceeded', `The delivery failed: ${sentences.gas_limit_exceeded}. Ask the operator`],
  ['cancelled', 'The delivery was cancelled. Ask the operator'],
] as const)('explains a failure: %s', async (code, message) => {
  const { visitor, user } = await aSignedInVisitor()
  const id = await anOrder(await aShop(), user, {
    state: code === 'cancelled' ? 'cancelled' : 'failed',
    ...explain(code),
    dueAt: null,
  })
  const { orders } = await read(visitor)
  expect(orders[0]).toContain(message)
  expect(orders[0]).toContain(`name order ${id}.`)
})

it('shows sellers what they have sold, without the private data of the buyer', async () => {
  const { visitor, user: seller } = await aSignedInVisitor()
  expect((await read(visitor)).html).not.toContain('/orders?side=sold')
  const nft = await anNft(seller)
  const { id: listingId } = await aListing(nft)
  const buyer = await aUser({ username: 'bea', email: 'bea@example.com' })
  const input = { nftId: nft.id, listingId, quantity: 1, buyerUserId: buyer.id }
  await anOrder({ input }, buyer, { state: 'queued' })
  const bought = await read(visitor)
  expect(bought.orders).toEqual([])
  expect(bought.html).toContain('/orders?side=sold')
  const sold = await read(visitor, '?side=sold')
  expect(sold.orders[0]).toContain('Order SHOP-7 Buyer: bea')
  expect(sold.html).not.toContain('bea@example.com')
})

it('shows 20 orders on a page, each order once', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const { input } = await aShop({ nft: { amount: 100 } })
  const inputs = Array.from({ length: 45 }, (_, i) => ({
    ...input,
    buyerUserId: user.id,
    providerId: `P-${i}.`,
    buyerBillingData: billingData,
  }))
  await placed(await aMasterToken(), inputs)
  const seen: string[] = []
  let query: string | undefined = ''
  let pages = 0
  while (query !== undefined) {
    const { html, orders } = await read(visitor, query)
    seen.push(...orders.map((order) => /Order (\S+)/.exec(order)?.[1] ?? ''))
    query = /href="\/orders(\?before=\d+)"/.exec(html)?.[1]
    pages++
  }
  expect(pages).toBe(3)
  expect(seen).toEqual(Array.from({ length: 45 }, (_, i) => `P-${44 - i}.`))
})

it('shows the art of an NFT, and loads no picture of another host', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const shop = await aShop({ nft: { coverKey: 'a b/1.png' } })
  await anOrder(shop, user, { state: 'queued' })
  const drawn = await visitor.get('/orders')
  expect(drawn.headers.get('content-security-policy')).toContain("img-src 'self' data:;")
  expect(await drawn.text()).not.toContain('/art/')
  const COVERS_URL = 'https://covers.example/nfts/'
  const stored = await visitor.get('/orders', { env: { COVERS_URL } as Partial<Env> })
  const html = await stored.text()
  expect(html).toContain(`src="/nfts/${shop.nft.id}/art/card"`)
  expect(html).not.toContain('covers.example')
  expect(stored.headers.get('content-security-policy')).toContain("img-src 'self' data:;")
})
