import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { tokens } from '../../src/db/schema.ts'
import { call } from '../support/api.ts'
import { aListing, anAddress, anNft, aToken, aUser, db } from '../support/makers.ts'
import { aShop, callerOf, ordersOf, place, placed, refusal, stockOf, times } from './shop.ts'

const PAST = '2020-01-01T00:00:00.000Z'
const FUTURE = '2999-01-01T00:00:00.000Z'
const NOBODY = 999_999_999

it.each(['nftId', 'listingId', 'quantity', 'buyerUserId'])('needs %s', async (field) => {
  const { token, element } = await aShop()
  expect(await refusal(token, [element, { ...element, [field]: undefined }])).toEqual({
    status: 400,
    orders: null,
    error: `orders[1].${field}: is required`,
    code: 'invalid_input',
  })
})

it.each([0, -1, 1.5, '1', null, true, 2 ** 53, [1]])(
  'takes no %j where a positive integer belongs',
  async (value) => {
    const { token, element } = await aShop()
    for (const field of Object.keys(element))
      expect((await refusal(token, [{ ...element, [field]: value }])).error).toBe(
        `orders[0].${field}: must be a positive integer`,
      )
  },
)

it.each([
  ['an object', {}, 'orders: the body must be an array of orders'],
  ['text', 'orders', 'orders: the body must be an array of orders'],
  ['nothing', [], 'orders: the body must have at least one order'],
  ['an array of no object', [1], /^orders\[0\]: /],
])('takes no %s as a body', async (_, body, error) => {
  const { token } = await aShop()
  const answer = await refusal(token, body)
  expect(answer).toMatchObject({ status: 400, orders: null, code: 'invalid_input' })
  expect(answer.error).toMatch(error)
})

it('takes no body that is not JSON', async () => {
  const { token } = await aShop()
  const headers = { 'content-type': 'application/json' }
  const response = await call('POST', '/api/externalOrders', { token, headers, body: '[{' })
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({ orders: null, code: 'invalid_input' })
})

it('takes 100 orders at once, and not 101', async () => {
  const { token, element } = await aShop({ nft: { amount: 100 } })
  expect(
    await refusal(
      token,
      times(101, () => element),
    ),
  ).toMatchObject({
    status: 400,
    error: 'orders: the body may have at most 100 orders',
  })
  expect(
    await placed(
      token,
      times(100, () => element),
    ),
  ).toHaveLength(100)
})

it('refuses an NFT that is not there, deleted or not released', async () => {
  const { token, seller, element } = await aShop()
  const deleted = await anNft(seller, { deletedAt: PAST })
  const draft = await anNft(seller, { status: 'draft' })
  const listings = await Promise.all([deleted, draft].map((nft) => aListing(nft)))
  const errors = await Promise.all(
    [
      { ...element, nftId: NOBODY },
      { ...element, nftId: deleted.id, listingId: listings[0]?.id },
      { ...element, nftId: draft.id, listingId: listings[1]?.id },
    ].map(async (wrong) => await refusal(token, [element, wrong])),
  )
  expect(errors.map(({ status }) => status)).toEqual([400, 400, 400])
  expect(errors.map(({ error }) => error)).toEqual([
    `orders[1].nftId: there is no NFT ${NOBODY}`,
    `orders[1].nftId: there is no NFT ${deleted.id}`,
    `orders[1].nftId: NFT ${draft.id} is not released`,
  ])
})

it('refuses a listing that is not there, not active, over, or of another NFT', async () => {
  const { token, seller, nft, element } = await aShop()
  const other = await aListing(await anNft(seller))
  const inactive = await aListing(nft, { active: false })
  const over = await aListing(nft, { activeTill: PAST })
  const errorOf = async (listingId: number) =>
    (await refusal(token, [element, element, { ...element, listingId }])).error
  expect(await errorOf(NOBODY)).toBe(`orders[2].listingId: there is no listing ${NOBODY}`)
  expect(await errorOf(inactive.id)).toBe(
    `orders[2].listingId: listing ${inactive.id} is not active`,
  )
  expect(await errorOf(over.id)).toBe(`orders[2].listingId: listing ${over.id} ended at ${PAST}`)
  expect(await errorOf(other.id)).toBe(
    `orders[2].listingId: listing ${other.id} is not one of NFT ${nft.id}`,
  )
})

it('sells from a listing that is still active', async () => {
  const { token, element } = await aShop({ listing: { activeTill: FUTURE } })
  expect(await placed(token, [element])).toHaveLength(1)
})

it('sells what is there and no more, over all orders of the call', async () => {
  const { token, nft, element } = await aShop({ nft: { amount: 5 } })
  const two = { ...element, quantity: 2 }
  expect(await refusal(token, [{ ...element, quantity: 6 }])).toMatchObject({
    status: 400,
    error: `orders[0].quantity: NFT ${nft.id} has 5 left`,
  })
  expect(await refusal(token, [two, two, two])).toMatchObject({
    status: 400,
    error: `orders[2].quantity: NFT ${nft.id} has 1 left after the 4 of the orders before`,
  })
  await placed(token, [two, two, element])
  expect(await stockOf(nft)).toBe(0)
})

it('sells no more at once than the listing offers', async () => {
  const { token, listing, element } = await aShop({ listing: { amount: 2 } })
  expect(await refusal(token, [{ ...element, quantity: 3 }])).toMatchObject({
    status: 400,
    error: `orders[0].quantity: listing ${listing.id} sells at most 2 at once`,
  })
  expect(await placed(token, [{ ...element, quantity: 2 }])).toHaveLength(1)
})

it('never runs out of an unlimited NFT', async () => {
  const { token, nft, element } = await aShop({ nft: { amountType: 'unlimited', amount: 1 } })
  await placed(token, [{ ...element, quantity: 1000 }])
  expect(await stockOf(nft)).toBe(1)
})

it('refuses a price that no JSON number can tell', async () => {
  const { token, element } = await aShop({
    nft: { amountType: 'unlimited' },
    listing: { priceCents: 3 },
  })
  expect(await refusal(token, [{ ...element, quantity: Number.MAX_SAFE_INTEGER }])).toMatchObject({
    status: 400,
    error: 'orders[0].quantity: the price would be too large',
  })
})

it('refuses a buyer who is not there or removed', async () => {
  const { token, element } = await aShop()
  const removed = await aUser({ removedAt: PAST })
  for (const buyerUserId of [NOBODY, removed.id])
    expect(await refusal(token, [{ ...element, buyerUserId }])).toMatchObject({
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
])('refuses billing data %j of a buyer without an address', async (buyerBillingData) => {
  const { token, element } = await aShop()
  const stranger = await aUser()
  await anAddress(stranger, { kind: 'delivery' })
  await anAddress(stranger, { deletedAt: PAST })
  const order = { ...element, buyerUserId: stranger.id, buyerBillingData }
  expect(await refusal(token, [order])).toMatchObject({
    status: 400,
    code: 'invalid_input',
    error: expect.stringMatching(/^orders\[0\]\.buyerBillingData: .*no billing address$/),
  })
})

it.each([['x'.repeat(256)], ['line\nbreak'], [5], [{}]])(
  'takes no %j in billing data',
  async (city) => {
    const { token, element } = await aShop()
    const order = { ...element, buyerBillingData: { city } }
    expect((await refusal(token, [order])).error).toMatch(/^orders\[0\]\.buyerBillingData\.city: /)
  },
)

it.each(['', 'x'.repeat(256), 'a\u0000b', 7])('takes no providerId %j', async (providerId) => {
  const { token, element } = await aShop()
  expect((await refusal(token, [{ ...element, providerId }])).error).toMatch(
    /^orders\[0\]\.providerId: /,
  )
})

it('changes nothing when one of many orders is refused', async () => {
  const { token, buyer, nft, element } = await aShop()
  const buyerBillingData = { city: 'Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' }
  const good = { ...element, buyerBillingData }
  await refusal(token, [good, good, { ...good, quantity: 9 }])
  expect(await stockOf(nft)).toBe(10)
  expect(await ordersOf(buyer)).toEqual([])
  const addresses = await call('GET', `/api/public/user/${buyer.id}/billingAddresses`, { token })
  expect((await addresses.json<{ billingAddresses: [] }>()).billingAddresses).toHaveLength(1)
})

it('lets a seller place orders for what they sell, and nobody else', async () => {
  const { seller, buyer, nft, element } = await aShop()
  const [ofSeller, ofBuyer, ofOther] = await Promise.all(
    [seller, buyer, await aUser()].map((user) => aToken(user)),
  )
  expect((await place(ofSeller ?? '', [element])).status).toBe(200)
  const other = await aListing(await anNft(buyer))
  const foreign = { ...element, nftId: other.nftId, listingId: other.id }
  for (const [token, elements] of [
    [ofBuyer, [element]],
    [ofOther, [element]],
    [ofSeller, [foreign]],
  ] as const)
    expect(await refusal(token ?? '', elements)).toMatchObject({
      status: 403,
      code: 'forbidden',
      error: 'orders[0].listingId: only its seller may place orders for this listing',
    })
  expect(await stockOf(nft)).toBe(9)
})

it('refuses an order without a token, and with a revoked one, in the envelope of orders', async () => {
  const { token, buyer, element } = await aShop()
  const { tokenId } = await callerOf(token)
  const revokedAt = new Date().toISOString()
  await db.update(tokens).set({ revokedAt }).where(eq(tokens.id, tokenId))
  for (const headers of [{}, { authorization: `Bearer ${token}` }])
    expect(await refusal('', [element], headers)).toMatchObject({
      status: 401,
      orders: null,
      code: 'unauthenticated',
    })
  expect(await ordersOf(buyer)).toEqual([])
})
