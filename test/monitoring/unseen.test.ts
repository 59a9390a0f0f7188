/**
 * Nothing that is stolen or stands still stays unseen: the engine and the cron run together, on a
 * real chain.
 */
import { createMessageBatch } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { eq } from 'drizzle-orm'
import { encodeFunctionData, numberToHex } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { deliveryAbi } from '../../contracts/delivery-abi.ts'
import { networks, transactions } from '../../src/db/schema/delivery.ts'
import { consume } from '../../src/delivery/run.ts'
import type { WakeUp } from '../../src/delivery/wake.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { pass } from '../support/delivery/clock.ts'
import { anEngine, networksOf, rowOf, transactionsOf } from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem } from '../support/delivery/items.ts'
import { alarmsNow, liveMinutes } from '../support/delivery/live.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { aMarketplace, type Marketplace } from '../support/delivery/marketplace.ts'
import { aRecordingQueue } from '../support/delivery/queue.ts'
import { aTransaction, db } from '../support/makers.ts'
import { detailOf, forgetAll } from './instance.ts'

recordLogs()

const MINUTE = 60
const abi = deliveryAbi
const edition = { standard: 'erc1155' } as const

beforeEach(forgetAll)

/** The contract is paused between the simulation of a transaction and its block: it reverts. */
async function revert(chain: Chain, market: Marketplace) {
  await chain.setAutomine(false)
  await market.deliver()
  await chain.rpc('eth_sendTransaction', {
    ...{ from: chain.owner, to: chain.delivery, gas: '0x20000' },
    ...{ maxFeePerGas: numberToHex(10n ** 12n), maxPriorityFeePerGas: numberToHex(10n ** 11n) },
    data: encodeFunctionData({ abi, functionName: 'pause' }),
  })
  await market.mine()
  await chain.setAutomine(true)
  pass(10)
  market.queue.put(chain)
  await market.deliver()
}

describe('a run that fails', () => {
  const leaseOf = async ({ chainId }: Chain) =>
    (await db.select().from(networks).where(eq(networks.chainId, chainId)))[0]

  /** Stores a transaction that no run can read. Returns a function that removes it. */
  async function anUnreadableTransaction({ chainId, delivery, signer }: Chain) {
    await aTransaction({ chainId, contract: delivery, signer, isOpen: true, gas: 'much', nonce: 7 })
    return () => db.delete(transactions).where(eq(transactions.gas, 'much'))
  }

  it('raises an alarm in the next minute, which ends when a run of the chain succeeds', async () => {
    const chain = await aChain({ erc1155: 1 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, edition)
    const remove = await anUnreadableTransaction(chain)
    market.queue.put(chain)
    await market.deliver()
    const failedSince = new Date().toISOString()
    const problem = 'SyntaxError: Cannot convert much to a BigInt'
    // The next run need not wait until the lease has expired.
    expect(await leaseOf(chain)).toMatchObject({ lease: null, wakeAt: failedSince, failedSince })
    const key = `run_failed:${chain.chainId}`
    expect(await liveMinutes(market, 1)).toEqual([key])
    expect(await liveMinutes(market, 2)).toEqual([key])
    const since = failedSince.slice(0, 16).replace('T', ' ')
    expect(await detailOf(key)).toBe(
      `The runs of ${chain.name} fail since ${since} UTC: ${problem}.`,
    )
    expect(await leaseOf(chain)).toMatchObject({ failedSince, problem })
    await remove()
    expect(await liveMinutes(market, 2)).toEqual([])
    expect(await leaseOf(chain)).toMatchObject({ lease: null, failedSince: null, problem: null })
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  })

  it('raises the alarm when it is killed twice before it releases its lease', async () => {
    const chain = await aChain({ erc1155: 1 })
    const market = aMarketplace(chain)
    const item = await aPaidItem(chain, edition)
    const kill = { step: /d1 .*INSERT INTO transactions/s, when: 'before', does: 'die' } as const
    market.queue.put(chain)
    await market.deliver({ mishap: kill })
    market.queue.lose()
    pass(2 * MINUTE)
    await market.runCron()
    // One that is killed may be a deployment.
    expect(await alarmsNow()).toEqual([])
    await market.deliver({ mishap: kill })
    market.queue.lose()
    await market.runCron()
    expect(await alarmsNow()).toEqual([`run_failed:${chain.chainId}`])
    expect(await liveMinutes(market, 3)).toEqual([])
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  })

  it('lets the other chains of its batch be worked on', async () => {
    const [failing, chain] = [await aChain(), await aChain({ erc1155: 1 })]
    const item = await aPaidItem(chain, edition)
    await aPaidItem(failing, edition)
    await anUnreadableTransaction(failing)
    const messages = [failing, chain].map(({ chainId }, i) => ({
      ...{ id: `message-${i}`, timestamp: new Date(), attempts: 1, body: { chainId } },
    }))
    const batch = createMessageBatch<WakeUp>('marketplace-deliveries', messages)
    const NETWORKS = networksOf([failing, chain])
    await consume(batch, { ...env, NETWORKS, DELIVERIES: aRecordingQueue().queue }, async () => {})
    expect(await leaseOf(failing)).toMatchObject({ failedSince: expect.any(String) })
    expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  })
})

it('transactions that revert as a whole pause their signer after three in a row, for a minute and then for longer, with an alarm', async () => {
  const chain = await aChain({ erc1155: 10 })
  const market = aMarketplace(chain)
  const item = await aPaidItem(chain, edition)
  const key = `signer_paused:${chain.chainId}:${chain.signer}`
  const count = async () => (await transactionsOf(chain)).length

  market.queue.put(chain)
  for (const expected of [1, 2, 3]) {
    await revert(chain, market)
    await chain.asOwner('unpause')
    expect(await count()).toBe(expected)
    expect(await alarmsNow()).toEqual([])
    if (expected < 3) pass(20)
    market.queue.put(chain)
  }
  // It pauses for a minute, although the contract would deliver.
  pass(20)
  market.queue.put(chain)
  await market.deliver()
  expect(await count()).toBe(3)
  await market.runCron()
  expect(await alarmsNow()).toEqual([key])
  expect(await detailOf(key)).toMatch(
    new RegExp(
      `^3 transactions of the signer ${chain.signer} on chain ${chain.chainId} reverted in a row\\. It pauses until [-\\d]+ [:\\d]+ UTC\\.$`,
    ),
  )
  expect(await rowOf(item)).toMatchObject({ state: 'queued', tries: 0, withoutEffect: 3 })

  // The item waits for an operator, because three transactions had no effect. Others go on.
  const other = await aPaidItem(chain, edition)
  pass(60)
  market.queue.put(chain)
  await revert(chain, market)
  await chain.asOwner('unpause')
  expect(await count()).toBe(4)
  // Now for two minutes.
  pass(90)
  market.queue.put(chain)
  await market.deliver()
  expect(await count()).toBe(4)
  await liveMinutes(market, 2)
  expect(await count()).toBe(5)
  expect(await liveMinutes(market, 1)).toEqual([])
  expect(await rowOf(other)).toMatchObject({ state: 'transferred' })
  expect(await rowOf(item)).toMatchObject({
    state: 'queued',
    reasonCode: 'transfer_without_effect',
  })
  await anEngine(chain).retry(item)
  await liveMinutes(market, 1)
  expect(await rowOf(item)).toMatchObject({ state: 'transferred' })
  expect(deliveriesOf(item, await transferEvents(chain))).toHaveLength(1)
})
