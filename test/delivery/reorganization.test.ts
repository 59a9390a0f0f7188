/** What the engine does when the chain drops blocks. */

import { env } from 'cloudflare:workers'
import { encodeFunctionData, parseAbi } from 'viem'
import { beforeEach, describe, expect, it } from 'vitest'
import { explain } from '../../src/delivery/reasons.ts'
import { stockOfItem } from '../admin/operator.ts'
import { firstCases } from '../support/cases.ts'
import { aChain, type Chain } from '../support/chain/chain.ts'
import { expectDelivered } from '../support/delivery/delivered.ts'
import {
  anEngine,
  type NetworkSettings,
  type Row,
  rowOf,
  transactionsOf,
} from '../support/delivery/engine.ts'
import { deliveriesOf, transferEvents } from '../support/delivery/events.ts'
import { aPaidItem, type PaidItem } from '../support/delivery/items.ts'
import { recordLogs } from '../support/delivery/log-lines.ts'
import { restore, takeSnapshot } from '../support/delivery/snapshot.ts'

const logged = recordLogs()

/** A chain that makes blocks only when the test mines them, a second after each other. */
async function aSlowChain(): Promise<Chain> {
  const chain = await aChain({ erc1155: 10 })
  await chain.setAutomine(false)
  await chain.rpc('anvil_setBlockTimestampInterval', 1)
  await chain.mine()
  return chain
}

const anItem = (chain: Chain) => aPaidItem(chain, { standard: 'erc1155' })

type Engine = ReturnType<typeof anEngine>

/** Seconds after the start of each engine. Every step comes later than the last one. */
let time = 0
beforeEach(() => {
  time = 0
})
function aStep(engine: Engine) {
  time += 10
  return engine.step(time)
}

/** Signs the items, mines their transaction, and settles them if that block is final. */
async function deliver(chain: Chain, engine: Engine) {
  await aStep(engine)
  await chain.mine()
  await aStep(engine)
}

const newest = async (chain: Chain) => {
  const transaction = (await transactionsOf(chain)).at(-1)
  if (!transaction) throw new Error('there is no transaction')
  return transaction
}

const bytesOf = (chain: Chain, { hash }: { hash: string }) =>
  chain.rpc('debug_getRawTransaction', hash)

const heightOf = async (chain: Chain) => Number(await chain.rpc('eth_blockNumber'))

it('a reorganization of blocks that are not final sends the same bytes again', async () => {
  const chain = await aSlowChain()
  const item = await anItem(chain)
  const engine = anEngine(chain, { finality: 3 })
  await deliver(chain, engine)
  const mined = await newest(chain)
  expect(mined.block).toBe(await heightOf(chain))

  await chain.rpc('anvil_reorg', 1, [])
  expect(await chain.rpc('eth_getTransactionByHash', mined.hash)).toBeNull()
  await aStep(engine)
  await aStep(engine)
  expect(await transactionsOf(chain)).toEqual([
    { ...mined, block: null, blockHash: null, updatedAt: expect.any(String) },
  ])
  expect(await chain.rpc('eth_getTransactionByHash', mined.hash)).toMatchObject({
    blockNumber: null,
  })
  await chain.mine(3)
  await aStep(engine)
  await expectDelivered(chain, [item])
  expect(await transactionsOf(chain)).toHaveLength(1)
})

describe('a reorganization of final blocks', () => {
  it('delivers the items above the fork again, and leaves those below it alone', async () => {
    const chain = await aSlowChain()
    const engine = anEngine(chain)
    const below = await anItem(chain)
    await deliver(chain, engine)
    const rowBelow = await rowOf(below)
    const above = await anItem(chain)
    await deliver(chain, engine)
    const lost = await newest(chain)
    await expectDelivered(chain, [below, above])
    await chain.mine(2)
    await chain.rpc('anvil_reorg', 3, [])

    const next = await anItem(chain)
    await aStep(engine)
    expect(logged('chain_reorganized')).toMatchObject([{ settledBlock: lost.block, items: 1 }])
    expect(await rowOf(above)).toMatchObject({ state: 'queued', contract: chain.delivery })
    await deliver(chain, engine)
    await expectDelivered(chain, [below, above, next])
    expect(await rowOf(below)).toEqual(rowBelow)
    expect(await rowOf(above)).not.toMatchObject({ txId: lost.hash })
    expect(await anEngine(chain).step(time)).toBeNull()
  })

  it('recognises a transaction that the new fork has, too', async () => {
    const chain = await aSlowChain()
    const engine = anEngine(chain)
    const item = await anItem(chain)
    await deliver(chain, engine)
    const mined = await newest(chain)
    const bytes = await bytesOf(chain, mined)
    await chain.mine(2)
    await chain.rpc('anvil_reorg', 3, [[bytes, 1]])
    await aStep(engine)
    expect(await rowOf(item)).toMatchObject({ state: 'queued' })
    await aStep(engine)
    await expectDelivered(chain, [item])
    expect(await rowOf(item)).toMatchObject({ txId: mined.hash })
    expect(await newest(chain)).toMatchObject({ hash: mined.hash, block: Number(mined.block) + 1 })
    expect(Number(await chain.rpc('eth_getTransactionCount', chain.signer, 'pending'))).toBe(1)
  })

  it('cancels an item again that was settled by its key alone, and returns its pieces once', async () => {
    const chain = await aSlowChain()
    const engine = anEngine(chain)
    await anItem(chain)
    await deliver(chain, engine)
    const item = await aPaidItem(chain, { standard: 'erc1155', quantity: 3 })
    const stock = () => stockOfItem(item.id)
    expect(await stock()).toBe(99)
    await engine.cancel(item)
    const snapshot = await takeSnapshot()
    await deliver(chain, engine)
    await restore(snapshot)
    await aStep(engine)
    const cancelled = {
      state: 'cancelled',
      requestedAction: 'cancel',
      reasonCode: 'cancelled',
    } satisfies Partial<Row>
    const mined = await newest(chain)
    expect(await rowOf(item)).toMatchObject({ ...cancelled, txId: mined.hash })
    expect(await stock()).toBe(102)

    await chain.mine(2)
    await chain.rpc('anvil_reorg', 3, [])
    await aStep(engine)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', requestedAction: 'cancel' })
    await deliver(chain, engine)
    const again = await newest(chain)
    expect(again.hash).not.toBe(mined.hash)
    expect(await rowOf(item)).toMatchObject({ ...cancelled, txId: again.hash })
    expect(await stock()).toBe(102)
    expect(deliveriesOf(item, await transferEvents(chain))).toEqual([])
  })
})

describe('a failed item whose block was reorganised away', () => {
  /** What events tell of its end. */
  const eventsOf = async ({ id }: PaidItem) =>
    (
      await env.DB.prepare(
        `SELECT type, data ->> 'reasonCode' AS reasonCode FROM events
         WHERE itemId = ? AND type IN ('order.failed', 'order.cancelled') ORDER BY id`,
      )
        .bind(id)
        .all()
    ).results

  /** A token that moves nothing, until it is told to say that it does. */
  async function aBrokenToken(chain: Chain) {
    await chain.setAutomine(true)
    const contract = await chain.aMaliciousToken({ answer: 'accepts' })
    await chain.setAutomine(false)
    return {
      contract,
      mend: () =>
        chain.rpc('eth_sendTransaction', {
          ...{ from: chain.owner, to: contract, gas: '0x20000' },
          data: encodeFunctionData({ abi: parseAbi(['function setLies(bool)']), args: [true] }),
        }),
    }
  }

  it('can be retried, and no more be written off', async () => {
    const chain = await aSlowChain()
    const engine = anEngine(chain)
    const token = await aBrokenToken(chain)
    const below = await anItem(chain)
    await deliver(chain, engine)
    const item = await aPaidItem(chain, { standard: 'erc1155', contract: token.contract })
    await deliver(chain, engine)
    const reasonCode = 'token_moved_nothing'
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode })
    await engine.retry(item)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode })

    await chain.rpc('anvil_reorg', 1, [])
    await token.mend()
    await chain.mine(2)
    await engine.release(time)
    await anItem(chain)
    for (let steps = 0; steps < 3; steps++) await aStep(engine)
    expect(await rowOf(item)).toMatchObject({
      state: 'failed',
      ...explain('transfer_failed', 'the chain has dropped its block'),
    })
    expect(await eventsOf(item)).toEqual([
      { type: 'order.failed', reasonCode },
      { type: 'order.failed', reasonCode: 'transfer_failed' },
    ])
    await engine.retry(item)
    expect(await rowOf(item)).toMatchObject({ state: 'queued', requestedAction: 'deliver' })
    await deliver(chain, engine)
    expect(await rowOf(item)).toMatchObject({ state: 'transferred', reason: null })
    expect(await rowOf(below)).toMatchObject({ state: 'transferred' })
  })

  it('is cancelled if that was requested while a transaction carried it', async () => {
    const chain = await aSlowChain()
    const engine = anEngine(chain)
    const { contract } = await aBrokenToken(chain)
    await anItem(chain)
    await deliver(chain, engine)
    const item = await aPaidItem(chain, { standard: 'erc1155', contract })
    await aStep(engine)
    await engine.cancel(item)
    await chain.mine()
    await aStep(engine)
    expect(await rowOf(item)).toMatchObject({ state: 'failed', reasonCode: 'token_moved_nothing' })

    const { queuedAt: paidAt } = await rowOf(item)
    await chain.rpc('anvil_reorg', 1, [])
    await chain.mine(2)
    await engine.release(time)
    for (let steps = 0; steps < 2; steps++) await aStep(engine)
    const queued = await rowOf(item)
    expect(queued).toMatchObject({ state: 'queued', requestedAction: 'cancel', txId: null })
    // An alarm tells of items by the time for which they have waited.
    expect(`${queued.queuedAt}` > `${paidAt}`).toBe(true)
    for (let steps = 0; steps < 4; steps++) await deliver(chain, engine)
    expect(await rowOf(item)).toMatchObject({ state: 'cancelled', reasonCode: 'cancelled' })
    expect(await eventsOf(item)).toEqual([
      { type: 'order.failed', reasonCode: 'token_moved_nothing' },
      { type: 'order.cancelled', reasonCode: 'cancelled' },
    ])
  })
})

describe('a node that proves nothing', () => {
  async function aSettledItem(settings: (chain: Chain) => NetworkSettings = () => ({})) {
    const chain = await aSlowChain()
    const engine = anEngine(chain, settings(chain))
    const item = await anItem(chain)
    await deliver(chain, engine)
    await expectDelivered(chain, [item])
    return { chain, engine, item, row: await rowOf(item) }
  }

  it('is behind the settled block: nothing is done until it has caught up', async () => {
    const { chain, engine, item, row } = await aSettledItem()
    const next = await anItem(chain)
    await chain.setFaults({ effect: { asOf: Number((await newest(chain)).block) - 1 } })
    const { takesDeliveries, lookAt } = (await aStep(engine)) ?? {}
    expect({ takesDeliveries, lookAt }).toEqual({
      takesDeliveries: false,
      lookAt: expect.any(Date),
    })
    expect(logged('node_unavailable')).toHaveLength(1)
    expect(await rowOf(item)).toEqual(row)
    expect(await rowOf(next)).toMatchObject({ state: 'queued' })

    await chain.setFaults()
    await deliver(chain, engine)
    await expectDelivered(chain, [item, next])
    expect(logged('chain_reorganized')).toEqual([])
  })

  it('does not tell the settled block once: nothing is reported as reorganized', async () => {
    const { chain, engine, item, row } = await aSettledItem()
    const next = await anItem(chain)
    await chain.mine()
    // The node is asked for the newest block, the final one, and the settled one.
    await chain.setFaults({
      on: ['eth_getBlockByNumber'],
      skip: 2,
      times: 1,
      effect: { result: null },
    })
    await aStep(engine)
    await chain.setFaults()
    await deliver(chain, engine)
    expect(logged('chain_reorganized')).toEqual([])
    expect(await rowOf(item)).toEqual(row)
    await expectDelivered(chain, [item, next])
  })
})

describe('a chain that begins anew', () => {
  /** Delivers two items, each in a transaction of its own, and leaves a third one in flight. */
  async function aUsedChain() {
    const chain = await aSlowChain()
    const genesis = await chain.rpc('evm_snapshot')
    await chain.mine(4)
    const engine = anEngine(chain)
    const items: PaidItem[] = []
    for (let i = 0; i < 2; i++) {
      items.push(await anItem(chain))
      await deliver(chain, engine)
    }
    await expectDelivered(chain, items)
    items.push(await anItem(chain))
    await aStep(engine)
    return {
      chain,
      engine,
      items,
      /** Goes back to the chain's first block, and mines some others. */
      async reset(blocks: number) {
        await chain.rpc('anvil_dropAllTransactions')
        await chain.rpc('evm_revert', genesis)
        await chain.rpc('anvil_setBlockTimestampInterval', 60)
        await chain.mine(blocks)
      },
    }
  }

  const resets = [
    ['is shorter than the old one ever was, but newer', 1],
    ['is already longer than the old one', 20],
  ] as const

  it.each(firstCases(1, resets))('gets every item again: it %s', async (_, blocks) => {
    const { chain, engine, items, reset } = await aUsedChain()
    await reset(blocks)
    expect(await transferEvents(chain)).toEqual([])
    await aStep(engine)
    expect(logged('chain_reorganized')).toMatchObject([{ standing: null }])
    await deliver(chain, engine)
    await expectDelivered(chain, items)
    const open = (await transactionsOf(chain)).filter(({ isOpen }) => isOpen)
    // Three items went into one transaction now. The other nonces are free.
    expect(open.map(({ items }) => items)).toEqual(['[]', '[]'])
  })
})
