import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { fulfilments } from '../../src/db/schema/catalogue.ts'
import { networks } from '../../src/db/schema/delivery.ts'
import { tokens } from '../../src/db/schema/users.ts'
import { call } from '../support/api.ts'
import { aListing, anAddress, anNft, aToken, aUser, db } from '../support/makers.ts'
import {
  aShop,
  billingData,
  callerOf,
  ordersOf,
  place,
  placed,
  placeError,
  stockOf,
  times,
} from './shop.ts'

const PAST = '2020-01-01T00:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'
const UNKNOWN_ID = 999_999_999

it.each([
  ['an object', {}, /^the body must be an array of orders$/],
  ['text', 'orders', /^the body must be an array of orders$/],
  ['null', null, /^the body must be an array of orders$/],
  ['an empty array', [], /^the body must have at least one order$/],
  ['an array of numbers', [1], /^orders\[0\]: /],
])('returns 400 if the body is %s', async (_, body, error) => {
  const { token } = await aShop()
  const response = await placeError(token, body)
  expect(response).toMatchObject({ status: 400, orders: null, code: 'invalid_input' })
  expect(response.error).toMatch(error)
})

it('accepts at most 100 orders', async () => {
  const { token, input } = await aShop({ nft: { amount: 100 } })
  const inputs = times(101, () => input)
  expect(await placeError(token, inputs)).toMatchObject({
    status: 400,
    error: 'the body may have at most 100 orders',
  })
  expect(await placed(token, inputs.slice(1))).toHaveLength(100)
})

it('returns 400 if the NFT is unknown, deleted or not released', async () => {
  const { token, seller, input } = await aShop()
  const deleted = await anNft(seller, { deletedAt: PAST })
  const draft = await anNft(seller, { status: 'draft' })
  const listings = await Promise.all([deleted, draft].map((nft) => aListing(nft)))
  const errors = await Promise.all(
    [
      { ...input, nftId: UNKNOWN_ID },
      { ...input, nftId: deleted.id, listingId: listings[0]?.id },
      { ...input, nftId: draft.id, listingId: listings[1]?.id },
    ].map((invalid) => placeError(token, [input, invalid])),
  )
  expect(errors.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(errors.map(({ error }) => error)).toEqual([
    `orders[1].nftId: there is no NFT ${UNKNOWN_ID}`,
    `orders[1].nftId: there is no NFT ${deleted.id}`,
    `orders[1].nftId: NFT ${draft.id} is not released`,
  ])
})

it('places an order for a listing that ends in the future', async () => {
  const { token, input } = await aShop({ listing: { activeTill: FUTURE } })
  expect(await placed(token, [input])).toHaveLength(1)
})

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

it.each(fulfilments)('does not reduce the stock of an unlimited NFT: %s', async (fulfilment) => {
  const values = { amountType: 'unlimited', amount: 1, fulfilment } as const
  const { token, nft, input } = await aShop({ nft: values })
  await placed(token, [{ ...input, quantity: 1000 }])
  expect(await stockOf(nft)).toBe(1)
})

it('returns 400 if the total price is not a safe integer', async () => {
  const { token, listing, input } = await aShop({
    nft: { amountType: 'unlimited' },
    listing: { priceCents: 3 },
  })
  expect(await placeError(token, [{ ...input, quantity: Number.MAX_SAFE_INTEGER }])).toMatchObject({
    status: 400,
    error: `orders[0].quantity: listing ${listing.id} sells at most 3002399751580330 per order`,
    code: 'quantity_too_large',
  })
})

it('returns 400 if the buyer is unknown or removed', async () => {
  const { token, input } = await aShop()
  const removed = await aUser({ removedAt: PAST })
  for (const buyerUserId of [UNKNOWN_ID, removed.id])
    expect(await placeError(token, [{ ...input, buyerUserId }])).toMatchObject({
      status: 400,
      error: `orders[0].buyerUserId: there is no user ${buyerUserId}`,
    })
})

it.each([
  undefined,
  null,
  {},
  { city: 'Ulm', country: 'DE', postal: '89073' },
  { city: 'Ulm', country: 'DE', postal: '89073', street: ' ' },
  { city: 'Ulm', country: 'DE', postal: null, street: 'Am Markt 1' },
])('returns 400 if a buyer without billing address has %j', async (buyerBillingData) => {
  const { token, input } = await aShop()
  const buyer = await aUser()
  await anAddress(buyer, { kind: 'delivery' })
  await anAddress(buyer, { deletedAt: PAST })
  expect(
    await placeError(token, [{ ...input, buyerUserId: buyer.id, buyerBillingData }]),
  ).toMatchObject({
    status: 400,
    code: 'no_billing_address',
    error: expect.stringMatching(/^orders\[0\]\.buyerBillingData: .*no billing address$/),
  })
})

it.each(['', 'x'.repeat(256), 'a\u0000b', 'a\ud83d', ' a', 'a\t', 7])(
  'returns 400 if the providerId is %j',
  async (providerId) => {
    const { token, input } = await aShop()
    const { error } = await placeError(token, [{ ...input, providerId }])
    expect(error).toMatch(/^orders\[0\]\.providerId: /)
  },
)

it('writes nothing if one of several orders is invalid', async () => {
  const { token, buyer, nft, input } = await aShop()
  const valid = { ...input, buyerBillingData: billingData }
  await placeError(token, [valid, valid, { ...valid, quantity: 9 }])
  expect(await stockOf(nft)).toBe(10)
  expect(await ordersOf(buyer)).toEqual([])
  const addresses = await call('GET', `/api/public/user/${buyer.id}/billingAddresses`, { token })
  expect((await addresses.json<{ billingAddresses: [] }>()).billingAddresses).toHaveLength(1)
})

it('returns 403 to a user token, unless the user sells the listing', async () => {
  const { seller, buyer, nft, input } = await aShop()
  const [sellerToken = '', buyerToken = '', otherToken = ''] = await Promise.all(
    [seller, buyer, await aUser()].map((user) => aToken(user)),
  )
  expect((await place(sellerToken, [input])).status).toBe(200)
  const listing = await aListing(await anNft(buyer))
  const fromOtherSeller = { ...input, nftId: listing.nftId, listingId: listing.id }
  for (const [token, inputs] of [
    [buyerToken, [input]],
    [otherToken, [input]],
    [sellerToken, [fromOtherSeller]],
  ] as const)
    expect(await placeError(token, inputs)).toMatchObject({
      status: 403,
      code: 'not_your_listing',
      error: 'orders[0].listingId: only the seller may place orders for this listing',
    })
  expect(await stockOf(nft)).toBe(9)
})

it('returns 401 with `orders: null` without a token and with a revoked one', async () => {
  const { token, buyer, input } = await aShop()
  const { tokenId } = await callerOf(token)
  const revokedAt = new Date().toISOString()
  await db.update(tokens).set({ revokedAt }).where(eq(tokens.id, tokenId))
  for (const headers of [{}, { authorization: `Bearer ${token}` }])
    expect(await placeError('', [input], headers)).toMatchObject({
      status: 401,
      orders: null,
      code: 'unauthenticated',
    })
  expect(await ordersOf(buyer)).toEqual([])
})

it('lists everything that is wrong with all orders of a call, with a code for each', async () => {
  const { token, seller, nft, input } = await aShop({ nft: { amount: 5 }, listing: { amount: 4 } })
  const draft = await anNft(seller, { status: 'draft' })
  const inactive = await aListing(nft, { active: false })
  const ended = await aListing(nft, { activeTill: PAST })
  const auction = await aListing(nft, { type: 'auction' })
  const withoutAddress = await aUser()
  const { issues, ...response } = await placeError(token, [
    { ...input, quantity: 5 },
    { ...input, nftId: UNKNOWN_ID, quantity: 1000 },
    { ...input, listingId: UNKNOWN_ID, buyerUserId: UNKNOWN_ID },
    { ...input, listingId: inactive.id, buyerUserId: withoutAddress.id },
    { ...input, listingId: ended.id, quantity: 5 },
    { ...input, nftId: draft.id },
    { ...input, listingId: auction.id },
  ])
  expect(issues.map(({ path, code }) => `${path} ${code}`)).toEqual([
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
  ])
  expect(response).toMatchObject({
    status: 400,
    code: 'quantity_too_large',
    error: `orders[0].quantity: listing ${input.listingId} sells at most 4 per order`,
  })
  expect(issues[7]?.message).toBe(
    `NFT ${nft.id} has 3 left after the 2 of the earlier orders of this call`,
  )
})

it('puts what is not allowed first, which decides the status', async () => {
  const { seller, input } = await aShop()
  const other = await aShop()
  const { status, code, error, issues } = await placeError(await aToken(seller), [
    { ...input, buyerUserId: UNKNOWN_ID },
    { ...other.input, quantity: 1000 },
  ])
  expect({ status, code }).toEqual({ status: 403, code: 'not_your_listing' })
  expect(error).toBe('orders[1].listingId: only the seller may place orders for this listing')
  expect(issues.map(({ path, code }) => `${path} ${code}`)).toEqual([
    'orders[1].listingId not_your_listing',
    'orders[0].buyerUserId buyer_not_found',
  ])
})

it('lists all fields with a wrong form', async () => {
  const { token, input } = await aShop()
  const { issues } = await placeError(token, [
    { ...input, nftId: 'x', quantity: undefined },
    { ...input, buyerBillingData: { city: 5 } },
  ])
  expect(issues).toEqual([
    { path: 'orders[0].nftId', code: 'invalid_input', message: 'must be a positive integer' },
    { path: 'orders[0].quantity', code: 'invalid_input', message: 'is required' },
    { path: 'orders[1].buyerBillingData.city', code: 'invalid_input', message: 'must be text' },
  ])
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
      },
    ],
  })
})

it('names a provider id that is used besides what is wrong with other orders', async () => {
  const { token, input } = await aShop()
  const providerId = crypto.randomUUID()
  await placed(token, [{ ...input, providerId }])
  const { status, issues } = await placeError(token, [
    { ...input, nftId: UNKNOWN_ID },
    { ...input, providerId },
  ])
  expect({ status, codes: issues.map(({ path, code }) => `${path} ${code}`) }).toEqual({
    status: 400,
    codes: ['orders[0].nftId nft_not_found', 'orders[1].providerId provider_id_used'],
  })
})

it('tells both limits of a quantity that is above the listing and above the stock', async () => {
  const { token, nft, listing, input } = await aShop({ listing: { amount: 5 } })
  const { issues } = await placeError(token, [{ ...input, quantity: 11 }])
  expect(issues).toEqual([
    {
      path: 'orders[0].quantity',
      code: 'quantity_too_large',
      message: `listing ${listing.id} sells at most 5 per order`,
    },
    { path: 'orders[0].quantity', code: 'sold_out', message: `NFT ${nft.id} has 10 left` },
  ])
})
