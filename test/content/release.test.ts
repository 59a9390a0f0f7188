import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, it } from 'vitest'
import { signDownload } from '../../src/auth/tokens.ts'
import { contentFiles, downloads } from '../../src/db/schema/content.ts'
import { deliveries, deliveryStates } from '../../src/db/schema/delivery.ts'
import { recordWakeUps, sold } from '../orders/shop.ts'
import { answerOf, call } from '../support/api.ts'
import {
  aContentFile,
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aShopToken,
  aToken,
  aUser,
  CONTENT,
  CONTENT_SHA256,
  db,
  issuer,
  setRow,
} from '../support/makers.ts'

recordWakeUps()

type Content = { phrase: string | null; files: { name: string; url: string }[]; expiresAt: string }

let shop: Awaited<ReturnType<typeof aDelivered>>
beforeEach(async () => {
  await db.delete(downloads)
  shop = await aDelivered('delivered')
})

/** A delivered order of an NFT with a phrase and a file, which its seller has not created. */
async function aDelivered(contentRelease: 'delivered' | 'holder') {
  const [creator, seller, buyer] = [await aUser(), await aUser(), await aUser()]
  await anAddress(buyer)
  const nft = await anNft(creator, { contentRelease, secretPhrase: 'open sesame 4711' })
  const file = await aContentFile(nft, { name: 'Lied "Ü".mp3' })
  const listing = await aListing(nft, { sellerId: seller.id })
  const master = await aMasterToken()
  const tokens = {
    buyer: await aToken(buyer),
    creator: await aToken(creator),
    seller: await aToken(seller),
    other: await aToken(await aUser()),
    shop: await aShopToken('Shop'),
    master,
  }
  const input = { nftId: nft.id, listingId: listing.id, quantity: 1, buyerUserId: buyer.id }
  const { order, item } = await sold(master, input)
  const setState = (state: (typeof deliveryStates)[number]) =>
    setRow(deliveries, item.id, { state, awaits: state === 'awaiting_wallet' ? buyer.id : null })
  await setState('transferred')
  return { buyer, nft, file, tokens, order, item, setState }
}

const contentFor = (token: string | undefined, id = shop.order.id) =>
  answerOf<Content & { code?: string; error?: string }>(
    call('GET', `/api/externalOrders/${id}/content`, { ...(token && { token }) }),
  )

const load = (url: string, headers = {}) => {
  const { pathname, search } = new URL(url)
  return call('GET', pathname + search, { headers })
}

async function urlOf(token = shop.tokens.buyer) {
  const { files } = await contentFor(token)
  return files[0]?.url ?? ''
}

describe('the content of an order', () => {
  it('is for the buyer and master tokens once it is delivered, and for nobody else', async () => {
    const { tokens } = shop
    for (const token of [tokens.buyer, tokens.master])
      expect(await contentFor(token)).toMatchObject({
        status: 200,
        phrase: 'open sesame 4711',
        files: [{ name: 'Lied "Ü".mp3', type: 'audio/mpeg', bytes: 8, sha256: CONTENT_SHA256 }],
      })
    expect(await contentFor(tokens.seller)).toMatchObject({ status: 403, code: 'forbidden' })
    for (const token of [tokens.other, tokens.creator])
      expect(await contentFor(token)).toMatchObject({ status: 400, code: 'order_not_found' })
    expect(await contentFor(tokens.shop)).toMatchObject({ status: 403, code: 'forbidden' })
    expect(await contentFor(undefined)).toMatchObject({ status: 401 })
    expect(await contentFor(tokens.buyer, 999_999)).toMatchObject({ code: 'order_not_found' })
  })

  it('is for nobody in any other state of the delivery', async () => {
    const { tokens, setState } = shop
    const url = await urlOf()
    for (const state of deliveryStates.filter((state) => state !== 'transferred')) {
      await setState(state)
      for (const token of [tokens.buyer, tokens.master])
        expect(await contentFor(token), state).toMatchObject({ status: 409, code: 'not_delivered' })
      // A URL that was given before a fork has undone the delivery.
      expect((await load(url)).status, state).toBe(404)
    }
  })

  it('is shown in the order, in the shape of the contract', async () => {
    const { tokens, order, nft } = shop
    const read = async (token: string) => {
      const { orders } = await answerOf<{
        orders: { orderItems: { nft: { secretPhrase: unknown; payload: object } }[] }[]
      }>(call('GET', `/api/externalOrders/${order.id}`, { token }))
      return orders[0]?.orderItems[0]?.nft
    }
    expect(await read(tokens.buyer)).toMatchObject({
      secretPhrase: 'open sesame 4711',
      payload: {
        downloadableAsset: [
          {
            key: `${nft.id}/Lied "Ü".mp3`,
            nftId: nft.id,
            public: false,
            altName: 'Lied "Ü".mp3',
            checksum: CONTENT_SHA256,
            fileName: 'Lied "Ü".mp3',
            fileType: 'audio/mpeg',
            publicUrl: null,
            downloadable: true,
          },
        ],
      },
    })
    expect(await read(tokens.seller)).toMatchObject({ secretPhrase: null })
    expect((await read(tokens.seller))?.payload).not.toHaveProperty('downloadableAsset')
  })

  it('of holders is not for the buyer: they may have sold it', async () => {
    const { tokens, order } = await aDelivered('holder')
    expect(await contentFor(tokens.buyer, order.id)).toMatchObject({
      status: 403,
      error: expect.stringContaining('who holds the token gets this content'),
    })
    expect(await contentFor(tokens.master, order.id)).toMatchObject({ status: 200 })
    const answer = call('GET', `/api/externalOrders/${order.id}`, { token: tokens.buyer })
    expect(await (await answer).text()).not.toContain('4711')
  })
})

describe('a file', () => {
  it('is loaded at its URL, and is never cached or run', async () => {
    const response = await load(await urlOf())
    expect(response.status).toBe(200)
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-store',
      'content-disposition': `attachment; filename*=UTF-8''Lied%20%22%C3%9C%22.mp3`,
      'content-length': '8',
      'content-type': 'audio/mpeg',
      'cross-origin-resource-policy': 'cross-origin',
      etag: `"${CONTENT_SHA256}"`,
      'x-content-type-options': 'nosniff',
    })
    expect(await response.text()).toBe(CONTENT)
  })

  it('is only saved if it is not audio', async () => {
    const { nft } = shop
    for (const type of ['text/html', 'image/svg+xml', 'audio/x-html'])
      await aContentFile(nft, { name: type, type })
    const { files } = await contentFor(shop.tokens.buyer)
    for (const { url } of files.slice(1))
      expect((await load(url)).headers.get('content-type')).toBe('application/octet-stream')
  })

  it('is loaded in parts', async () => {
    const url = await urlOf()
    const part = async (headers: Record<string, string>) => {
      const response = await load(url, headers)
      return [response.status, response.headers.get('content-range'), await response.text()]
    }
    const etag = `"${CONTENT_SHA256}"`
    expect(await part({ range: 'bytes=0-1' })).toEqual([206, 'bytes 0-1/8', 'la'])
    expect(await part({ range: 'bytes=3-' })).toEqual([206, 'bytes 3-7/8', 'la la'])
    expect(await part({ range: 'bytes=-2' })).toEqual([206, 'bytes 6-7/8', 'la'])
    expect(await part({ range: 'bytes=6-99' })).toEqual([206, 'bytes 6-7/8', 'la'])
    expect(await part({ range: 'bytes=8-' })).toEqual([
      ...[416, 'bytes */8'],
      expect.stringContaining('"code":"range_not_satisfiable"'),
    ])
    expect(await part({ range: 'bytes=0-1,3-4' })).toEqual([200, null, CONTENT])
    expect(await part({ range: 'bytes=5-3' })).toEqual([200, null, CONTENT])
    expect(await part({ range: 'bytes=3-', 'if-range': etag })).toEqual([
      206,
      'bytes 3-7/8',
      'la la',
    ])
    expect(await part({ range: 'bytes=3-', 'if-range': '"old"' })).toEqual([200, null, CONTENT])
    for (const known of [etag, `"old", W/${etag}`, '*'])
      expect(await part({ 'if-none-match': known })).toEqual([304, null, ''])
    const { pathname, search } = new URL(url)
    const head = await call('HEAD', pathname + search, { headers: { range: 'bytes=3-' } })
    expect([head.status, head.headers.get('content-length')]).toEqual([200, '8'])
  })

  it('is not loaded with a URL that has expired, was changed, or is of another instance', async () => {
    const { file, item, buyer } = shop
    const claims = { key: file.key, item: item.id, user: buyer.id }
    const soon = new Date(Date.now() + 60_000)
    const status = async (token: string) => (await load(`https://x/files/a?token=${token}`)).status
    expect(await status(await signDownload(issuer, claims, soon))).toBe(200)
    expect(await status(await signDownload(issuer, claims, new Date(Date.now() - 1000)))).toBe(410)
    const other = { ...issuer, url: 'https://other.example' }
    expect(await status(await signDownload(other, claims, soon))).toBe(410)
    const url = await urlOf()
    expect((await load(`${url.slice(0, -3)}abc`)).status).toBe(410)
    // A token of the API, and one of another file or item.
    expect(await status(shop.tokens.master)).toBe(410)
    expect(await status(await signDownload(issuer, { ...claims, key: 'x' }, soon))).toBe(404)
    expect(await status(await signDownload(issuer, { ...claims, item: 999 }, soon))).toBe(404)
    expect(await status(await signDownload(issuer, { ...claims, item: null }, soon))).toBe(404)
  })

  it('expires after five minutes', async () => {
    const { expiresAt } = await contentFor(shop.tokens.buyer)
    const minutes = (Date.parse(expiresAt) - Date.now()) / 60_000
    expect(minutes).toBeGreaterThan(4.5)
    expect(minutes).toBeLessThanOrEqual(5)
  })

  it('is counted by day for its buyer, once for all of its parts', async () => {
    const url = await urlOf()
    await load(url)
    await load(url, { range: 'bytes=0-1' })
    await load(url, { range: 'bytes=0-4' })
    await load(url, { range: 'bytes=5-' })
    const { nft, buyer, item } = shop
    expect(await db.select().from(downloads)).toEqual([
      {
        ...{ day: new Date().toISOString().slice(0, 10), nftId: nft.id, name: 'Lied "Ü".mp3' },
        ...{ userId: buyer.id, orderItemId: item.id, count: 2 },
      },
    ])
  })

  it('is not there if its object is lost, or another version has replaced it', async () => {
    const url = await urlOf()
    await env.CONTENT.delete(shop.file.key)
    expect((await load(url)).status).toBe(404)
    await env.CONTENT.put(shop.file.key, CONTENT)
    expect((await load(url)).status).toBe(200)
    await db.update(contentFiles).set({ state: 'removed' })
    expect((await load(url)).status).toBe(404)
  })
})
