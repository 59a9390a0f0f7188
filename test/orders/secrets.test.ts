import { beforeEach, describe, expect, it } from 'vitest'
import { deliveries, deliveryStates } from '../../src/db/schema/delivery.ts'
import { explain } from '../../src/delivery/reasons.ts'
import type { Order } from '../../src/orders/reading/schema.ts'
import { answerOf, call } from '../support/api.ts'
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
import { recordWakeUps, sold } from './shop.ts'

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
  return { creator, seller, buyer, visitor, nft, listing, tokens, input }
}

const nftIn = async (response: Promise<Response>) => {
  const { orders } = await answerOf<{ orders: Order[] }>(response)
  return orders[0]?.orderItems[0]?.nft
}

type State = (typeof deliveryStates)[number]

const setState = (itemId: number, state: State) =>
  setRow(deliveries, itemId, {
    state,
    awaits: state === 'awaiting_wallet' ? shop.buyer.id : null,
    ...(state === 'failed' && explain('transfer_failed')),
  })

/** Places an order whose delivery is in this state. */
async function anOrderIn(state: State) {
  const { order, item } = await sold(shop.tokens.master, shop.input)
  await setState(item.id, state)
  return { id: order.id, itemId: item.id }
}

const read = (token: string, { id }: { id: number }) =>
  nftIn(call('GET', `/api/externalOrders/${id}`, { token }))

describe('the phrase and the files of an NFT', () => {
  it('are null for those who place its order, also when they repeat it', async () => {
    const { tokens, input } = shop
    const headers = { 'idempotency-key': 'once' }
    const content = { token: tokens.master, json: [input], headers }
    const post = () => call('POST', '/api/externalOrders', content)
    const put = () =>
      call('PUT', '/api/externalOrders/by-number/S-1', { token: tokens.master, json: input })
    for (const send of [post, post, put, put]) expect(await nftIn(send())).toMatchObject(hidden)
  })

  it('are null for everybody while the delivery is not transferred', async () => {
    const order = await anOrderIn('queued')
    for (const state of deliveryStates.filter((state) => state !== 'transferred')) {
      await setState(order.itemId, state)
      for (const token of [shop.tokens.buyer, shop.tokens.seller, shop.tokens.master])
        expect(await read(token, order), state).toMatchObject(hidden)
    }
  })

  it('are seen by the buyer and master tokens once it is transferred, not by the seller', async () => {
    const order = await anOrderIn('transferred')
    const { buyer, seller, master } = shop.tokens
    expect(await read(buyer, order)).toMatchObject(shown)
    expect(await read(master, order)).toMatchObject(shown)
    expect(await read(seller, order)).toMatchObject(hidden)
    expect(await nftIn(call('GET', '/api/externalOrders', { token: buyer }))).toMatchObject(shown)
    const exportOf = ({ id }: { id: number }) =>
      nftIn(call('GET', `/api/admin/users/${id}/data`, { token: master }))
    expect(await exportOf(shop.buyer)).toMatchObject(shown)
    expect(await exportOf(shop.seller)).toMatchObject(hidden)
    // A fork undoes the delivery.
    await setState(order.itemId, 'queued')
    expect(await read(buyer, order)).toMatchObject(hidden)
  })

  it('are seen by a seller who has created it, once it is transferred', async () => {
    const { creator, tokens, input } = shop
    const { id: nftId } = await anNft(creator, { ...shown })
    const { id: listingId } = await aListing({ id: nftId, creatorId: creator.id })
    const { order, item } = await sold(tokens.master, { ...input, nftId, listingId })
    expect(await read(tokens.creator, order)).toMatchObject(hidden)
    await setState(item.id, 'transferred')
    expect(await read(tokens.creator, order)).toMatchObject(shown)
  })

  it('are in no other answer and on no page before', async () => {
    await db.update(deliveries).set({ state: 'queued' })
    const { id } = await anOrderIn('in_flight')
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
})
