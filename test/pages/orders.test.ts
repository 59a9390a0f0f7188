import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { explain, rules } from '../../src/delivery/reasons.ts'
import { sentence } from '../../src/pages/components/text.ts'
import { aShop, billingData, placed, type Shop, settings, sold } from '../orders/shop.ts'
import {
  aListing,
  aMasterToken,
  anNft,
  aTransaction,
  aUser,
  db,
  setRow,
} from '../support/makers.ts'
import {
  aSignedInVisitor,
  aVisitor,
  linkWallet,
  pageOf,
  signInByEmail,
  textOf,
  type Visitor,
} from '../support/visitor.ts'

const HASH = `0x${'ab'.repeat(32)}` as const

/** Reads the page of orders: its HTML, its text, and the text of each order. */
async function read(visitor: Visitor, query = '', overrides: Partial<Env> = {}) {
  const { status, html, text } = await pageOf(visitor.get(`/orders${query}`, { env: overrides }))
  expect(status).toBe(200)
  const list = /<ol class="rows".*?<\/ol><p class="actions"/s.exec(html)?.[0] ?? ''
  const orders = list
    .split('<li class="order"')
    .slice(1)
    .map((row) => textOf(`<li ${row}`))
  return { html, text, orders }
}

/** The text and the HTML of one page. */
const open = (visitor: Visitor, path: string) => pageOf(visitor.get(path))

/** Places an order of the visitor's user, and puts its delivery into a state. */
async function anOrder(
  shop: Pick<Shop, 'input'>,
  buyer: { id: number },
  values: Partial<typeof deliveries.$inferInsert> & { quantity?: number; providerId?: string },
) {
  const { quantity = 1, providerId = 'SHOP-7', ...delivery } = values
  const input = {
    ...shop.input,
    quantity,
    buyerUserId: buyer.id,
    ...(providerId && { providerId }),
    buyerBillingData: billingData,
  }
  const { order, item } = await sold(await aMasterToken(), input)
  const awaits = delivery.state === 'awaiting_wallet' ? buyer.id : null
  await setRow(deliveries, item.id, { ...delivery, awaits })
  return order.id
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
  const { id: transactionId } = await aTransaction({ hash: `0x${'cd'.repeat(32)}` })
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
  const shop = await aShop({ nft: { amount: 100 } })
  for (const _ of Array(22).keys())
    await anOrder(shop, user ?? { id: 0 }, { state: 'awaiting_wallet', dueAt: null })
  const before = await read(visitor)
  // Those of the next page, too.
  expect(before.text).toContain('22 NFTs wait until you link a wallet. Link a wallet')
  expect(before.orders[0]).toContain('Needs a wallet , not yet')
  expect(before.orders[0]).toContain('Link a wallet to receive this.')
  await linkWallet(visitor)
  const after = await read(visitor, '?notice=wallet-linked&transfers=2')
  expect(after.text).toContain('The wallet is linked. 2 NFTs are on their way.')
  expect(after.text).not.toContain('Link a wallet')
  expect(after.orders[1]).toContain('Being sent')
})

/** A buyer and a seller who are signed in. `order` orders one piece for 10 euros. */
async function aSale(values: { title?: string } = {}) {
  const [buyer, seller] = [await aSignedInVisitor(), await aSignedInVisitor({ name: 'Sam <b>' })]
  const nft = await anNft(seller.user, { contractName: 'Edition', ...values })
  const { id: listingId } = await aListing(nft)
  const input = { nftId: nft.id, listingId, quantity: 1, buyerUserId: buyer.user.id }
  const order = (delivery: Parameters<typeof anOrder>[2]) =>
    anOrder({ input }, buyer.user, delivery)
  return { order, nft, buyer, seller }
}

/** An order that has waited for 50 minutes, as its buyer and its seller see it. */
async function aWaitingOrder(values: Partial<typeof deliveries.$inferInsert>) {
  const { order, nft, buyer, seller } = await aSale()
  const earlier = new Date(Date.now() - 50 * 60_000).toISOString()
  const id = await order({
    state: 'queued',
    queuedAt: earlier,
    ...(values.reasonCode && { waitingSince: earlier }),
    ...values,
  })
  return { id, nft, buyer: buyer.visitor, seller: seller.visitor }
}

it('says that an order waits for its seller and until when, and tells the seller what to do', async () => {
  const { buyer, seller } = await aWaitingOrder({
    reasonCode: 'holder_not_approved',
    reasonDetail: 'a detail for operators',
  })
  const bought = await read(buyer)
  expect(bought.orders[0]).toContain(
    `The seller has to do something first. If nothing changes, the delivery fails in 23 hours . Technical reason ${sentence(rules.holder_not_approved.sentence)} Paid , done just now Waiting for the seller , held up Delivered , not yet`,
  )
  expect(bought.html).not.toContain('a detail for operators')
  expect(bought.html).not.toContain('/settings/selling">Allow')
  const sold = await read(seller, '?side=sold')
  expect(sold.orders[0]).toContain('You have not allowed delivery of Edition . Allow it .')
  expect(sold.orders[0]).toContain('Waiting for you , held up')
  expect(sold.html).toContain('<a href="/settings/selling">Allow it</a>')
})

it.each([
  ['minter_role_missing', 'Waiting for the seller', 'You have not allowed minting of Edition'],
  ['holder_has_no_token', 'Waiting for the seller', 'Waiting for you'],
  ['recipient_rejects', 'Waiting for your wallet', 'Waiting for the buyer’s wallet'],
  ['node_unavailable', 'Waiting for the network', 'Waiting for the network'],
  ['relayer_limit_reached', 'Waiting for the marketplace', 'It is tried until it works.'],
] as const)('names who or what is waited for: %s', async (reasonCode, buyerText, sellerText) => {
  const { buyer, seller } = await aWaitingOrder(explain(reasonCode))
  expect((await read(buyer)).orders[0]).toContain(buyerText)
  expect((await read(seller, '?side=sold')).orders[0]).toContain(sellerText)
})

it('waits for the marketplace, not for the seller, where the marketplace holds the NFTs', async () => {
  const { nft, buyer, seller } = await aWaitingOrder(explain('holder_not_approved'))
  const treasury = '0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65'
  const NETWORKS = { localhost: { ...settings.NETWORKS.localhost, treasury } }
  const env = { NETWORKS } as Partial<Env>
  expect((await read(buyer, '', env)).orders[0]).toContain('Waiting for the marketplace')
  expect((await read(seller, '?side=sold', env)).html).not.toContain('Allow it')
  await setRow(nfts, nft.id, { heldBySeller: true })
  expect((await read(buyer, '', env)).orders[0]).toContain('Waiting for the seller')
  expect((await read(seller, '?side=sold', env)).html).toContain('Allow it')
})

it('does not call a transaction “being sent” for longer than operators wait', async () => {
  const { buyer } = await aWaitingOrder({ state: 'in_flight', dueAt: null })
  expect((await read(buyer)).orders[0]).toContain('Waiting for the network , held up')
  const patient = { DELIVERY_ALARM_MINUTES: 90 } as unknown as Partial<Env>
  expect((await read(buyer, '', patient)).orders[0]).toContain('Being sent , under way')
})

it('changes the version that scripts compare when an order begins to wait, and not at each try', async () => {
  const { id, buyer } = await aWaitingOrder({ queuedAt: new Date().toISOString() })
  const version = async () => /data-version="([^"]*)"/.exec((await read(buyer)).html)?.[1]
  const change = (values: Partial<typeof deliveries.$inferInsert>) =>
    setRow(deliveries, id, { ...values, updatedAt: new Date().toISOString() })
  const sent = await version()
  expect(sent).toBe('queued')
  const waitingSince = new Date().toISOString()
  await change({ ...explain('holder_not_approved'), waitingSince })
  const waits = await version()
  expect(waits).toBe('queued seller holder_not_approved')
  await change({ dueAt: new Date(Date.now() + 60_000).toISOString() })
  expect(await version()).toBe(waits)
})

it.each([
  [
    'gas_limit_exceeded',
    'The delivery failed. It was not possible for a technical reason. Ask the',
  ],
  [
    'recipient_rejects',
    'Your wallet cannot receive it: link another one, then have it sent again.',
  ],
  ['cancelled', 'The delivery was cancelled. Ask the shop'],
] as const)('explains a failure: %s', async (code, message) => {
  const { visitor, user } = await aSignedInVisitor()
  await anOrder(await aShop(), user, {
    state: code === 'cancelled' ? 'cancelled' : 'failed',
    // The detail is for operators.
    ...explain(code, 'it needs 300000'),
    dueAt: null,
  })
  const { orders } = await read(visitor)
  expect(orders[0]).toContain(message)
  expect(orders[0]).toContain('name order SHOP-7: it decides')
  if (code !== 'cancelled')
    expect(orders[0]).toContain(`Technical reason ${sentence(rules[code].sentence)}`)
})

it('shows that a delivery is being cancelled, whatever its transaction is for', async () => {
  const { visitor, user } = await aSignedInVisitor()
  const shop = await aShop()
  const { id: transactionId } = await aTransaction({ hash: HASH })
  const requestedAction = 'cancel' as const
  await anOrder(shop, user, { state: 'in_flight', transactionId, requestedAction, dueAt: null })
  const { html, orders } = await read(visitor)
  expect(orders[0]).toContain('Paid , done just now Being cancelled , under way')
  expect(html).not.toMatch(/On its way|>Sent</)
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
  const inputs = Array.from({ length: 21 }, (_, i) => ({
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
  expect(pages).toBe(2)
  expect(seen).toEqual(Array.from({ length: 21 }, (_, i) => `P-${20 - i}.`))
})

async function aDeliveredOrder(values: { title?: string } = {}) {
  const sale = await aSale(values)
  return { ...sale, id: await sale.order({ state: 'transferred' }) }
}

it('shows an order with its seller, its wallet, its token and the billing address', async () => {
  const { id, nft, buyer } = await aDeliveredOrder({ title: '<b>Sun</b>' })
  const { html, text } = await open(buyer.visitor, `/orders/${id}`)
  expect(html).toContain(
    '<bdi class="title" title="&lt;b&gt;Sun&lt;/b&gt;">&lt;b&gt;Sun&lt;/b&gt;</bdi>',
  )
  expect(text).toContain('Order SHOP-7')
  expect(text).toContain('Price 1 × €10.00')
  expect(text).toContain(`Wallet ${buyer.wallet.address}`)
  expect(text).toContain(`Contract ${nft.contractAddr} Network localhost Token id ${nft.tokenId}`)
  expect(text).toContain('Billing address Am Markt 1, 89073 Ulm, DE')
  expect(text).toContain('Sold by Sam &lt;b&gt;')
  const [, action = ''] = /data-action="([^"]*)"/.exec(html) ?? []
  expect(JSON.parse(action.replaceAll('&quot;', '"'))).toMatchObject({
    label: 'Add to wallet',
    account: buyer.wallet.address,
    network: { chainId: 31337 },
    request: { watch: { address: nft.contractAddr, tokenId: nft.tokenId } },
  })
})

it.each([
  ['the shop', { providerId: 'A & B 7' }, () => 'A &amp; B 7'],
  ['the instance if the shop has none', { providerId: '' }, String],
  ['the instance if that of the shop shows nothing', { providerId: '\u200b\u2060' }, String],
  ['the instance if that of the shop turns the text around', { providerId: '7\u202eA' }, String],
])('names an order by the number of %s, also in the title', async (_, values, numberOf) => {
  const { order, buyer, seller } = await aSale()
  const id = await order({ state: 'failed', ...explain('gas_limit_exceeded'), ...values })
  const number = numberOf(id)
  for (const { visitor } of [buyer, seller]) {
    const { html, text } = await open(visitor, `/orders/${id}`)
    expect(html).toContain(`<title>Order ${number} · Marketplace</title>`)
    expect(html).toContain(`<h1>Order <bdi>${number}</bdi></h1>`)
    expect(text).toMatch(new RegExp(`name order ${number}[.:]`))
  }
})

it('shows a seller the order without the billing address, and nobody else that there is one', async () => {
  const { id, seller } = await aDeliveredOrder()
  const { html } = await open(seller.visitor, `/orders/${id}`)
  expect(html).toContain('SHOP-7')
  expect(html).not.toMatch(/Ulm|Billing address|Add to wallet/)
  const { visitor: other } = await aSignedInVisitor()
  const theirs = await open(other, `/orders/${id}`)
  expect(theirs.status).toBe(404)
  expect(theirs).toEqual(await open(other, '/orders/999999'))
})

it('links an order to the page of its NFT, unless the NFT has none any more', async () => {
  const { id, nft, buyer } = await aDeliveredOrder()
  const titleOf = async () =>
    /<h2>(.*?)<\/h2>/.exec((await open(buyer.visitor, `/orders/${id}`)).html)?.[1]
  expect(await titleOf()).toMatch(new RegExp(`^<a href="/nfts/${nft.id}">`))
  await setRow(nfts, nft.id, { deletedAt: new Date().toISOString() })
  expect(await titleOf()).toMatch(/^<bdi/)
})

it('collects what was delivered to a buyer, each NFT once', async () => {
  const { order, nft, buyer, seller } = await aDeliveredOrder({ title: 'Sun' })
  await order({ state: 'queued' })
  const newest = await order({ state: 'transferred' })
  const { html, text } = await open(buyer.visitor, '/collection')
  expect(html.split('class="release"')).toHaveLength(2)
  expect(html).toContain(
    `<a href="/orders/${newest}"><bdi class="title" title="${nft.title}">${nft.title}</bdi></a>`,
  )
  expect(text).toContain('Sun Edition 2 pieces')
  const none = await open(seller.visitor, '/collection')
  expect(none.text).toContain('Nothing was delivered to you yet.')
  const last = await open(buyer.visitor, '/collection?before=1')
  expect(last.text).toContain('There are no NFTs on this page.')
})
