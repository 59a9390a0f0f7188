import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { connect } from '../../src/db/client.ts'
import { addresses, listings, nfts, orders, tokens, transfers, users } from '../../src/db/schema.ts'
import type { PlacedOrder } from '../../src/orders/answer.ts'
import { placeOrders } from '../../src/orders/place.ts'
import { anAddress, aToken, aUser, db } from '../support/makers.ts'
import { measured } from '../support/measured.ts'
import { aShop, callerOf, meddledDb, ordersOf, place, placed, stockOf, times } from './shop.ts'

const billingData = { city: 'Ulm', country: 'DE', postal: '89073', street: 'Am Markt 1' }

it('sells the last piece to one of 50 calls at once, and tells the others about the quantity', async () => {
  const { token, buyer, nft, element } = await aShop({ nft: { amount: 1, amountType: 'unique' } })
  const responses = await Promise.all(times(50, () => place(token, [element])))
  const refused = responses.filter(({ status }) => status !== 200)
  expect(refused).toHaveLength(49)
  for (const response of refused)
    expect(await response.json()).toEqual({
      orders: null,
      error: `orders[0].quantity: NFT ${nft.id} has 0 left`,
      code: 'invalid_input',
    })
  expect(await stockOf(nft)).toBe(0)
  expect(await ordersOf(buyer)).toHaveLength(1)
})

it('sells all of the stock and no more to calls of different sizes at once', async () => {
  const { token, buyer, nft, element } = await aShop({ nft: { amount: 30 } })
  const sizes = times(30, (i) => (i % 3) + 1)
  const responses = await Promise.all(
    sizes.map((size) =>
      place(
        token,
        times(size, () => ({ ...element, quantity: 2 })),
      ),
    ),
  )
  const sold = sizes.filter((_, i) => responses[i]?.status === 200)
  const pieces = sold.reduce((sum, size) => sum + 2 * size, 0)
  expect(await stockOf(nft)).toBe(30 - pieces)
  expect((await ordersOf(buyer)).map(({ orderItems }) => orderItems.quantity)).toEqual(
    times(pieces / 2, () => 2),
  )
  // Whoever was refused would have taken 6 at most.
  expect(sold.length).toBeLessThan(30)
  expect(30 - pieces).toBeLessThan(6)
})

it('makes two trips of the same statements for 1 order and for 100', async () => {
  const { token, element } = await aShop({ nft: { amount: 1000 } })
  const caller = await callerOf(token)
  const tripsFor = async (many: number) => {
    const { database, trips } = measured(env.DB)
    const elements = times(many, (i) => ({
      ...element,
      buyerBillingData: billingData,
      providerId: `${many}-${i}`,
    }))
    await placeOrders(connect(database), caller, elements, null, new Date())
    return trips.map(({ statements }) => statements)
  }
  const one = await tripsFor(1)
  expect(one).toHaveLength(2)
  expect(await tripsFor(100)).toEqual(one)
})

it('reads and writes as many rows in a large catalogue as in a small one', async () => {
  const { token, element } = await aShop()
  const caller = await callerOf(token)
  const order = { ...element, buyerBillingData: billingData }
  const rowsFor = async () => {
    const { database, trips } = measured(env.DB)
    await placeOrders(connect(database), caller, [order], null, new Date())
    return trips.map(({ rowsRead, rowsWritten }) => ({ rowsRead, rowsWritten }))
  }
  const small = await rowsFor()
  await Promise.all(times(30, async () => anAddress(await aUser())))
  const { token: another, element: much } = await aShop({ nft: { amount: 100 } })
  await placed(
    another,
    times(100, () => much),
  )
  expect(await rowsFor()).toEqual(small)
})

/** Places one order while something else happens between its two trips. */
async function placedAfter(
  { token, element }: Pick<Awaited<ReturnType<typeof aShop>>, 'token' | 'element'>,
  before: () => Promise<unknown>,
) {
  let hasHappened = false
  const once = async () => {
    if (!hasHappened) await before()
    hasHappened = true
  }
  const caller = await callerOf(token)
  const { orders } = await placeOrders(
    meddledDb({ before: once }),
    caller,
    [element],
    null,
    new Date(),
  )
  const [order] = orders
  if (!order) throw new Error('no order')
  return order
}

const LATER = '2026-02-01T00:00:00.000Z'

it('refuses by what has become of listing, NFT, buyer and token between check and act', async () => {
  const shop = await aShop()
  const { listing, nft, buyer, token } = shop
  const ofListing = eq(listings.id, listing.id)
  const change = async (values: Partial<typeof listings.$inferInsert>) =>
    await db.update(listings).set(values).where(ofListing)

  await expect(placedAfter(shop, () => change({ active: false }))).rejects.toThrow('is not active')
  await change({ active: true })
  await expect(placedAfter(shop, () => change({ activeTill: LATER }))).rejects.toThrow('ended at')
  await change({ activeTill: null })
  const unreleased = () => db.update(nfts).set({ status: 'draft' }).where(eq(nfts.id, nft.id))
  await expect(placedAfter(shop, async () => await unreleased())).rejects.toThrow('is not released')
  await db.update(nfts).set({ status: 'released' }).where(eq(nfts.id, nft.id))
  const gone = () => db.update(users).set({ removedAt: LATER }).where(eq(users.id, buyer.id))
  await expect(placedAfter(shop, async () => await gone())).rejects.toThrow('there is no user')
  await db.update(users).set({ removedAt: null }).where(eq(users.id, buyer.id))
  const { tokenId } = await callerOf(token)
  const revoked = () => db.update(tokens).set({ revokedAt: LATER }).where(eq(tokens.id, tokenId))
  await expect(placedAfter(shop, async () => await revoked())).rejects.toMatchObject({
    code: 'unauthenticated',
  })
  expect(await ordersOf(buyer)).toEqual([])
  expect(await stockOf(nft)).toBe(10)
})

it('lets nobody order from a listing that they sold between check and act', async () => {
  const { seller, listing, element } = await aShop()
  const other = await aUser()
  const token = await aToken(seller)
  const handOver = async () =>
    await db.update(listings).set({ sellerId: other.id }).where(eq(listings.id, listing.id))
  await expect(placedAfter({ token, element }, handOver)).rejects.toMatchObject({
    code: 'forbidden',
  })
})

it('takes the price, the wallet and the address that are true when it writes', async () => {
  const shop = await aShop()
  const { listing, buyer, address } = shop
  const dearer = await placedAfter(shop, async () => {
    const price = { priceCents: 1234, priceWei: '9000000000000000' }
    await db.update(listings).set(price).where(eq(listings.id, listing.id))
  })
  expect(dearer).toMatchObject({ totalPriceCents: 1234, totalPriceEth: '0.009' })

  const wallet = `0x${'f'.repeat(40)}`
  const linked = await placedAfter(shop, async () => {
    await db.update(users).set({ ethereumPublicAddr: wallet }).where(eq(users.id, buyer.id))
  })
  expect(linked.orderItems[0]).toMatchObject({ ethRecipient: wallet, status: null })

  const second = await anAddress(buyer)
  const moved = await placedAfter(shop, async () => {
    await db.update(addresses).set({ deletedAt: LATER }).where(eq(addresses.id, address.id))
  })
  expect(moved.billingAddressId).toBe(second.id)
})

it('names the order that took the providerId between check and act', async () => {
  const { token, element } = await aShop()
  const order = { ...element, providerId: 'A-17' }
  const rivals: PlacedOrder[] = []
  const rival = async () => rivals.push(...(await placed(token, [order])))
  const refused = placedAfter({ token, element: order }, rival)
  await expect(refused).rejects.toMatchObject({ code: 'provider_id_used' })
  await expect(refused).rejects.toThrow(
    `orders[0].providerId: order ${rivals[0]?.id} already has it`,
  )
})

it('asks to try again when others change what is ordered all the time', async () => {
  const { token, buyer, listing, element } = await aShop()
  let priceCents = 1
  const restless = meddledDb({
    before: async () =>
      await db
        .update(listings)
        .set({ priceCents: priceCents++ })
        .where(eq(listings.id, listing.id)),
  })
  await expect(
    placeOrders(restless, await callerOf(token), [element], null, new Date()),
  ).rejects.toMatchObject({ code: 'request_in_progress', headers: { 'Retry-After': '1' } })
  expect(await ordersOf(buyer)).toEqual([])
})

it('takes nothing for a lost race that is none', async () => {
  const { token, element } = await aShop()
  const broken = meddledDb({ before: () => Promise.reject(new Error('D1 is away')) })
  await expect(
    placeOrders(broken, await callerOf(token), [element], null, new Date()),
  ).rejects.toThrow('D1 is away')
})

it('writes an order, its item and its transfer together or not at all', async () => {
  const { token, buyer, element } = await aShop()
  const before = { orders: await db.$count(orders), transfers: await db.$count(transfers) }
  const noWallet = { ...element, buyerUserId: 0 }
  expect((await place(token, [element, noWallet])).status).toBe(400)
  expect(await db.$count(orders)).toBe(before.orders)
  const lost = meddledDb({
    after: () => {
      throw new Error('the reply was lost')
    },
  })
  await expect(
    placeOrders(lost, await callerOf(token), [element], null, new Date()),
  ).rejects.toThrow('the reply was lost')
  const [written] = await ordersOf(buyer)
  expect(await db.$count(orders)).toBe(before.orders + 1)
  expect(await db.$count(transfers)).toBe(before.transfers + 1)
  expect(await db.$count(transfers, eq(transfers.id, written?.orderItems.id ?? 0))).toBe(1)
})
