/** A run that fails, dies or stands still: still one transfer. cuts.long.test.ts has every case. */
import { describe, expect, it } from 'vitest'
import { times } from '../orders/shop.ts'
import { pass } from '../support/delivery/clock.ts'
import { itemsOf, paidItems, sellerOn } from '../support/delivery/items.ts'
import { type Mishap, Stall } from '../support/delivery/life.ts'
import { aMarketplace } from '../support/delivery/marketplace.ts'
import { aStage, LEASE } from '../support/delivery/scenes.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser } from '../support/makers.ts'

/** Half of the items are `erc721`. */
const stage = aStage(10)

describe('an item', () => {
  const critical = [
    ['it stores its transaction', /^d1 .*INSERT INTO "?transactions/is],
    ['it sends its transaction', /eth_sendRaw/],
  ] as const

  it.each(critical)('is transferred once if a run dies when %s', async (_, step) => {
    const market = aMarketplace(stage.chain())
    const item = await stage.scenes['is paid'](market)
    const [run] = await market.deliver({ mishap: { step, when: 'after', does: 'die' } })
    expect(run?.isHit).toBe(true)
    await market.settle({ how: 'lost' })
    pass(LEASE)
    await stage.expectTransferred([item])
  })

  it.each(critical)(
    'is transferred once if a run stands still before %s and others do its work',
    async (_, step) => {
      const market = aMarketplace(stage.chain())
      const item = await stage.scenes['is paid'](market)
      const stall = new Stall()
      const run = market.consume(market.queue.take(), { step, when: 'before', does: stall })
      await stall.reached
      pass(600)
      await market.runCron()
      await market.settle()
      stall.wake()
      await run
      await market.settle()
      pass(LEASE)
      await stage.expectTransferred([item])
    },
  )
})

it('twelve items are transferred once by two consumers and two cron runs at the same time', async () => {
  const market = aMarketplace(stage.chain(), { network: { itemsPerTransaction: 3 } })
  const items = await paidItems(
    stage.chain(),
    times(12, (i) =>
      i % 2 ? { standard: 'erc721' as const } : { standard: 'erc1155' as const, quantity: i + 1 },
    ),
  )
  stage.add(...items)
  market.queue.put(stage.chain())
  const messages = market.queue.take()
  await Promise.all([
    market.consume(messages),
    market.runCron(),
    market.consume(messages),
    market.runCron(),
  ])
  await market.settle({ how: 'twice' })
  await stage.expectTransferred(items)
})

describe('placing an order', () => {
  /** Orders two pieces through the API. Returns the items that this has led to. */
  async function place(mishap: Mishap) {
    const chain = stage.chain()
    const market = aMarketplace(chain)
    const [token, seller, buyer] = await Promise.all([aMasterToken(), sellerOn(chain), aUser()])
    await anAddress(buyer)
    const contract = { contractAddr: chain.contracts.erc1155, contractNetwork: chain.name }
    const nft = await anNft(seller, { ...contract, tokenId: '1' })
    const listing = await aListing(nft)
    const json = [{ nftId: nft.id, listingId: listing.id, quantity: 2, buyerUserId: buyer.id }]
    const call = { method: 'POST', path: '/api/externalOrders', token, json }
    const run = await market.request(call, mishap)
    expect(run.isHit).toBe(true)
    return { market, items: await itemsOf(buyer, 'erc1155') }
  }

  const COMMIT = /^d1 .*INSERT INTO "?deliveries/is

  it.each(['fail', 'die'] as const)('may %s before the commit: nothing is sold', async (does) => {
    const { market, items } = await place({ step: COMMIT, when: 'before', does })
    expect(items).toEqual([])
    expect(market.queue.pending()).toEqual([])
  })

  it.each([
    ['fail after the commit', { step: COMMIT, when: 'after', does: 'fail' }],
    ['die between the commit and the message', { step: COMMIT, when: 'after', does: 'die' }],
    ['fail to send the message', { step: /^send/, when: 'before', does: 'fail' }],
    ['die after it has sent the message', { step: /^send/, when: 'after', does: 'die' }],
  ] satisfies [string, Mishap][])('may %s: the item is transferred', async (_, mishap) => {
    const { market, items } = await place(mishap)
    expect(items).toHaveLength(1)
    stage.add(...items)
    await market.settle()
    await stage.expectTransferred(items)
  })
})
