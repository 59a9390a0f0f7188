/** When the chains are worked on: leases, messages and the cron run. */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { copies } from '../orders/shop.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, paidItems, sellerOn } from '../support/delivery/items.ts'
import { Stall } from '../support/delivery/life.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace, type Marketplace } from '../support/delivery/marketplace.ts'
import { aListing, aMasterToken, anAddress, anNft, aUser } from '../support/makers.ts'

const logged = recordLogs()

type NetworkState = { lease: string | null; leaseUntil: string; wakeAt: string | null }

const networkOf = ({ chainId }: Chain) =>
  env.DB.prepare('SELECT lease, leaseUntil, wakeAt FROM networks WHERE chainId = ?')
    .bind(chainId)
    .first<NetworkState>()

/** Seconds from now until the chain is looked at again. */
async function secondsToWake(chain: Chain): Promise<number> {
  const { wakeAt } = (await networkOf(chain)) ?? {}
  return (Date.parse(`${wakeAt}`) - Date.now()) / 1000
}

/** Seconds from now until each message is delivered. */
const delaysOf = ({ queue }: Marketplace) =>
  queue.pending().map(({ deliverAt }) => (deliverAt - Date.now()) / 1000)

/** A chain that mines by itself, whose last 70 blocks came every so many seconds. */
async function aChainWithBlocksEvery(seconds: number, erc1155: number): Promise<Chain> {
  const chain = await aChain({ erc1155 })
  await chain.rpc('anvil_mine', '0x46', `0x${seconds.toString(16)}`)
  return chain
}

const erc1155 = { standard: 'erc1155' } as const
const sendingStep = /rpc eth_sendRawTransaction/
const releasingStep = /d1 UPDATE networks SET\s+lease = iif/

describe('a run', () => {
  it('plans nothing when nothing is left to do', async () => {
    const chain = await aChain({ erc1155: 2 })
    const market = aMarketplace(chain)
    const items = await paidItems(chain, [erc1155, erc1155])
    market.queue.put(chain)
    await market.deliver()
    await expectDelivered(chain, items)
    expect(market.queue.pending()).toEqual([])
    expect(await networkOf(chain)).toMatchObject({ lease: null, wakeAt: null })
    pass(24 * 3600)
    await market.runCron()
    expect(market.queue.pending()).toEqual([])
  })

  it('does nothing for a chain that is not configured', async () => {
    const chain = await aChain()
    const market = aMarketplace(chain)
    await market.consume([{ chainId: 1, deliverAt: 0, attempt: 1 }])
    expect(logged('unknown_chain')).toEqual([{ chainId: 1 }])
  })

  it('plans one delayed message for a wait of at most a minute, and works when it comes', async () => {
    const chain = await aChainWithBlocksEvery(3, 2)
    const market = aMarketplace(chain, { network: { finality: 4 } })
    const item = await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    await market.deliver()
    const planned = await networkOf(chain)
    const messages = [...market.queue.pending()]
    expect(await secondsToWake(chain)).toBeGreaterThan(2)
    expect(delaysOf(market)).toEqual([Math.ceil(await secondsToWake(chain))])

    // It cannot be delivered, and is looked at again after the planned time.
    pass(1)
    const waiting = await aPaidItem(chain, { ...erc1155, tokenId: '2' })
    market.queue.put(chain)
    await market.deliver()
    expect(await rowOf(waiting)).toMatchObject({ state: 'queued', reason: expect.any(String) })
    expect(market.queue.pending()).toEqual(messages)
    expect((await networkOf(chain))?.wakeAt).toBe(planned?.wakeAt)

    await chain.mine(3)
    pass(await secondsToWake(chain))
    pass(1)
    await market.deliver()
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
    expect(delaysOf(market)).toEqual([Math.ceil(await secondsToWake(chain))])
  })

  it('leaves a wait of more than a minute to the cron run', async () => {
    const chain = await aChainWithBlocksEvery(12, 1)
    const market = aMarketplace(chain, { network: { finality: 40 } })
    const item = await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    await market.deliver()
    const delay = await secondsToWake(chain)
    expect(delay).toBe(300)
    expect(market.queue.pending()).toEqual([])

    await chain.mine(39)
    pass(delay - 1)
    await market.runCron()
    expect(market.queue.pending()).toEqual([])
    pass(1)
    await market.runCron()
    expect(delaysOf(market)).toEqual([0])
    await market.deliver()
    await expectDelivered(chain, [item])
  })

  it('ends after two minutes, and a message continues its work', async () => {
    const chain = await aChain({ erc1155: 2 })
    const market = aMarketplace(chain)
    const first = await aPaidItem(chain, erc1155)
    const stall = new Stall()
    market.queue.put(chain)
    const run = market.consume(market.queue.take(), {
      step: sendingStep,
      when: 'after',
      does: stall,
    })
    await stall.reached
    const second = await aPaidItem(chain, erc1155)
    pass(121)
    stall.wake()
    await run
    expect(await networkOf(chain)).toMatchObject({ lease: null })
    expect(delaysOf(market)).toEqual([0])
    await market.deliver()
    await expectDelivered(chain, [first, second])
  })

  it('ends after ten seconds while another chain waits, and a message continues its work', async () => {
    const busy = await aChain({ erc1155: 2 })
    const other = await aChain({ erc1155: 1 })
    const market = aMarketplace(busy, { beside: [other] })
    const first = await aPaidItem(busy, erc1155)
    const waiting = await aPaidItem(other, erc1155)
    const stall = new Stall()
    market.queue.put(busy)
    market.queue.put(other)
    const run = market.consume(market.queue.take(), {
      step: sendingStep,
      when: 'after',
      does: stall,
    })
    await stall.reached
    const second = await aPaidItem(busy, erc1155)
    pass(11)
    stall.wake()
    await run
    await expectDelivered(other, [waiting])
    expect(await rowOf(second)).toMatchObject({ state: 'queued' })
    expect(await networkOf(busy)).toMatchObject({ lease: null })
    expect(market.queue.pending()).toMatchObject([{ chainId: busy.chainId }])
    await market.deliver()
    await expectDelivered(busy, [first, second])
  })

  it('ends before it has used the 1,000 statements of an invocation, and a message continues its work', async () => {
    const chain = await aChain({ erc1155: 60 })
    const market = aMarketplace(chain, {
      network: { itemsPerTransaction: 1, transactionsInFlight: 1 },
    })
    const items = await paidItems(chain, copies(60, erc1155))
    market.queue.put(chain)
    const { steps } = await market.consume(market.queue.take())
    const statements = steps.flatMap(({ kind, what }) => (kind === 'd1' ? what.split('; ') : []))
    expect(statements.length).toBeGreaterThan(700)
    expect(statements.length).toBeLessThan(1000)
    expect(await networkOf(chain)).toMatchObject({ lease: null })
    expect(delaysOf(market)).toEqual([0])
    await market.deliver()
    await expectDelivered(chain, items)
  })
})

describe('a lease', () => {
  it('lets one of two runs work', async () => {
    const chain = await aChain({ erc1155: 1 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, erc1155)
    await chain.takeCounts()
    const message = { ...chain, deliverAt: 0, attempt: 1 }
    const runs = await Promise.all([market.consume([message]), market.consume([message])])
    const sizes = runs.map(({ steps }) => steps.length).sort((a, b) => a - b)
    // It has asked for the lease, and acknowledged its message.
    expect(sizes[0]).toBe(2)
    expect(sizes[1]).toBeGreaterThan(4)
    const { calls } = await chain.takeCounts()
    expect(calls).toMatchObject({ eth_sendRawTransaction: 1 })
    await expectDelivered(chain, [item])
  })

  it('is taken over when it has ended, if its run was killed', async () => {
    const chain = await aChain({ erc1155: 1 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    const [killed] = await market.deliver({
      mishap: { step: sendingStep, when: 'before', does: 'die' },
    })
    expect(killed).toMatchObject({ died: true })
    market.queue.lose()
    const { lease } = (await networkOf(chain)) ?? {}
    expect(lease).not.toBeNull()

    pass(59)
    market.queue.put(chain)
    await market.deliver()
    await market.runCron()
    expect(delaysOf(market)).toEqual([1])
    expect(await networkOf(chain)).toMatchObject({ lease })

    pass(2)
    await market.deliver()
    pass(await secondsToWake(chain))
    pass(1)
    await market.deliver()
    await expectDelivered(chain, [item])
    expect(await transactionsOf(chain)).toHaveLength(1)
    expect(await networkOf(chain)).toMatchObject({ lease: null, wakeAt: null })
  })

  it('is kept until an item is delivered that was placed before it was released', async () => {
    const chain = await aChain({ erc1155: 2 })
    const market = aMarketplace(chain)
    const first = await aPaidItem(chain, erc1155)
    const stall = new Stall()
    market.queue.put(chain)
    const run = market.consume(market.queue.take(), {
      step: releasingStep,
      when: 'before',
      does: stall,
    })
    await stall.reached
    const second = await aPaidItem(chain, erc1155)
    // The message of the order does nothing, because the lease is held.
    market.queue.put(chain)
    await market.deliver()
    stall.wake()
    await run
    await expectDelivered(chain, [first, second])
    expect(await networkOf(chain)).toMatchObject({ lease: null, wakeAt: null })
  })

  it('is released while the chain is paused, and an item that is placed then is looked at later', async () => {
    const chain = await aChain({ erc1155: 2 })
    await chain.asOwner('pause')
    const market = aMarketplace(chain)
    const items = await paidItems(chain, [erc1155])
    market.queue.put(chain)
    await market.deliver()
    expect(await networkOf(chain)).toMatchObject({ lease: null })
    expect(delaysOf(market)).toEqual([15])
    items.push(await aPaidItem(chain, erc1155))
    await chain.asOwner('unpause')
    pass(15)
    await market.deliver()
    await expectDelivered(chain, items)
  })
})

describe('a message', () => {
  it('that comes early does nothing', async () => {
    const chain = await aChainWithBlocksEvery(12, 1)
    const market = aMarketplace(chain, { network: { finality: 4 } })
    await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    await market.deliver()
    market.queue.lose()
    await chain.takeCounts()
    pass(1)
    market.queue.put(chain)
    await market.deliver()
    expect(await chain.takeCounts()).toEqual({ requests: 0, calls: {} })
    expect(market.queue.pending()).toEqual([])
  })

  it('is acknowledged although the database fails, and the cron run makes up for it', async () => {
    const chain = await aChain({ erc1155: 1 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    const storing = /d1 .*INSERT INTO transactions/s
    const [failed] = await market.deliver({
      mishap: { step: storing, when: 'before', does: 'fail' },
    })
    expect(failed).toMatchObject({ isHit: true, error: undefined })
    expect(logged('delivery_run_failed')).toEqual([
      { chainId: chain.chainId, error: expect.stringContaining('Network connection lost') },
    ])
    expect(market.queue.pending()).toEqual([])
    expect(await rowOf(item)).toMatchObject({ state: 'queued', version: 0 })
    pass(60)
    await market.runCron()
    await market.deliver()
    await expectDelivered(chain, [item])
  })

  it('that the queue does not accept is logged, and the cron run makes up for it', async () => {
    const chain = await aChainWithBlocksEvery(12, 1)
    const market = aMarketplace(chain, { network: { finality: 4 } })
    const item = await aPaidItem(chain, erc1155)
    market.queue.put(chain)
    await market.deliver({ mishap: { step: /^send/, when: 'before', does: 'fail' } })
    expect(logged('wake_up_failed')).toEqual([
      { chainIds: [chain.chainId], error: expect.stringContaining('Network connection lost') },
    ])
    expect(market.queue.pending()).toEqual([])
    await chain.mine(3)
    // Not only after the time for which the message was meant.
    await market.runCron()
    expect(delaysOf(market)).toEqual([0])
    await market.deliver()
    await expectDelivered(chain, [item])
  })
})

it('the cron run has items compared that wait for a wallet, although no run was ever needed', async () => {
  const chain = await aChain({ erc1155: 1 })
  const market = aMarketplace(chain)
  await aPaidItem(chain, { ...erc1155, recipient: null })
  await market.runCron()
  expect(delaysOf(market)).toEqual([0])
  await market.deliver()
  await market.runCron()
  await market.deliver()
  expect(market.queue.pending()).toEqual([])
  pass(24 * 3600)
  await market.runCron()
  expect(delaysOf(market)).toEqual([0])
})

/** Places 100 orders in a call, and delivers them. Returns the number of messages. */
async function messagesOf100Orders(
  chain: Chain,
  market: Marketplace,
  onPass: () => Promise<void> = async () => {},
): Promise<number> {
  const seller = await sellerOn(chain)
  const nft = await anNft(seller, {
    contractNetwork: chain.name,
    contractAddr: chain.contracts.erc1155,
    amountType: 'unlimited',
  })
  const listing = await aListing(nft)
  const buyer = await aUser()
  await anAddress(buyer)
  const json = Array.from({ length: 100 }, () => ({
    nftId: nft.id,
    listingId: listing.id,
    quantity: 1,
    buyerUserId: buyer.id,
  }))
  const token = await aMasterToken()
  const { response } = await market.request({
    method: 'POST',
    path: '/api/externalOrders',
    token,
    json,
  })
  expect(response?.status).toBe(200)
  let messages = 0
  while (market.queue.pending().length > 0) {
    messages += market.queue.pending().length
    await market.deliver()
    pass(Math.max(0, ...delaysOf(market)))
    await onPass()
  }
  expect(await transferEvents(chain)).toHaveLength(100)
  const { results } = await env.DB.prepare(
    'SELECT DISTINCT state FROM deliveries WHERE chainId = ?',
  )
    .bind(chain.chainId)
    .all()
  expect(results).toEqual([{ state: 'transferred' }])
  return messages
}

describe('100 orders', () => {
  /** Operations of the queue that a message costs: it is written, read and deleted. */
  const OPERATIONS = 3

  it('take less than 0.2 queue operations an item where blocks come every 12 seconds', async () => {
    const chain = await aChain({ erc1155: 100 })
    await chain.setAutomine(false)
    await chain.rpc('anvil_setBlockTimestampInterval', 12)
    await chain.mine(70)
    let minedAt = Infinity
    const mineDueBlocks = async () => {
      for (; minedAt + 12_000 <= Date.now(); minedAt += 12_000) await chain.mine()
    }
    const market = aMarketplace(chain, { network: { finality: 5 }, onWait: mineDueBlocks })
    minedAt = Date.now()
    const messages = await messagesOf100Orders(chain, market, mineDueBlocks)
    // That of the orders, two while the transactions wait for a block, and one until it is final.
    expect(messages).toBe(4)
    expect((messages * OPERATIONS) / 100).toBeLessThan(0.2)
  })
})
