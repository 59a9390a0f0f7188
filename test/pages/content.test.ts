import { expect, it } from 'vitest'
import { deliveries, type deliveryStates } from '../../src/db/schema/delivery.ts'
import { recordWakeUps, sold } from '../orders/shop.ts'
import {
  aContentFile,
  aListing,
  aMasterToken,
  anAddress,
  anNft,
  aUser,
  CONTENT,
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
