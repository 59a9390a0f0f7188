import { expect, it } from 'vitest'
import { nfts } from '../../src/db/schema/catalogue.ts'
import { owedCodes } from '../../src/db/schema/content.ts'
import { deliveries, type deliveryStates } from '../../src/db/schema/delivery.ts'
import { recordWakeUps, sold } from '../orders/shop.ts'
import { call } from '../support/api.ts'
import {
  aContentFile,
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aUser,
  CONTENT,
  db,
  setRow,
} from '../support/makers.ts'
import { aSignedInVisitor, pageOf } from '../support/visitor.ts'

recordWakeUps()

/** An order of a buyer who is signed in, for an NFT with a phrase and files of these types. */
async function anOrderWith(types: readonly string[]) {
  const { visitor, user: buyer } = await aSignedInVisitor()
  await anAddress(buyer)
  const nft = await anNft(await aUser(), {
    contentRelease: 'delivered',
    secretPhrase: 'open sesame 4711',
  })
  for (const [place, type] of types.entries())
    await aContentFile(nft, { name: `file ${place}`, place, type })
  const { id: listingId } = await aListing(nft)
  const input = { nftId: nft.id, listingId, quantity: 1, buyerUserId: buyer.id }
  const { order, item } = await sold(await aMasterToken(), input)
  const setState = (state: (typeof deliveryStates)[number]) =>
    setRow(deliveries, item.id, { state })
  return { visitor, path: `/orders/${order.id}`, setState }
}

it('shows the buyer of an order its phrase and files once it is delivered', async () => {
  const { visitor, path, setState } = await anOrderWith(['audio/mpeg'])
  const file = `${path}/files/file%200`
  expect((await pageOf(visitor.get(path))).html).not.toContain('4711')
  expect((await visitor.get(file)).status).toBe(409)
  await setState('transferred')
  const { html } = await pageOf(visitor.get(path))
  expect(html).toContain('open sesame 4711')
  expect(html).toContain(`href="${file}"`)
  expect(new TextDecoder().decode(await (await visitor.get(file)).arrayBuffer())).toBe(CONTENT)
  expect((await pageOf(visitor.get('/collection'))).html).toContain(`href="${path}#content"`)
  // A fork undoes the delivery.
  await setState('queued')
  expect((await pageOf(visitor.get(path))).html).not.toContain('4711')
  expect((await visitor.get(file)).status).toBe(409)
})

it('has a player for the types that are served as audio, and for no others', async () => {
  const types = ['audio/mpeg', 'audio/x-unknown', 'video/mp4', 'audio/wav']
  const { visitor, path, setState } = await anOrderWith(types)
  await setState('transferred')
  const { html } = await pageOf(visitor.get(path))
  const players = [...html.matchAll(/<audio[^>]* src="[^"]*\/(file%20\d)"/g)].map(
    ([, name]) => name,
  )
  expect(players).toEqual(['file%200', 'file%203'])
})

/** An order of a buyer who is signed in, of an NFT with codes, these of which are there. */
async function anOrderOf(quantity: number, lines: readonly string[]) {
  const { visitor, user: buyer } = await aSignedInVisitor()
  await anAddress(buyer)
  const nft = await anNft(await aUser(), {
    ...{ contentRelease: 'delivered', hasCodes: true, amount: quantity },
  })
  const { id: listingId } = await aListing(nft)
  const token = await aMasterToken()
  const input = { nftId: nft.id, listingId, quantity, buyerUserId: buyer.id }
  /** Returns the path of an order that is delivered. */
  async function order(quantity: number) {
    await setRow(nfts, nft.id, { availableAmount: quantity })
    const { order, item } = await sold(token, { ...input, quantity })
    await setRow(deliveries, item.id, { state: 'transferred' })
    await db.insert(owedCodes).values({ nftId: nft.id, orderItemId: item.id, since: '' })
    return `/orders/${order.id}`
  }
  const path = await order(quantity)
  const body = lines.join('\n')
  await call('POST', `/api/admin/nfts/${nft.id}/codes`, { token, body })
  return { visitor, path, nft, order }
}

it('shows the buyer each code with a QR code, and how many are missing', async () => {
  const { visitor, path, nft } = await anOrderOf(3, ['ROW-4 <b>', 'ROW-5'])
  const { html } = await pageOf(visitor.get(path))
  expect(html).toContain('Your codes')
  expect(html).toContain('Show 2 codes')
  expect(html).toContain('>ROW-4 &lt;b&gt;</textarea>')
  expect(html.match(/<svg class="qr" role="img" aria-label="Code \d"/g)).toHaveLength(2)
  expect(html).toContain('One code is missing. It appears here as soon as it is there.')
  const collection = await pageOf(visitor.get('/collection'))
  expect(collection.html).toContain(`href="${path}#content"`)
  expect(collection.html).not.toContain('ROW-4')
  const { html: offer } = await pageOf(call('GET', `/nfts/${nft.id}`))
  expect(offer).toContain('A code for each piece')
  expect(offer).not.toContain('ROW-4')
})

it('shows more than 20 codes together', async () => {
  const lines = Array.from({ length: 21 }, (_, i) => `code ${i}`)
  const { visitor, path } = await anOrderOf(21, lines)
  const { html } = await pageOf(visitor.get(path))
  expect(html).toContain(`>${lines.join('\n')}</textarea>`)
  expect(html).not.toContain('class="qr"')
})
