/** Orders that name what they sell by the operator's own ids. */
import { expect, it } from 'vitest'
import { aListing, anNft } from '../support/makers.ts'
import { aShop, codesOf, placed, placeError, stockOf } from './shop.ts'

/** A shop whose input has the operator's ids in place of the numbers. */
async function aNamedShop() {
  const shop = await aShop()
  const { nftId: _nft, listingId: _listing, ...rest } = shop.input
  const names = { nft: shop.nft.externalId, listing: shop.listing.externalId }
  return { ...shop, rest, named: { ...rest, ...names } }
}

it('sells the listing and the NFT with these ids, in any combination with numbers', async () => {
  const { token, seller, nft, listing, input, rest, named } = await aNamedShop()
  const other = await aListing(await anNft(seller))
  const orders = await placed(token, [
    named,
    { ...rest, nftId: nft.id, listing: listing.externalId },
    { ...rest, nft: nft.externalId, listingId: listing.id, quantity: 2 },
    { ...rest, nftId: other.nftId, listing: other.externalId },
    input,
  ])
  expect(orders.map(({ orderItems: [item] }) => [item?.listingId, item?.nftId])).toEqual([
    [listing.id, nft.id],
    [listing.id, nft.id],
    [listing.id, nft.id],
    [other.id, other.nftId],
    [listing.id, nft.id],
  ])
  // A response shows an NFT as it is after all orders of the call.
  expect(orders.map(({ orderItems: [item] }) => item?.nft.availableAmount)).toEqual([5, 5, 5, 9, 5])
  expect(await stockOf(nft)).toBe(5)
})

it.each([
  ['nft', 'nftId'],
  ['listing', 'listingId'],
] as const)('returns 400 unless an order has exactly one of %s and %s', async (name, id) => {
  const { token, input, named, rest } = await aNamedShop()
  const both = { ...named, [id]: input[id] }
  const { [name]: _, ...none } = named
  expect(await placeError(token, [named, both])).toMatchObject({
    status: 400,
    code: 'invalid_input',
    error: `orders[1].${name}: must not be given together with ${id}`,
  })
  expect(await placeError(token, [{ ...none, quantity: 'two' }])).toMatchObject({
    status: 400,
    issues: [
      { path: 'orders[0].quantity', message: 'must be a positive integer' },
      { path: `orders[0].${id}`, message: `is required, or ${name} in its place` },
    ],
  })
  for (const value of ['', 'x'.repeat(201), 'a\u0000b', ' a', 'a\u00a0', 7, null])
    expect((await placeError(token, [{ ...named, [name]: value }])).error).toMatch(
      new RegExp(`^orders\\[0\\]\\.${name}: must (be|not have) `),
    )
  expect((await placeError(token, [rest])).issues).toHaveLength(2)
})

it('names the field that was given in what is wrong', async () => {
  const { token, seller, nft, named } = await aNamedShop()
  const draft = await anNft(seller, { status: 'draft' })
  const inactive = await aListing(nft, { active: false })
  const { issues } = await placeError(token, [
    { ...named, listing: 'no such "listing"', quantity: 11 },
    { ...named, nft: 'unknown' },
    { ...named, nft: draft.externalId },
    { ...named, listing: inactive.externalId },
  ])
  expect(issues.map(({ path, code, message }) => `${path} ${code}: ${message}`)).toEqual([
    'orders[0].listing listing_not_found: there is no listing "no such \\"listing\\""',
    `orders[0].quantity sold_out: NFT "${named.nft}" has 10 left`,
    'orders[1].nft nft_not_found: there is no NFT "unknown"',
    `orders[2].nft nft_not_released: NFT "${draft.externalId}" is not released`,
    `orders[2].listing listing_mismatch: listing "${named.listing}" does not sell NFT "${draft.externalId}"`,
    `orders[3].listing listing_inactive: listing "${inactive.externalId}" is not active`,
  ])
})

it('does not take a number for an id of the operator', async () => {
  const { token, nft, listing, named } = await aNamedShop()
  const numbers = { nft: String(nft.id), listing: String(listing.id) }
  expect(codesOf(await placeError(token, [{ ...named, ...numbers }]))).toEqual([
    'orders[0].nft nft_not_found',
    'orders[0].listing listing_not_found',
  ])
})
