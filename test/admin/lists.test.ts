/** The lists of orders, people, NFTs and listings, for operators. */
import { beforeAll, expect, it } from 'vitest'
import { listings, nfts } from '../../src/db/schema/catalogue.ts'
import { deliveries } from '../../src/db/schema/delivery.ts'
import { orders } from '../../src/db/schema/orders.ts'
import { users } from '../../src/db/schema/users.ts'
import { aShop, placed, sold, times } from '../orders/shop.ts'
import { aListing, anNft, aUser, db, setRow } from '../support/makers.ts'
import type { Visitor } from '../support/visitor.ts'
import { anAdministratorVisitor, anItem, failed, read } from './operator.ts'

let visitor: Visitor

beforeAll(async () => {
  visitor = (await anAdministratorVisitor('Olga')).visitor
})

/** The headings of the rows of a list. */
const rowsAt = async (path: string) =>
  [...(await read(visitor, `/operations/${path}`)).html.matchAll(/<h3>(.*?)<\/h3>/gs)].map(
    ([, heading = '']) => heading.replaceAll(/<[^>]*>/g, '').trim(),
  )

/** The link to the next page. */
const olderIn = (html: string) =>
  /href="\/operations\/([^"]*cursor=\d+)"/.exec(html)?.[1]?.replaceAll('&amp;', '&') ?? ''

it('shows orders by state, token and day, the newest first, with the names of people', async () => {
  const { token, input } = await aShop({ nft: { title: 'Tide' } })
  const { order, item } = await sold(token, { ...input, providerId: 'LISTS-1' })
  const other = await anItem(failed('recipient_rejects'), 'LISTS-2')
  await setRow(users, order.buyerId, { name: 'Bea Buyer' })
  await setRow(orders, order.id, { createdAt: '2026-02-01T23:59:59.000Z' })
  const names = [`LISTS-2 (id ${other.orderId})`, `LISTS-1 (id ${order.id})`].map(
    (n) => `Order ${n}`,
  )
  expect(await rowsAt('orders')).toEqual(names)
  expect(await rowsAt('orders?state=failed')).toEqual(names.slice(0, 1))
  expect(await rowsAt('orders?state=pending')).toEqual(names.slice(1))
  expect(await rowsAt(`orders?source=${encodeURIComponent(other.tokenName)}`)).toEqual(
    names.slice(0, 1),
  )
  expect(await rowsAt('orders?since=2026-02-01&until=2026-02-01')).toEqual(names.slice(1))
  expect(await rowsAt('orders?since=2026-02-02')).toEqual(names.slice(0, 1))
  const { text } = await read(visitor, '/operations/orders?state=pending&since=nonsense')
  expect(text).toContain(
    `Order LISTS-1 (id ${order.id}) Queued Tide 1 piece €10.00 Buyer: Bea Buyer Seller: `,
  )
  await setRow(deliveries, item.id, { state: 'transferred', dueAt: null })
})

it('shows people by state, source and day, and NFTs and listings by theirs', async () => {
  const guest = await aUser({ ethereumPublicAddr: '', email: 'gus@example.com' })
  const seller = await aUser({ name: 'Sal', externalId: 'sal', lastAccessAt: '2026-01-01' })
  await setRow(users, (await aUser({ name: 'Gone' })).id, { name: null, removedAt: '2026-01-02' })
  expect(await rowsAt('users?state=guest')).toContain('gus@example.com')
  expect(await rowsAt('users?state=guest')).not.toContain('Sal')
  expect((await rowsAt('users?state=signed-in'))[0]).toBe('Sal')
  expect(await rowsAt('users?source=catalogue')).toEqual(['Sal'])
  expect(await rowsAt('users?state=removed')).toHaveLength(1)
  const sale = await anNft(seller, { title: 'Sale', amount: 1 })
  const draft = await anNft(seller, { title: 'Draft', status: 'draft' })
  await aListing(sale)
  await aListing(draft, { active: false })
  const none = await anNft(seller, { title: 'None', availableAmount: 0 })
  await aListing(none, { obstacle: 'token_not_deployed', obstacleSince: '2026-01-01' })
  const mine = `creator=${seller.id}`
  expect(await rowsAt(`nfts?${mine}`)).toEqual(
    [none, draft, sale].map(({ id, title }) => `NFT ${id}: ${title}`),
  )
  expect(await rowsAt(`nfts?${mine}&state=draft`)).toEqual([`NFT ${draft.id}: Draft`])
  expect(await rowsAt(`nfts?${mine}&state=sold-out`)).toEqual([`NFT ${none.id}: None`])
  expect(await rowsAt(`nfts?${mine}&network=other`)).toEqual([])
  for (const [state, title] of [
    ['sale', 'Sale'],
    ['obstacle', 'None'],
    ['listing_inactive', 'Draft'],
  ] as const) {
    const rows = await rowsAt(`listings?seller=${seller.id}&state=${state}`)
    expect(rows, state).toEqual([expect.stringMatching(new RegExp(`^Listing \\d+: ${title}$`))])
  }
  const { text, html } = await read(visitor, `/operations/users/${seller.id}`)
  expect(text).toContain('Seller: Sal')
  expect(html).toContain(`href="/operations/listings?seller=${seller.id}"`)
  // Ids grow with the days.
  for (const [day, { id }] of [sale, draft, none].entries())
    await setRow(nfts, id, { createdAt: `2099-01-0${day + 1}T12:00:00.000Z` })
  expect(await rowsAt('nfts?since=2099-01-02&until=2099-01-02')).toEqual([`NFT ${draft.id}: Draft`])
  expect(guest.id).toBeLessThan(seller.id)
})

it('goes on with older ones, and keeps the filter', async () => {
  const seller = await aUser({ name: 'Sid' })
  const nft = await anNft(seller, { title: 'Many' })
  for (const _ of times(51, () => 0)) await aListing(nft)
  const path = `listings?seller=${seller.id}`
  const { html } = await read(visitor, `/operations/${path}`)
  expect(html.match(/<h3>/g)).toHaveLength(50)
  expect(await rowsAt(olderIn(html))).toHaveLength(1)
  const { token, input } = await aShop({ nft: { amount: 60, availableAmount: 60 } })
  await placed(
    token,
    times(51, () => input),
  )
  const first = await read(visitor, '/operations/orders?state=pending')
  expect(first.html.match(/<h3>/g)).toHaveLength(50)
  expect(await rowsAt(olderIn(first.html))).toHaveLength(1)
  expect(await db.$count(listings)).toBeGreaterThan(50)
})
