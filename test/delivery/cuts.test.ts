/** A run that fails, dies or stands still at any point: still one transfer. */
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { alreadyKnown, type Effect, nonceTooLow, underpriced } from '../support/chain/faults.ts'
import { pass } from '../support/delivery/clock.ts'
import { rowOf } from '../support/delivery/engine.ts'
import {
  aPaidItem,
  itemsOf,
  type PaidItem,
  paidItems,
  sellerOn,
} from '../support/delivery/items.ts'
import { type Mishap, Stall } from '../support/delivery/life.ts'
import { aMarketplace, type How, type Marketplace } from '../support/delivery/marketplace.ts'
import { expectExactlyOnce } from '../support/delivery/oracle.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser } from '../support/makers.ts'

vi.setConfig({ testTimeout: 180_000 })

let chain: Chain
let sold: PaidItem[] = []

/** Each group of tests has a chain of its own. */
const startChain = () =>
  beforeAll(async () => {
    sold = []
    chain = await aChain({ erc721: 200, erc1155: 10_000 }, afterAll)
  })

/** After this time, a run that has stopped does not hold the lease any more. */
const LEASE = 61

/** Every other item has the other standard. */
async function anItem(): Promise<PaidItem> {
  const item = await aPaidItem(
    chain,
    sold.length % 2 === 0 ? { standard: 'erc721' } : { standard: 'erc1155', quantity: 3 },
  )
  sold.push(item)
  return item
}

/** What an item may be in when a run begins. Each leaves a message. */
type Scene = (market: Marketplace) => Promise<PaidItem>

const GWEI = 10n ** 9n
const hex = (value: bigint) => `0x${value.toString(16)}`

const isPaid: Scene = async ({ queue }) => {
  const item = await anItem()
  queue.put(chain)
  return item
}

/** Its transaction waits for a block. */
const isSent: Scene = async (market) => {
  await chain.setAutomine(false)
  const item = await isPaid(market)
  await market.deliver()
  expect(await rowOf(item)).toMatchObject({ state: 'in_flight' })
  market.queue.put(chain)
  pass(10)
  return item
}

const isMined: Scene = async (market) => {
  const item = await isSent(market)
  await market.mine()
  await chain.setAutomine(true)
  return item
}

const isUnderpriced: Scene = async (market) => {
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(GWEI))
  await market.mine()
  const item = await isSent(market)
  await chain.rpc('anvil_setNextBlockBaseFeePerGas', hex(20n * GWEI))
  await market.mine()
  return item
}

const isDelivered: Scene = async (market) => {
  const item = await isPaid(market)
  await market.deliver()
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  return item
}

/** Its block was final and is gone. */
const isReorganized: Scene = async (market) => {
  const item = await isDelivered(market)
  await chain.rpc('anvil_reorg', 1, [])
  // Something else has to be done on this chain, or it is not looked at.
  await isPaid(market)
  return item
}

/** The chain has recorded its key, but the database was set back to the time before. */
const isForgotten: Scene = async (market) => {
  const item = await isDelivered(market)
  const at = new Date().toISOString()
  await env.DB.batch([
    env.DB.prepare(
      `UPDATE deliveries SET state = 'queued', dueAt = ?2, transactionId = NULL, contract = NULL
       WHERE id = ?1`,
    ).bind(item.id, at),
    env.DB.prepare('DELETE FROM transactions WHERE items = json_array(?)').bind(item.id),
  ])
  market.queue.put(chain)
  return item
}

const scenes = Object.entries({
  'is paid': isPaid,
  'is sent': isSent,
  'is mined': isMined,
  'is underpriced': isUnderpriced,
  'was reorganized': isReorganized,
  'was forgotten': isForgotten,
})

async function expectTransferred(item: PaidItem, at?: string) {
  expect(await rowOf(item), at).toMatchObject({ state: 'transferred' })
  await expectExactlyOnce(chain, sold)
}

/** What happens to messages after the mishap, one after another. */
const hows: readonly How[] = ['once', 'twice', 'late', 'lost']

/** To die before a step is the same as to die after the step before it. */
const fatalities = [
  { does: 'fail', when: 'before' },
  { does: 'fail', when: 'after' },
  { does: 'die', when: 'after' },
] as const

describe.each(scenes)('an item that %s', (_, scene) => {
  startChain()

  it.each(fatalities)('is transferred once if a run may $does $when any step', async (fatality) => {
    let isStepLeft = true
    for (let step = 0; isStepLeft; step++) {
      const market = aMarketplace(chain)
      const item = await scene(market)
      const runs = await market.deliver({ mishap: { step, ...fatality } })
      isStepLeft = runs[0]?.isHit ?? false
      await chain.setAutomine(true)
      await market.settle({ how: hows[step % hows.length] ?? 'once' })
      pass(LEASE)
      await expectTransferred(item, `step ${step}: ${runs[0]?.steps[step]?.what}`)
    }
  })

  it('is transferred once if a run stands still before any step and others do its work', async () => {
    let hasStalled = true
    // Step 0 is the acknowledgement of the message, which is not waited for.
    for (let step = 1; hasStalled; step++) {
      const market = aMarketplace(chain)
      const item = await scene(market)
      const stall = new Stall()
      const run = market.consume(market.queue.take(), { step, when: 'before', does: stall })
      hasStalled = await Promise.race([run.then(() => false), stall.reached.then(() => true)])
      pass(600)
      await chain.setAutomine(true)
      await market.runCron()
      await market.settle()
      stall.wake()
      await run
      await market.settle()
      pass(LEASE)
      await expectTransferred(item, `step ${step}`)
    }
  })
})

const BROADCAST = ['eth_sendRawTransaction']

const answers: [name: string, effect: (reach: 'none' | 'all') => Effect][] = [
  ['times out', (reach) => ({ http: 'hang', reach })],
  ['is 429', (reach) => ({ http: 429, reach })],
  ['is 503', (reach) => ({ http: 503, reach })],
  ['is malformed', (reach) => ({ http: 'malformed', reach })],
  ['is "already known"', (reach) => ({ error: alreadyKnown, reach })],
  ['is "underpriced"', (reach) => ({ error: underpriced, reach })],
  ['is "nonce too low"', (reach) => ({ error: nonceTooLow, reach })],
]

describe.each(answers)('when the answer to a broadcast %s', (_, effectOf) => {
  startChain()

  it.each([
    ['the node has the transaction', 'all'],
    ['the node does not have the transaction', 'none'],
  ] as const)('the item is transferred once although %s', async (_, reach) => {
    const market = aMarketplace(chain)
    const item = await isPaid(market)
    await chain.setFaults({ on: BROADCAST, times: 1, effect: effectOf(reach) })
    await market.deliver()
    await market.settle()
    await expectTransferred(item)
  })
})

describe('twelve items', () => {
  startChain()

  const twelve = async () => {
    const market = aMarketplace(chain, { network: { itemsPerTransaction: 3 } })
    const items = await paidItems(
      chain,
      Array.from({ length: 12 }, (_, i) =>
        i % 2 ? { standard: 'erc721' as const } : { standard: 'erc1155' as const, quantity: i + 1 },
      ),
    )
    sold.push(...items)
    market.queue.put(chain)
    return { market, items }
  }

  it('are transferred once if half of their transactions reach the node and the run dies', async () => {
    const { market, items } = await twelve()
    await chain.setFaults({ on: BROADCAST, times: 1, effect: { http: 'drop', reach: 'half' } })
    await market.deliver({ mishap: { step: /eth_sendRaw/, when: 'after', does: 'die' } })
    await market.settle({ how: 'lost' })
    for (const item of items) await expectTransferred(item)
  })

  it('are transferred once by two consumers and two cron runs at the same time', async () => {
    const { market, items } = await twelve()
    const messages = market.queue.take()
    await Promise.all([
      market.consume(messages),
      market.runCron(),
      market.consume(messages),
      market.runCron(),
    ])
    await market.settle({ how: 'twice' })
    for (const item of items) await expectTransferred(item)
  })
})

describe('placing an order', () => {
  startChain()

  /** Orders two pieces through the API. Returns the items that this has led to. */
  async function place(mishap: Mishap) {
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
    sold.push(...items)
    await market.settle()
    for (const item of items) await expectTransferred(item)
  })
})
