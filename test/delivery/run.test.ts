/** When the chains are worked on: leases, messages and the cron run. */

import { env } from 'cloudflare:workers'
import { describe, expect, it } from 'vitest'
import { copies } from '../orders/shop.ts'
import { inLong } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import { rowOf } from '../support/delivery/engine.ts'
import { aPaidItem, paidItems } from '../support/delivery/items.ts'
import { type Mishap, Stall } from '../support/delivery/life.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace, type Marketplace } from '../support/delivery/marketplace.ts'

recordLogs()

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
/** Begins a run that stands still at a step. Returns what lets it go on to its end. */
async function aStalledRun(
  market: Marketplace,
  chains: readonly Chain[],
  cut: Pick<Mishap, 'step' | 'when'>,
) {
  const stall = new Stall()
  for (const chain of chains) market.queue.put(chain)
  const run = market.consume(market.queue.take(), { ...cut, does: stall })
  await stall.reached
  return () => {
    stall.wake()
    return run
  }
}

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
    const goOn = await aStalledRun(market, [chain], { step: sendingStep, when: 'after' })
    const second = await aPaidItem(chain, erc1155)
    pass(121)
    await goOn()
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
    const goOn = await aStalledRun(market, [busy, other], { step: sendingStep, when: 'after' })
    const second = await aPaidItem(busy, erc1155)
    pass(11)
    await goOn()
    await expectDelivered(other, [waiting])
    expect(await rowOf(second)).toMatchObject({ state: 'queued' })
    expect(await networkOf(busy)).toMatchObject({ lease: null })
    expect(market.queue.pending()).toMatchObject([{ chainId: busy.chainId }])
    await market.deliver()
    await expectDelivered(busy, [first, second])
  })

  inLong(
    'ends before it has used the 1,000 statements of an invocation, and a message continues its work',
    async () => {
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
    },
  )
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

  it('is kept until an item is delivered that was placed before it was released', async () => {
    const chain = await aChain({ erc1155: 2 })
    const market = aMarketplace(chain)
    const first = await aPaidItem(chain, erc1155)
    const goOn = await aStalledRun(market, [chain], { step: releasingStep, when: 'before' })
    const second = await aPaidItem(chain, erc1155)
    // The message of the order does nothing, because the lease is held.
    market.queue.put(chain)
    await market.deliver()
    await goOn()
    await expectDelivered(chain, [first, second])
    expect(await networkOf(chain)).toMatchObject({ lease: null, wakeAt: null })
  })
})

it('a message that comes early does nothing', async () => {
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
