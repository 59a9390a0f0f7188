/** Stopped or failing at any point, and going on: still one transfer. */
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { alreadyKnown, type Effect, nonceTooLow, underpriced } from '../support/chain/faults.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser } from '../support/makers.ts'
import {
  aPaidItem,
  itemsOf,
  type PaidItem,
  paidItems,
  type Standard,
  sellerOn,
} from '../support/transfers/items.ts'
import { type Mishap, Stall } from '../support/transfers/life.ts'
import { aMarketplace, impatience, pass } from '../support/transfers/marketplace.ts'
import { expectExactlyOnce, rowOf, rowsOf } from '../support/transfers/oracle.ts'

vi.setConfig({ testTimeout: 120_000 })

let chain: Chain
const sold: PaidItem[] = []

beforeAll(async () => {
  chain = await aChain({ erc721: 400, erc1155: 10_000 }, afterAll)
})

afterEach(() => chain.setFaults())

/** Every other item is of the other standard. */
async function anItem(): Promise<PaidItem> {
  const standard: Standard = sold.length % 2 === 0 ? 'erc721' : 'erc1155'
  const item = await aPaidItem(chain, { standard, quantity: standard === 'erc721' ? 1 : 3 })
  sold.push(item)
  return item
}

/** A marketplace in which the item's first message has been sent. */
async function aSale() {
  const market = aMarketplace(chain)
  const item = await anItem()
  market.queue.put(item.id)
  return { market, item }
}

async function expectTransferred(item: PaidItem) {
  expect(await rowOf(item)).toMatchObject({ status: 'transferred' })
  await expectExactlyOnce(chain, sold)
}

const READ = /^d1\s+SELECT t\.id, t\.status/
const STORE = /^d1 .*INSERT INTO transactions/s
const BROADCAST = /^rpc eth_sendRawTransaction/
const WRITE = /^d1 UPDATE transfers\s+SET status/

/** In the delivery that signs, or (`second`) in the one that finds the receipt. */
const cuts: [name: string, cut: Mishap, delivery?: 'second'][] = [
  ['it cannot be read', { step: READ, when: 'before', does: 'fail' }],
  ['killed once it is read', { step: READ, when: 'after', does: 'die' }],
  ['the node is not reached', { step: /^rpc eth_chainId/, when: 'before', does: 'fail' }],
  ['killed before nonce and bytes are stored', { step: STORE, when: 'before', does: 'die' }],
  ['nonce and bytes stored, the reply lost', { step: STORE, when: 'after', does: 'fail' }],
  ['killed between storing and sending', { step: STORE, when: 'after', does: 'die' }],
  ['not sent', { step: BROADCAST, when: 'before', does: 'fail' }],
  ['killed as it sends', { step: BROADCAST, when: 'before', does: 'die' }],
  ['sent, the answer lost', { step: BROADCAST, when: 'after', does: 'fail' }],
  ['killed between sending and writing it down', { step: BROADCAST, when: 'after', does: 'die' }],
  ['sent, but not written down', { step: WRITE, when: 'before', does: 'fail' }],
  ['sent and written down, the reply lost', { step: WRITE, when: 'after', does: 'fail' }],
  ['killed before the message is acknowledged', { step: /^ack/, when: 'before', does: 'die' }],
  ['killed after the message is acknowledged', { step: /^ack/, when: 'after', does: 'die' }],
  ['the next message is not sent', { step: /^send/, when: 'before', does: 'fail' }],
  ['mined, killed before that is written', { step: WRITE, when: 'before', does: 'die' }, 'second'],
  ['mined, but that is not written', { step: WRITE, when: 'before', does: 'fail' }, 'second'],
  ['mined and written, the reply lost', { step: WRITE, when: 'after', does: 'fail' }, 'second'],
  ['mined and written, killed', { step: WRITE, when: 'after', does: 'die' }, 'second'],
]

/** A single message has no order. */
const hows = ['twice', 'late', 'lost'] as const

describe.each(cuts)('%s', (_, cut, delivery) => {
  it.each(hows)('and messages come %s', async (how) => {
    const { market, item } = await aSale()
    if (delivery === 'second') {
      await market.deliver()
      await chain.mine()
      pass(60)
    }
    const [run] = await market.deliver({ mishap: cut })
    expect(run?.isHit).toBe(true)
    await market.settle({ how })
    await expectTransferred(item)
  })
})

const answers: [name: string, effect: Effect][] = [
  ['times out', { http: 'hang', reach: 'all' }],
  ['is 429', { http: 429, reach: 'all' }],
  ['is 503', { http: 503, reach: 'all' }],
  ['is malformed', { http: 'malformed', reach: 'all' }],
  ['says already known', { error: alreadyKnown, reach: 'all' }],
  ['says underpriced', { error: underpriced, reach: 'all' }],
  ['says nonce too low', { error: nonceTooLow, reach: 'all' }],
]

describe.each(answers)('the node has the transaction, but its answer %s', (_, effect) => {
  it.each(hows)('and messages come %s', async (how) => {
    impatience()
    const { market, item } = await aSale()
    await chain.setFaults({ on: ['eth_sendRawTransaction'], times: 1, effect })
    await market.deliver()
    await market.settle({ how })
    await expectTransferred(item)
  })
})

describe.each(answers)('the node has not got the transaction, and its answer %s', (_, effect) => {
  it('is not believed', async () => {
    impatience()
    const { market, item } = await aSale()
    const unsent = { ...effect, reach: 'none' } as Effect
    await chain.setFaults({ on: ['eth_sendRawTransaction'], times: 1, effect: unsent })
    await market.deliver()
    await market.settle()
    await expectTransferred(item)
  })
})

const fatalities = (['before', 'after'] as const).flatMap((when) =>
  (['fail', 'die'] as const).map((does) => ({ when, does })),
)

describe.each(['first', 'second'] as const)('in the %s delivery', (delivery) => {
  it.each(fatalities)('any step may $does $when its effect', async (fatality) => {
    let isStepLeft = true
    for (let step = 0; isStepLeft; step++) {
      const { market, item } = await aSale()
      if (delivery === 'second') {
        await market.deliver()
        pass(60)
      }
      const [run] = await market.deliver({ mishap: { step, ...fatality } })
      isStepLeft = run !== undefined && step < run.steps.length - 1
      await market.settle()
      await expectTransferred(item)
    }
  })
})

describe('a consumer that stands still until others have done its work', () => {
  it.each(['before', 'after'] as const)('may do so %s any step', async (when) => {
    let hasStalled = true
    for (let step = 0; hasStalled; step++) {
      const { market, item } = await aSale()
      const stall = new Stall()
      const run = market.consume(market.queue.take(), { step, when, does: stall })
      hasStalled = await Promise.race([run.then(() => false), stall.reached.then(() => true)])
      pass(600)
      await market.runCron()
      await market.settle()
      stall.wake()
      await run
      await market.settle()
      await expectTransferred(item)
    }
  })
})

describe('a batch of twelve items', () => {
  const aBatch = async () => {
    const market = aMarketplace(chain)
    const items = await paidItems(
      chain,
      Array.from({ length: 12 }, (_, i) =>
        i % 2 ? { standard: 'erc721' as const } : { standard: 'erc1155' as const, quantity: i + 1 },
      ),
    )
    sold.push(...items)
    for (const { id } of items) market.queue.put(id)
    return { market, items }
  }

  async function expectAllTransferred(items: readonly PaidItem[]) {
    const rows = await rowsOf(items)
    expect([...rows.values()].map(({ status }) => status)).toEqual(items.map(() => 'transferred'))
    await expectExactlyOnce(chain, sold)
  }

  it.each(cuts)('%s', async (_, cut) => {
    const { market, items } = await aBatch()
    await market.deliver({ mishap: cut })
    await market.settle({ how: 'reordered' })
    await expectAllTransferred(items)
  })

  it('is killed when half of it has reached the node', async () => {
    const { market, items } = await aBatch()
    const half: Effect = { http: 'drop', reach: 'half' }
    await chain.setFaults({ on: ['eth_sendRawTransaction'], times: 1, effect: half })
    await market.deliver({ mishap: { step: BROADCAST, when: 'after', does: 'die' } })
    await market.settle({ how: 'lost' })
    await expectAllTransferred(items)
  })

  it('is worked on by two consumers while the cron run is beside them', async () => {
    const { market, items } = await aBatch()
    const messages = market.queue.take()
    await Promise.all([
      market.consume(messages),
      market.runCron(),
      market.consume(messages.toReversed()),
      market.runCron(),
    ])
    await market.settle({ how: 'twice' })
    await expectAllTransferred(items)
  })
})

describe('a bump of the fee', () => {
  it.each([
    ['is stored and not sent', { step: STORE, when: 'after', does: 'die' }],
    ['is stored, the reply lost', { step: STORE, when: 'after', does: 'fail' }],
    ['is sent, and not written down', { step: BROADCAST, when: 'after', does: 'die' }],
    ['is not stored', { step: STORE, when: 'before', does: 'die' }],
  ] satisfies [string, Mishap][])('%s', async (_, cut) => {
    const own = await aChain({ erc721: 1 })
    const market = aMarketplace(own)
    const item = await aPaidItem(own, { standard: 'erc721' })
    await own.setAutomine(false)
    market.queue.put(item.id)
    await market.deliver()
    pass(120)
    const [run] = await market.deliver({ mishap: cut })
    expect(run?.isHit).toBe(true)
    await market.settle()
    expect((await rowOf(item)).status).toBe('transferred')
    await expectExactlyOnce(own, [item])
  })
})

describe('the dead-letter handler', () => {
  it.each(fatalities)('may $does $when it marks the transfer', async (fatality) => {
    const { market, item } = await aSale()
    const [letter] = market.queue.take()
    if (!letter) throw new Error('no message')
    market.queue.bury(letter)
    await market.consumeDeadLetters({ step: /^d1/, ...fatality })
    pass(300)
    await market.consumeDeadLetters()
    const row = await rowOf(item)
    expect(row.deadLetteredAt).not.toBeNull()
    expect(row.reason).toMatch(/replay/)
    await market.runCron()
    expect(market.queue.pending()).toEqual([])

    // What a replay does: it puts the id into the queue again.
    market.queue.put(item.id)
    await market.settle()
    await expectTransferred(item)
  })
})

describe('placing an order', () => {
  /** Orders two pieces through the API, cut short; answers the items that it has led to. */
  async function place(mishap: Mishap) {
    const market = aMarketplace(chain)
    const [token, seller, buyer] = await Promise.all([aMasterToken(), sellerOn(chain), aUser()])
    await anAddress(buyer)
    const contract = { contractAddr: chain.contracts.erc1155, contractNetwork: chain.name }
    const nft = await anNft(seller, { ...contract, tokenId: '1' })
    const listing = await aListing(nft)
    const element = { nftId: nft.id, listingId: listing.id, quantity: 2, buyerUserId: buyer.id }
    const run = await market.request('POST', '/api/externalOrders', token, [element], mishap)
    expect(run.isHit).toBe(true)
    return { market, items: await itemsOf(buyer, 'erc1155') }
  }

  const COMMIT = /^d1 .*INSERT INTO "?transfers/is

  it.each(['fail', 'die'] as const)('may %s before the commit: nothing is owed', async (does) => {
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
