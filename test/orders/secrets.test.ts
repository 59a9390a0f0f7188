/** What an NFT holds for its buyer is in no answer before the delivery. */
import { eq } from 'drizzle-orm'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries, deliveryStates } from '../../src/db/schema/delivery.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { Order } from '../../src/orders/schema.ts'
import { call } from '../support/api.ts'
import {
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aToken,
  aUser,
  db,
  setRow,
} from '../support/makers.ts'
import { aSignedInVisitor } from '../support/visitor.ts'
import { recordWakeUps } from './shop.ts'

recordWakeUps()

const PHRASE = 'open sesame 4711'
const FILE = 'https://files.example.com/only-for-the-buyer'
const open = {
  amountType: 'limited',
  cover: [{ path: 'cover.jpg' }],
  metadata: { name: 'Moon', image: 'https://pictures.example.com/1.png' },
}
const secrets = {
  secretPhrase: PHRASE,
  downloadableAsset: [{ path: `${FILE}.zip` }],
  audio: [{ path: `${FILE}.mp3` }],
}
const shown = { secretPhrase: PHRASE, payload: { ...open, ...secrets } }
const hidden = {
  secretPhrase: null,
  payload: { ...open, secretPhrase: null, downloadableAsset: null, audio: null },
}

let shop: Awaited<ReturnType<typeof aShopWithSecrets>>
beforeEach(async () => {
  shop = await aShopWithSecrets()
})

/** The seller has not created the NFT. */
async function aShopWithSecrets() {
  const [creator, seller] = [await aUser(), await aUser()]
  const { visitor, user: buyer } = await aSignedInVisitor()
  await anAddress(buyer)
  const nft = await anNft(creator, { ...shown })
  const listing = await aListing(nft, { sellerId: seller.id })
  const tokens = {
    buyer: await aToken(buyer),
    creator: await aToken(creator),
    seller: await aToken(seller),
    master: await aMasterToken(),
  }
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  const post = (headers: Record<string, string> = {}) =>
    call('POST', '/api/externalOrders', { token: tokens.master, json: [input], headers })
  const put = () =>
    call('PUT', '/api/externalOrders/by-number/S-1', { token: tokens.master, json: input })
  return { creator, seller, buyer, visitor, nft, listing, tokens, post, put }
}

type Body = { orders: Order[] }

const nftIn = async (response: Response) => {
  const [order] = (await response.json<Body>()).orders
  return order?.orderItems[0]?.nft
}

/** Places an order whose delivery is in this state. */
async function anOrderIn(state: (typeof deliveryStates)[number]) {
  const { orders } = await (await shop.post()).json<Body>()
  const [order] = orders
  const [item] = order?.orderItems ?? []
  if (!order || !item) throw new Error('no order was placed')
  await setRow(deliveries, item.id, {
    state,
    awaits: state === 'awaiting_wallet' ? shop.buyer.id : null,
    ...(state === 'failed' && explain('transfer_failed')),
  })
  return order.id
}

const read = async (token: string, orderId: number) =>
  nftIn(await call('GET', `/api/externalOrders/${orderId}`, { token }))

describe('the phrase and the files of an NFT', () => {
  it('are null for those who place its order, also when they repeat it', async () => {
    const key = { 'idempotency-key': 'once' }
    for (const response of [
      await shop.post(key),
      await shop.post(key),
      await shop.put(),
      await shop.put(),
    ])
      expect(await nftIn(response)).toMatchObject(hidden)
  })

  it.each(deliveryStates.filter((state) => state !== 'transferred'))(
    'are null for everybody while the delivery is %s',
    async (state) => {
      const id = await anOrderIn(state)
      for (const token of [shop.tokens.buyer, shop.tokens.seller, shop.tokens.master])
        expect(await read(token, id)).toMatchObject(hidden)
    },
  )

  it('are seen by the buyer and master tokens once it is transferred, not by the seller', async () => {
    const id = await anOrderIn('transferred')
    expect(await read(shop.tokens.buyer, id)).toMatchObject(shown)
    expect(await read(shop.tokens.master, id)).toMatchObject(shown)
    expect(await read(shop.tokens.seller, id)).toMatchObject(hidden)
    const list = await call('GET', '/api/externalOrders', { token: shop.tokens.buyer })
    expect(await nftIn(list)).toMatchObject(shown)
  })

  it('are seen by a seller who has created it, once it is transferred', async () => {
    const { creator, tokens } = shop
    const own = await anNft(creator, { ...shown })
    shop.listing = await aListing(own)
    const { id: listingId } = shop.listing
    const json = [{ nftId: own.id, listingId, quantity: 1, buyerUserId: shop.buyer.id }]
    const response = await call('POST', '/api/externalOrders', { token: tokens.master, json })
    const [order] = (await response.json<Body>()).orders
    const orderId = order?.id ?? 0
    expect(await read(tokens.creator, orderId)).toMatchObject(hidden)
    const itemId = order?.orderItems[0]?.id ?? 0
    await db.update(deliveries).set({ state: 'transferred' }).where(eq(deliveries.id, itemId))
    expect(await read(tokens.creator, orderId)).toMatchObject(shown)
  })

  it('are hidden again if a fork undoes the delivery', async () => {
    const id = await anOrderIn('transferred')
    expect(await read(shop.tokens.buyer, id)).toMatchObject(shown)
    await db.update(deliveries).set({ state: 'queued' }).where(eq(deliveries.state, 'transferred'))
    expect(await read(shop.tokens.buyer, id)).toMatchObject(hidden)
  })

  it('are not made up where an NFT has none', async () => {
    const { id } = await anNft(shop.creator, { payload: open })
    const listing = await aListing({ id, creatorId: shop.creator.id })
    const json = [{ nftId: id, listingId: listing.id, quantity: 1, buyerUserId: shop.buyer.id }]
    const response = await call('POST', '/api/externalOrders', { token: shop.tokens.master, json })
    expect((await nftIn(response))?.payload).toEqual(open)
  })

  it('are in no other answer and on no page before', async () => {
    const id = await anOrderIn('in_flight')
    const { nft, listing, buyer, creator, tokens, visitor } = shop
    const texts: string[] = []
    for (const [token, paths] of [
      [undefined, [`/api/public/nfts/${nft.id}`, `/api/public/listings/${listing.id}`]],
      [tokens.buyer, [`/api/externalOrders/${id}`, '/api/externalOrders']],
      [
        tokens.master,
        [
          '/api/externalOrders',
          '/api/externalOrders?fields=summary',
          '/api/events?limit=100',
          '/api/admin/transfers',
          `/api/admin/users/${buyer.id}/data`,
          `/api/admin/users/${creator.id}/data`,
        ],
      ],
    ] as const)
      for (const path of paths) {
        const response = await call('GET', path, { ...(token && { token }) })
        expect(response.status, path).toBe(200)
        texts.push(await response.text())
      }
    for (const path of [`/nfts/${nft.id}`, '/orders', `/orders/${id}`, '/']) {
      const page = await visitor.get(path)
      expect(page.status, path).toBe(200)
      texts.push(await page.text())
    }
    for (const secret of [PHRASE, FILE]) expect(texts.join('\n')).not.toContain(secret)
  })

  it('are in what is exported of the buyer and not of the seller, once it is transferred', async () => {
    await anOrderIn('transferred')
    const exportOf = async ({ id }: { id: number }) =>
      nftIn(await call('GET', `/api/admin/users/${id}/data`, { token: shop.tokens.master }))
    expect(await exportOf(shop.buyer)).toMatchObject(shown)
    expect(await exportOf(shop.seller)).toMatchObject(hidden)
  })
})
