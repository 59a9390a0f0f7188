import { expect, it } from 'vitest'
import { fulfilments, listings } from '../../src/db/schema/catalogue.ts'
import { networks } from '../../src/db/schema/delivery.ts'
import { users } from '../../src/db/schema/users.ts'
import { reserve } from '../reservations/holds.ts'
import { aListing, anAddress, anNft, aToken, aUser, db, setRow } from '../support/makers.ts'
import { aShop, billingData, codesOf, place, placed, placeError, stockOf } from './shop.ts'

const PAST = '2020-01-01T00:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'
const UNKNOWN_ID = 999_999_999

it.each(fulfilments)(
  'returns 400 if the orders of a call exceed the stock: %s',
  async (fulfilment) => {
    const { token, nft, input } = await aShop({ nft: { amount: 5, fulfilment } })
    const two = { ...input, quantity: 2 }
    expect(await placeError(token, [{ ...input, quantity: 6 }])).toMatchObject({
      status: 400,
      error: `orders[0].quantity: NFT ${nft.id} has 5 left`,
    })
    expect(await placeError(token, [two, two, two])).toMatchObject({
      status: 400,
      error: `orders[2].quantity: NFT ${nft.id} has 1 left after the 4 of the earlier orders of this call`,
    })
    await placed(token, [two, two, input])
    expect(await stockOf(nft)).toBe(0)
  },
)

it('returns 400 if the quantity exceeds what the network of the NFT delivers at once', async () => {
  const { token, nft, input } = await aShop({ nft: { amountType: 'unlimited' } })
  const row = { chainId: 31337, leaseUntil: PAST, maxPieces: 5 }
  await db.insert(networks).values([row, { ...row, chainId: 1, maxPieces: 1 }])
  expect(await placeError(token, [input, { ...input, quantity: 6 }])).toMatchObject({
    status: 400,
    code: 'quantity_above_limit',
    error: `orders[1].quantity: the network of NFT ${nft.id} delivers at most 5 per order`,
  })
  expect(await placed(token, [{ ...input, quantity: 5 }])).toHaveLength(1)
  await db.update(networks).set({ maxPieces: null })
  expect(await placed(token, [{ ...input, quantity: 6 }])).toHaveLength(1)
  await db.delete(networks)
})

it('returns 400 if the total price is not a safe integer', async () => {
  const goods = { nft: { amountType: 'unlimited' }, listing: { priceCents: 3 } } as const
  const { token, listing, input } = await aShop(goods)
  expect(await placeError(token, [{ ...input, quantity: Number.MAX_SAFE_INTEGER }])).toMatchObject({
    status: 400,
    error: `orders[0].quantity: listing ${listing.id} sells at most 3002399751580330 per order`,
    code: 'quantity_too_large',
  })
})

it('returns 400 if a buyer without billing address does not get a whole one', async () => {
  const { token, input } = await aShop()
  const buyer = await aUser()
  await anAddress(buyer, { kind: 'delivery' })
  await anAddress(buyer, { deletedAt: PAST })
  const given = [
    undefined,
    null,
    {},
    { city: 'Ulm', country: 'DE', postal: '89073' },
    { ...billingData, street: ' ' },
    { ...billingData, postal: null },
  ]
  const inputs = given.map((data) => ({
    ...input,
    buyerUserId: buyer.id,
    buyerBillingData: data,
  }))
  const { status, ...failure } = await placeError(token, inputs)
  expect(status).toBe(400)
  expect(codesOf(failure)).toEqual(
    given.map((_, i) => `orders[${i}].buyerBillingData no_billing_address`),
  )
})

it('lists everything that is wrong with all orders of a call, with a code for each', async () => {
  const { token, seller, nft, input } = await aShop({ nft: { amount: 5 }, listing: { amount: 4 } })
  const draft = await anNft(seller, { status: 'draft' })
  const inactive = await aListing(nft, { active: false })
  const ended = await aListing(nft, { activeTill: PAST })
  const auction = await aListing(nft, { type: 'auction' })
  const deleted = await anNft(seller, { deletedAt: PAST })
  const ofDeleted = await aListing(deleted)
  const withoutAddress = await aUser()
  const failure = await placeError(token, [
    { ...input, quantity: 5 },
    { ...input, nftId: UNKNOWN_ID, quantity: 1000 },
    { ...input, listingId: UNKNOWN_ID, buyerUserId: UNKNOWN_ID },
    { ...input, listingId: inactive.id, buyerUserId: withoutAddress.id },
    { ...input, listingId: ended.id, quantity: 5 },
    { ...input, nftId: draft.id },
    { ...input, listingId: auction.id },
    { ...input, nftId: deleted.id, listingId: ofDeleted.id },
  ])
  expect(codesOf(failure)).toEqual([
    'orders[0].quantity quantity_too_large',
    'orders[1].nftId nft_not_found',
    'orders[2].listingId listing_not_found',
    'orders[2].buyerUserId buyer_not_found',
    'orders[3].listingId listing_inactive',
    'orders[3].buyerBillingData no_billing_address',
    'orders[4].listingId listing_ended',
    'orders[4].quantity sold_out',
    'orders[5].nftId nft_not_released',
    'orders[5].listingId listing_mismatch',
    'orders[6].listingId listing_is_auction',
    'orders[7].nftId nft_not_found',
  ])
  expect(failure).toMatchObject({
    status: 400,
    code: 'quantity_too_large',
    error: `orders[0].quantity: listing ${input.listingId} sells at most 4 per order`,
  })
  expect(failure.issues[7]?.message).toBe(
    `NFT ${nft.id} has 3 left after the 2 of the earlier orders of this call`,
  )
})

it('refuses what was never tried for the first two minutes, and then sells it', async () => {
  const { token, listing, input } = await aShop({
    listing: { untriedUntil: FUTURE, activeTill: FUTURE },
  })
  expect(await placeError(token, [input])).toMatchObject({
    status: 400,
    code: 'listing_not_checked',
    error: `orders[0].listingId: it is found out whether listing ${listing.id} can be delivered, until ${FUTURE} at the latest`,
  })
  const reserved = await reserve(token, [{ listingId: listing.id, quantity: 1, ttl: 600 }])
  expect(await reserved.json()).toMatchObject({ code: 'listing_not_checked' })
  await setRow(listings, listing.id, { untriedUntil: PAST })
  expect((await place(token, [input])).status).toBe(200)
})

it('puts what is not allowed first, which decides the status', async () => {
  const { seller, input } = await aShop()
  const other = await aShop()
  const failure = await placeError(await aToken(seller), [
    { ...input, buyerUserId: UNKNOWN_ID },
    { ...other.input, quantity: 1000 },
  ])
  expect(failure).toMatchObject({
    status: 403,
    code: 'not_your_listing',
    error: 'orders[1].listingId: only the seller may place orders for this listing',
  })
  expect(codesOf(failure)).toEqual([
    'orders[1].listingId not_your_listing',
    'orders[0].buyerUserId buyer_not_found',
  ])
})

it('lets only sellers who are approved place and reserve with user tokens', async () => {
  const { seller, input, listing, token } = await aShop()
  const own = await aToken(seller)
  const hold = [{ listingId: listing.id, quantity: 1, ttl: 600 }]
  expect((await place(own, [input])).status).toBe(200)
  await setRow(users, seller.id, { approved: false })
  expect(await placeError(own, [input])).toMatchObject({
    status: 403,
    error: 'orders[0].listingId: an administrator has to approve you before you place orders',
    code: 'seller_not_approved',
  })
  expect((await (await reserve(own, hold)).json()) as object).toMatchObject({
    code: 'seller_not_approved',
  })
  expect((await place(token, [input])).status).toBe(200)
})

it('names the earlier order, and nothing else, if it took the last piece itself', async () => {
  const { token, input } = await aShop({ nft: { amount: 1 } })
  const inputs = [{ ...input, providerId: crypto.randomUUID() }]
  const [order] = await placed(token, inputs)
  expect(await placeError(token, inputs)).toMatchObject({
    status: 409,
    code: 'provider_id_used',
    issues: [
      {
        path: 'orders[0].providerId',
        code: 'provider_id_used',
        message: `order ${order?.id} already has it`,
        orderId: order?.id,
      },
    ],
  })
})
