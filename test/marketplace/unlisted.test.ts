import { expect, it } from 'vitest'
import { aShop, placed, recordWakeUps } from '../orders/shop.ts'
import { aReservation } from '../reservations/holds.ts'
import { answerOf, call } from '../support/api.ts'
import { aVisitor, pageOf } from '../support/visitor.ts'
import { get, queryOf } from './public.ts'

recordWakeUps()

const UNLISTED = { status: 'unlisted', title: 'Private sale' }

const body = (path: string) => answerOf(call('GET', path))
const page = (path: string) => pageOf(aVisitor().get(path))

it('appear in no list, number or page that does not name them', async () => {
  const numbers = ['/api/public/stats', '/api/public/creators?limit=100']
  const before = await Promise.all(numbers.map(body))
  const { seller, nft, listing } = await aShop({ nft: UNLISTED })
  expect(await Promise.all(numbers.map(body))).toEqual(before)
  const { id } = seller
  for (const filter of [
    { creatorId: id },
    { sellerId: id },
    { q: 'Private' },
    { updatedSince: nft.changedAt },
    { limit: 100 },
  ])
    for (const resource of ['nfts', 'listings'] as const) {
      const found = (await get(resource, queryOf(filter)))[resource]?.map((one) => one.id)
      expect(found).not.toContain(resource === 'nfts' ? nft.id : listing.id)
    }
  for (const path of ['/', '/nfts', '/nfts?q=Private', `/nfts?creator=${id}`])
    expect((await page(path)).html).not.toContain(`href="/nfts/${nft.id}"`)
})

it('are shown to who names them', async () => {
  const { nft, listing } = await aShop({ nft: UNLISTED })
  expect((await get('nfts', `/externalId:${nft.externalId}`)).nfts).toMatchObject([
    { id: nft.id, sellable: true, listed: false },
  ])
  expect((await get('listings', `/${listing.id}`)).listings).toMatchObject([
    { id: listing.id, sellable: true, nft: { listed: false } },
  ])
  const { status, html } = await page(`/nfts/${nft.id}`)
  expect({ status, isBuyable: html.includes('10.00') }).toEqual({ status: 200, isBuyable: true })
  // The creator has released nothing, and has no page.
  expect(html).not.toContain('href="/creators/')
})

it('can be ordered and reserved', async () => {
  const { token, input, listing, nft } = await aShop({ nft: UNLISTED })
  const [order] = await placed(token, [input])
  expect(order?.orderItems[0]?.nft).toMatchObject({ id: nft.id, status: 'unlisted' })
  const { id } = await aReservation(token, { listing: listing.externalId, quantity: 1 })
  await placed(token, [{ ...input, reservationId: id }])
})
